import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from knowledge.embedding import EndpointEmbedder, LocalEmbedder, local_is_installed
from knowledge.errors import EmbeddingError

_BUILD = """
import time
from multiprocessing import active_children
from knowledge.embedding import _workers
if __name__ == "__main__":
    with _workers() as map_in:
        map_in([["one"], ["two"]])
        print(*(each.pid for each in active_children()), flush=True)
        time.sleep(60)
"""


def _alive(pids: list[int]) -> list[int]:
    """Return those that still run; a dead child of nobody may stay as a zombie."""
    states = {pid: Path(f"/proc/{pid}/stat") for pid in pids}
    return [pid for pid, stat in states.items() if stat.exists() and ") Z" not in stat.read_text()]


class Endpoint(BaseHTTPRequestHandler):
    """Answers as OpenAI specifies ``/v1/embeddings``: a vector by the length of each text."""

    short = False

    def do_POST(self) -> None:
        """Answer, with a vector too few if told so."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = [[float(len(text)), 3.0] for text in asked["input"]][self.short :]
        data = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(rows)]
        body = json.dumps({
            "object": "list",
            "model": asked["model"],
            "data": data,
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }).encode()  # fmt: skip
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(name="url")
def _url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()
    Endpoint.short = False


def test_an_endpoint_gives_vectors_of_length_one(url: str) -> None:
    """In the order of the texts, over many requests; the model names the vectors."""
    model = EndpointEmbedder("bge-m3", url, "key")
    vectors = model.embed_passages(["x" * n for n in range(1, 40)])

    assert vectors.shape == (39, 2)
    assert vectors[3] == pytest.approx([0.8, 0.6])
    assert model.embed_query("x" * 4) == pytest.approx([0.8, 0.6])
    assert model.name == "endpoint-bge-m3"


def test_an_endpoint_that_is_wrong_or_away_is_named(url: str) -> None:
    """With its address, so that one knows where to look."""
    Endpoint.short = True
    with pytest.raises(EmbeddingError, match="1 vectors for 2 texts"):
        EndpointEmbedder("m", url, "").embed_passages(["a", "b"])
    with pytest.raises(EmbeddingError, match=r"127\.0\.0\.1:9"):
        EndpointEmbedder("m", "http://127.0.0.1:9/v1", "").embed_query("a")


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("GPU 00000000:9B:00.0 lost at 2026-03-02T04:00:13Z, Xid 79", "GPU lost at , Xid 79"),
        ("GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31", "GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31"),
        ("显卡在凌晨2点突然不见了，重启后又出现", "显卡在凌晨2点突然不见了，重启后又出现"),
        ("x" * 900, "x" * 160),
    ],
)
def test_a_query_is_embedded_without_its_identifiers(url: str, query: str, asked: str) -> None:
    """They mean nothing and cost most; one that is nothing else stays, and a head is enough."""
    vector = EndpointEmbedder("bge-m3", url, "key").embed_query(query)

    assert vector[0] / vector[1] == pytest.approx(len(asked) / 3)


def test_workers_end_with_who_started_them() -> None:
    """Killed in the midst of a build, it leaves none that waits for work for ever."""
    if not local_is_installed():
        pytest.skip("the extra local is not installed")
    parent = subprocess.Popen(
        [sys.executable, "-c", _BUILD], stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert parent.stdout is not None
    workers = [int(each) for each in parent.stdout.readline().split()]
    parent.kill()
    parent.communicate()

    assert workers
    until = time.monotonic() + 30
    while _alive(workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert _alive(workers) == []


def test_the_local_model_puts_two_languages_side_by_side() -> None:
    """The same sentence in English and Chinese is nearer than another one; no network is used."""
    assert local_is_installed()
    model = LocalEmbedder()
    here, there, other = model.embed_passages([
        "the file server does not answer",
        "文件服务器没有响应",
        "how to bake bread",
    ])  # fmt: skip

    assert here @ there > here @ other
    assert np.linalg.norm(here) == pytest.approx(1, abs=1e-3)
    assert model.embed_passages([]).shape == (0, 384)
    assert model.embed_query("文件服务器 " * 10_000).shape == (384,)

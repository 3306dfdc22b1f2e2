import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from knowledge.embedding import EndpointEmbedder, LocalEmbedder, local_is_installed
from knowledge.errors import EmbeddingError


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

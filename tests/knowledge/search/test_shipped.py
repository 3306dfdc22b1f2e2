"""The search over the shipped handbook and incidents, with the real model."""

from functools import cache

import pytest

from knowledge.embedding import LocalEmbedder
from knowledge.search.finder import Filters, Finder
from knowledge.search.incidents import shipped_corpus
from knowledge.search.opening import open_search
from knowledge.search.shipping import missing
from tests.assistant.handbook import shipped
from tests.kept_pages import cache_home


@cache
def _finder() -> Finder:
    root = cache_home() / "firstfault" / "index"
    return open_search(shipped(), shipped_corpus(shipped()), root, LocalEmbedder()).finder


def test_the_vectors_of_all_pages_and_postmortems_travel_with_the_product() -> None:
    """After a page changed, `make vectors` embeds it; else every user would."""
    assert missing(shipped_corpus(shipped()), LocalEmbedder().name) == []


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("NFS mount timeo retrans soft hard", "nfs-for-training"),
        ("NFS 挂载参数 timeo retrans", "nfs-for-training"),
        (
            "all nodes hang on the share since the array switched heads",
            "storage-controller-failover",
        ),
        ("存储双控切了一下，所有节点的目录都卡住了", "storage-controller-failover"),
        ("ncclRemoteError", "nccl-remote-error"),
    ],
)
def test_a_question_finds_its_page_among_the_first(query: str, page: str) -> None:
    """In both languages, by words, by meaning and by name."""
    assert page in [found.entry.id for found in _finder().find(query, most=5).results]


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("Xid 79", "xid-79-fell-off-bus"),
        ("共享目录卡住，所有节点都不动了", "storage-server-unavailable"),
        ("card vanished from nvidia-smi", "xid-79-fell-off-bus"),
        ("数据集能不能用 soft 挂载", "nfs-for-training"),
        ("GPU 过热", "gpu-thermal-slowdown"),
        ("etcd is slow", "etcd-requests-slow"),
    ],
)
def test_the_examples_of_the_readme_and_plain_short_questions_are_answered(
    query: str, page: str
) -> None:
    """Two words are enough."""
    layers = ("hardware",) if query.startswith("card") else ()
    answer = _finder().find(query, most=5, filters=Filters(layers=layers))

    assert page in [found.entry.id for found in answer.results]


@pytest.mark.parametrize("query", ["how to bake sourdough bread", "红烧肉要炖多久", "GST-9999"])
def test_what_the_handbook_does_not_know_finds_nothing(query: str) -> None:
    """Nothing is shown rather than the nearest."""
    assert _finder().find(query).results == ()

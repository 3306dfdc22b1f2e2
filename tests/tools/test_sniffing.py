"""The content decides which reader reads it."""

import importlib
import pkgutil

import pytest

from tests.tools.readers import operator_samples, samples
from tools import readers
from tools.dialect import Dialect
from tools.errors import ToolsError
from tools.sniffing import SURE, _unique, all_dialects, all_readers, sniff
from tools.source import Source

EXPECTED = {
    "syslog": "syslog", "syslog_iso": "syslog-iso", "dmesg": "dmesg", "dmesg_t": "dmesg",
    "cri": "container-log", "export": "journal-export", "journal_json": "journal-json",
    "list": "kubernetes-json", "yaml": "kubernetes-yaml", "prometheus": "prometheus-json",
    "openmetrics": "openmetrics", "alerts": "alertmanager", "nvml": "nvml", "smi": "nvidia-smi",
    "describe": "kubectl-describe", "mounts": "mounts", "df": "df", "chrony": "chronyc",
    "apt": "package-history", "topology": "topology", "text": "text", "storage": "stamped",
    "ibstat": "ibstat", "lspci": "lspci", "cri_inspect": "containers",
}  # fmt: skip
EXPECTED |= operator_samples.EXPECTED


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_each_sample_finds_its_reader(name: str) -> None:
    """Whatever the file is called; with colours and Windows line ends too."""
    content = samples.ALL[name]
    source = Source("E1", "x.bin", open=lambda: None, head=content)  # type: ignore[arg-type,return-value]  # mixed keywords
    found = [reader.name for reader in sniff(source)]
    assert found[0] == EXPECTED[name]
    assert found[-1] == "text"


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_no_two_readers_are_sure_of_one_content(name: str) -> None:
    """So it does not matter who is asked first."""
    content = samples.ALL[name]
    sure = [reader.name for reader in all_readers() if reader.score(content, "x.bin") >= SURE]
    assert len(sure) < 2, sure


def test_every_module_offers_a_reader_or_a_dialect() -> None:
    """A file in the folder is found by being there, and has what the protocol asks.

    A collector is a reader that is asked first of contents that nothing places.
    """
    for module in pkgutil.iter_modules(readers.__path__):
        content = importlib.import_module(f"tools.readers.{module.name}")
        names = ("READER", "DIALECT", "COLLECTOR")
        offer = next((found for name in names if (found := getattr(content, name, None))), None)
        assert offer is not None, module.name
        if not isinstance(offer, Dialect):
            assert isinstance(offer.name, str)
            assert isinstance(offer.source, str)
            assert 0.0 <= offer.score(b"", "") <= 1.0


def test_names_are_unique() -> None:
    """Two readers of one name are refused."""
    names = [reader.name for reader in all_readers()] + [one.name for one in all_dialects()]
    assert len(names) == len(set(names))
    first = all_readers()[0]
    with pytest.raises(ToolsError, match="two readers"):
        _unique([first, first])

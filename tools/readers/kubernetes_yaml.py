"""Kubernetes objects as YAML: `kubectl … -o yaml`, manifests, `cluster-info dump -o yaml`."""

from collections.abc import Iterator, Mapping
from typing import cast

from tools.errors import WrongFormatError
from tools.evidence import Item
from tools.kubernetes_objects import object_items
from tools.masks import masked_bytes
from tools.readers.cluster_dump import dump_items, is_dump
from tools.request import Request
from tools.source import Source


class KubernetesYamlReader:
    """Yields the state of each object, and a record for each Event."""

    name = "kubernetes-yaml"
    source = "kubernetes"

    def score(self, head: bytes, hint: str) -> float:
        """Look for the top-level keys of an object."""
        lines = head[:16384].splitlines()
        api = any(line.startswith(b"apiVersion:") for line in lines)
        marks = (b"kind:", b"items:", b"metadata:")
        return 0.93 if api and any(line.startswith(marks) for line in lines) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read all documents of the file."""
        import yaml  # noqa: PLC0415  # needed by this format only

        whole = source.whole()
        if is_dump(whole):
            yield from dump_items(whole, source, request)
            return
        text = masked_bytes(whole).decode("utf-8", "replace").replace("\t", "    ")
        try:
            for document in yaml.load_all(text, Loader=yaml.CBaseLoader):
                if isinstance(document, Mapping):
                    content = cast("Mapping[str, object]", _typed(document))
                    yield from object_items(content, source, request)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise WrongFormatError(f"{source.name}: damaged YAML: {error}") from error


def _typed(value: object) -> object:
    """Give plain scalars the types that JSON would; time stamps stay text."""
    if isinstance(value, Mapping):
        return {str(key): _typed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_typed(inner) for inner in value]
    return _scalar(value) if isinstance(value, str) else value


def _scalar(text: str) -> object:
    if text in {"true", "false"}:
        return text == "true"
    if text in {"null", "~", ""}:
        return None
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdigit() and (digits == "0" or digits[0] != "0")
    return int(text) if plain and len(digits) < 19 else text  # noqa: PLR2004  # 64 bits


READER = KubernetesYamlReader()

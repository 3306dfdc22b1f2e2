"""The one frozen Settings, and where each of its values came from.

Nothing here reads the environment: `integrations.bootstrap` hands the layers in, strongest first.
"""

import itertools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, get_origin

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from assistant.errors import SettingError
from knowledge.page import Priority

ENVIRONMENT_PREFIX = "FIRSTFAULT_"
_NO_SETTINGS = ("DEBUG", "TEST_SEED", "RIG")
DEFAULT_ORIGIN = "default"


class Settings(BaseModel):
    """Everything that can be configured."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    lang: Literal["auto", "en", "zh"] = "auto"
    """Language of what people read; auto: from the locale."""
    tz: str = ""
    """IANA zone or ±HH:MM for stamps without one; empty: leave them unknown."""
    context: str = ""
    """Kubernetes context; empty: kubectl's current one."""
    kubeconfig: str = ""
    """Path of a kubeconfig; empty: kubectl's own search."""
    prometheus_url: str = ""
    """Base URL of Prometheus; empty: none."""
    prometheus_token: SecretStr = SecretStr("")
    """Bearer token for Prometheus."""
    loki_url: str = ""
    """Base URL of Loki; empty: none."""
    loki_token: SecretStr = SecretStr("")
    """Bearer token for Loki."""
    loki_tenant: str = ""
    """Tenant (X-Scope-OrgID) where Loki keeps several apart."""
    loki_selector: str = ""
    """LogQL selector of the streams to read; empty: those with a common label."""
    journal_dirs: tuple[str, ...] = ()
    """Folders of journal files; none: the running host's own journal."""
    nodes: tuple[str, ...] = ()
    """Hosts to look on."""
    transport: Literal["local", "ssh", "agent"] = "local"
    """How node-local commands reach their host."""
    ssh_identity: str = ""
    """Key file for ssh; empty: ssh's own search."""
    agents: tuple[str, ...] = ()
    """HOST=URL or HOST=PATH of each node agent's bundle."""
    agent_token_file: str = ""
    """File with the bearer token that node agents ask for; an agent reads it too."""
    host_root: str = "/"
    """Where this host's files are seen; an agent in a container mounts them elsewhere."""
    node_name: str = ""
    """This host's name as the cluster writes it; empty: its host name."""
    limit_s: float = Field(default=10.0, gt=0)
    """Seconds that one command may take before it counts as hung."""
    deadline_s: float = Field(default=90.0, gt=0)
    """Seconds that one collection may take."""
    size_cap_mib: int = Field(default=1024, gt=0)
    """Most that one collection may store."""
    gpus_per_node: int = Field(default=0, ge=0)
    """GPUs that each node should have, for `inspect`; 0: not stated."""
    inventory: str = ""
    """Path of an inventory (topology.json): gpu_count and gpu_uuids that each node should have."""
    inspect_skip: tuple[str, ...] = ()
    """Inspections that do not apply here, by id."""
    handbook_dirs: tuple[str, ...] = ()
    """Folders with an organisation's own pages; each has effect once an admin approved it."""
    admins: tuple[str, ...] = ()
    """OS users who approve own pages; none: nobody can. What /etc names binds."""
    fail_on: Priority | None = None
    """Exit 10 when a fault of this priority or worse is found."""
    data_dir: str = ""
    """Where incidents are kept; empty: the user's data directory."""
    database_url: SecretStr = SecretStr("")
    """SQLAlchemy URL over `data_dir`; may hold a password."""
    model: str = ""
    """Name of the language model; empty: work without one."""
    model_base_url: str = ""
    """Base URL of an OpenAI-compatible endpoint."""
    model_api_key: SecretStr = SecretStr("")
    """Its key."""
    embedding_model: str = ""
    """Name of a model for searches at an OpenAI-compatible endpoint; empty: the local one."""
    embedding_base_url: str = ""
    """Base URL of that endpoint."""
    embedding_api_key: SecretStr = SecretStr("")
    """Its key."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Values from one place, by setting; of those in `binding` no other layer may say otherwise."""

    origin: str
    values: Mapping[str, object]
    binding: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Resolved:
    """Settings with the origin of every value."""

    settings: Settings
    origins: Mapping[str, str]

    def describe(self) -> Sequence[tuple[str, str, str]]:
        """Return name, value and origin of every setting; secrets stay hidden."""
        values = self.settings.model_dump()
        return [(name, _show(values[name]), self.origins[name]) for name in values]


def resolve(layers: Sequence[Layer]) -> Resolved:
    """Take each setting from the first layer that has it.

    Raises:
        SettingError: a name that does not exist or a value that does not fit, with its origin; or
            one that says otherwise than a layer that binds.
    """
    values: dict[str, object] = {}
    origins = dict.fromkeys(Settings.model_fields, DEFAULT_ORIGIN)
    for layer in _bound(layers):
        for name, value in layer.values.items():
            if name not in Settings.model_fields:
                raise SettingError(name, layer.origin, _unknown(name))
            if name not in values:
                values[name] = value
                origins[name] = layer.origin
    try:
        return Resolved(Settings.model_validate(values), origins)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = str(first["loc"][0])
        raise SettingError(name, origins[name], first["msg"]) from None


def _bound(layers: Sequence[Layer]) -> Sequence[Layer]:
    """Put what binds first.

    Raises:
        SettingError: another layer says otherwise.
    """
    binding = [
        Layer(layer.origin, {name: layer.values[name]})
        for layer in layers
        for name in sorted(layer.binding & layer.values.keys())
    ]
    for one, other in itertools.product(binding, layers):
        for name in one.values:
            if name in other.values and _items(other, name) != _items(one, name):
                why = f"only {one.origin} names them on this machine, and it says otherwise"
                raise SettingError(name, other.origin, why)
    return [*binding, *layers]


def _items(layer: Layer, name: str) -> object:
    value = layer.values[name]
    return set(map(str, value)) if isinstance(value, list | tuple) else value


def _unknown(name: str) -> str:
    near = get_close_matches(name, Settings.model_fields, n=1)
    known = f"did you mean {near[0]}" if near else f"there are {', '.join(Settings.model_fields)}"
    return f"there is no such setting; {known}"


def read_file(path: Path) -> Layer | None:
    """Read one configuration file; None where there is none.

    Raises:
        SettingError: the file cannot be read or is not TOML.
    """
    try:
        return Layer(str(path), tomllib.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingError("", str(path), str(error)) from error


def read_variables(variables: Mapping[str, str]) -> Sequence[Layer]:
    """Read FIRSTFAULT_* variables, one layer each; empty ones count as not set.

    A name that is no setting is left alone: it may belong to a later version or to a plug-in.
    """
    return [
        Layer(f"environment {variable}", {name: _split(name, variables[variable])})
        for name in Settings.model_fields
        if variables.get(variable := f"{ENVIRONMENT_PREFIX}{name.upper()}")
    ]


def unknown_variables(variables: Mapping[str, str]) -> Sequence[str]:
    """Return the names that carry our prefix and are no setting."""
    known = {f"{ENVIRONMENT_PREFIX}{name.upper()}" for name in Settings.model_fields}
    known |= {f"{ENVIRONMENT_PREFIX}{name}" for name in _NO_SETTINGS}
    ours = (name for name, value in variables.items() if value)
    return sorted(n for n in ours if n.startswith(ENVIRONMENT_PREFIX) and n not in known)


def read_model_fallback(variables: Mapping[str, str]) -> Sequence[Layer]:
    """Read what other tools call the model's key and address, as the weakest layers."""
    names = {"OPENAI_API_KEY": "model_api_key", "OPENAI_BASE_URL": "model_base_url"}
    return [
        Layer(f"environment {variable}", {name: variables[variable]})
        for variable, name in names.items()
        if variables.get(variable)
    ]


def _split(name: str, text: str) -> object:
    """Read a list from one variable: its items stand between commas."""
    if get_origin(Settings.model_fields[name].annotation) is not tuple:
        return text
    return tuple(item.strip() for item in text.split(",") if item.strip())


def _show(value: object) -> str:
    if isinstance(value, SecretStr):
        return "********" if value.get_secret_value() else ""
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    return "" if value is None else str(value)

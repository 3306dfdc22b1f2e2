"""Wires everything together: the only place that reads the environment."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.errors import SettingError
from assistant.settings import (
    Layer,
    Resolved,
    Settings,
    read_file,
    read_model_fallback,
    read_variables,
    resolve,
)
from integrations.wording.words import Language, Words, load_words, tell_language

if TYPE_CHECKING:
    from assistant.gather import Live
    from assistant.store import Store
    from knowledge.catalog import Catalog
    from knowledge.embedding import Embedder
    from knowledge.postmortem import Postmortem
    from knowledge.search.opening import Opened
    from tools.context import ProbeContext
    from tools.transport.port import Transport

_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
_SYSTEM_FILE = Path("/etc/firstfault/config.toml")
_LEAST_COLUMNS = 40
_PROJECT_FILE = Path("firstfault.toml")
_BINDING = frozenset({"admins"})
"""What the system's file decides alone where it names it: a user must not make himself one."""
OWN_FOLDER = "own"
"""What an organisation added, below the data directory."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the process was started in."""

    variables: Mapping[str, str]
    home: Path

    def folder(self, variable: str, default: str) -> Path:
        """Return an XDG base folder; relative ones do not count, as the specification says."""
        named = Path(self.variables.get(variable, ""))
        return named if named.is_absolute() else self.home / default


def read_surroundings() -> Surroundings:
    """Read the environment, once per process."""
    return Surroundings(dict(os.environ), Path.home())


def load_settings(flags: Mapping[str, object], around: Surroundings) -> Resolved:
    """Resolve: flag > FIRSTFAULT_* > ./firstfault.toml > XDG > /etc > default.

    Flags that are None or empty were not given. `admins` that /etc names are named there alone.

    Raises:
        SettingError: a setting that does not exist or a value that does not fit.
    """
    user = around.folder("XDG_CONFIG_HOME", ".config") / "firstfault" / "config.toml"
    files = [*map(read_file, (_PROJECT_FILE, user)), _read_system()]
    return resolve([
        *_read_flags(flags),
        *read_variables(around.variables),
        *(layer for layer in files if layer is not None),
        *read_model_fallback(around.variables),
    ])  # fmt: skip


def tells_system(origin: str) -> bool:
    """Tell whether a setting comes from the file that users cannot change."""
    return origin == str(_SYSTEM_FILE)


def _read_system() -> Layer | None:
    layer = read_file(_SYSTEM_FILE)
    return layer and replace(layer, binding=_BINDING)


def choose_words(settings: Settings, around: Surroundings) -> Words:
    """Load the words of the language that was set, else that of the locale."""
    return load_words(choose_language(settings, around))


def choose_language(settings: Settings, around: Surroundings) -> Language:
    """Return the language that was set, else that of the locale."""
    if settings.lang != "auto":
        return settings.lang
    tags = (around.variables.get(name, "") for name in _LOCALE)
    return tell_language(next(filter(None, tags), ""))


def choose_colour(around: Surroundings, *, wanted: bool | None = None) -> bool | None:
    """Return whether to colour; None leaves it to the stream.

    NO_COLOR counts only when it is not empty (https://no-color.org).
    """
    variables = around.variables
    if wanted is not None:
        return wanted
    if variables.get("NO_COLOR") or variables.get("TERM") == "dumb":
        return False
    return True if variables.get("FORCE_COLOR") else None


def choose_width(around: Surroundings) -> int | None:
    """Return the columns that COLUMNS tells; None leaves them to the terminal."""
    told = around.variables.get("COLUMNS", "")
    return max(int(told), _LEAST_COLUMNS) if told.isdecimal() and int(told) else None


def open_handbook(settings: Settings, around: Surroundings | None = None) -> "Catalog":
    """Load the shipped pages, validated ones from the cache, and the approved of an organisation.

    What an organisation added and cannot be read any more is only warned of.
    """
    from knowledge.catalog import load_catalog  # noqa: PLC0415 -- help needs no pages

    around = around or read_surroundings()
    catalog = load_catalog(cache=cache_dir(around))
    if not has_own(settings, around):
        return catalog
    from integrations.own import open_own, put_own_over  # noqa: PLC0415 -- few have own pages

    return put_own_over(catalog, open_own(settings, around))


def has_own(settings: Settings, around: Surroundings) -> bool:
    """Tell at little cost whether an organisation has any page or document."""
    return bool(settings.handbook_dirs) or (data_dir(settings, around) / OWN_FOLDER).exists()


def open_postmortems(around: Surroundings) -> "tuple[Postmortem, ...]":
    """Load the incidents of the past, validated ones from the cache."""
    from knowledge.past import load_postmortems  # noqa: PLC0415 -- help needs none

    return load_postmortems(cache_dir(around))


def open_finder(settings: Settings, around: Surroundings, catalog: "Catalog") -> "Opened":
    """Open the search over the handbook; its index can be made again, so it lies in the cache.

    Raises:
        SettingError: neither the cache nor the data directory is on a local disk.
    """
    from knowledge.search.corpus import corpus_of  # noqa: PLC0415 -- loads numpy
    from knowledge.search.incidents import tell_incidents  # noqa: PLC0415 -- as above
    from knowledge.search.opening import open_search  # noqa: PLC0415 -- as above
    from tools.workspace import NETWORK, filesystem_of  # noqa: PLC0415 -- as above

    root = (cache_dir(around) or data_dir(settings, around)) / "index"
    point, kind = filesystem_of(root)
    if kind in NETWORK:
        why = f"{point} is a network file system ({kind}) that can hang; name a local folder"
        raise SettingError("data_dir", str(root), why)
    embedder, why = choose_embedder(settings)
    more = list(tell_incidents(open_postmortems(around), catalog))
    if has_own(settings, around):
        from integrations.own import bare, tell_own  # noqa: PLC0415 -- few have own documents

        more += tell_own(catalog, settings, around)
        catalog = bare(catalog)
    corpus = corpus_of(catalog, more)
    return open_search(catalog, corpus, root, embedder, why=why)


def choose_embedder(settings: Settings) -> "tuple[Embedder | None, str]":
    """Return the endpoint's model that was set, else the local one; or None and why."""
    from knowledge.embedding import (  # noqa: PLC0415 -- loads numpy
        EndpointEmbedder,
        LocalEmbedder,
        local_is_installed,
    )

    if settings.embedding_model:
        key = settings.embedding_api_key.get_secret_value()
        url = settings.embedding_base_url
        return EndpointEmbedder(settings.embedding_model, url, key), ""
    if local_is_installed():
        return LocalEmbedder(), ""
    return None, "the extra firstfault[local] is not installed and no embedding_model is set"


def cache_dir(around: Surroundings) -> Path | None:
    """Return where to keep what can be computed again; None where that could hang."""
    from tools.workspace import NETWORK, filesystem_of  # noqa: PLC0415 -- help needs no disk

    folder = around.folder("XDG_CACHE_HOME", ".cache") / "firstfault"
    try:
        _, kind = filesystem_of(folder)
    except OSError:
        return None
    return None if kind in NETWORK else folder


def data_dir(settings: Settings, around: Surroundings) -> Path:
    """Return where incidents and captures are kept."""
    if settings.data_dir:
        return Path(settings.data_dir).expanduser()
    return around.folder("XDG_DATA_HOME", ".local/share") / "firstfault"


def open_incidents(settings: Settings, around: Surroundings) -> "Store":
    """Open the store of incidents.

    Raises:
        StoreError: it cannot be kept there.
    """
    from assistant.store import open_store, open_url  # noqa: PLC0415 -- few commands keep anything

    url = settings.database_url.get_secret_value()
    return open_url(url) if url else open_store(data_dir(settings, around))


def open_context(settings: Settings, folder: Path) -> "ProbeContext":
    """Prepare what live probes use; captures go to `folder`.

    Raises:
        TargetRefusedError: the folder lies on the network, hangs or is full.
    """
    from tools.context import ProbeContext, host_name  # noqa: PLC0415 -- files need no probes
    from tools.workspace import Workspace  # noqa: PLC0415 -- as above

    return ProbeContext(
        workspace=Workspace(folder, settings.size_cap_mib << 20),
        host=settings.node_name or host_name(),
        proc=Path(settings.host_root) / "proc",
        root=Path(settings.host_root),
        kube_context=settings.context,
        kubeconfig=settings.kubeconfig,
        prometheus=settings.prometheus_url,
        prometheus_token=settings.prometheus_token.get_secret_value(),
        loki=settings.loki_url,
        loki_token=settings.loki_token.get_secret_value(),
        loki_tenant=settings.loki_tenant,
        loki_selector=settings.loki_selector,
        journals=tuple(Path(each) for each in settings.journal_dirs),
        limit_s=settings.limit_s,
    )


def open_transports(settings: Settings, hosts: Sequence[str] = ()) -> "Sequence[Transport]":
    """Choose the ways to reach nodes: this host, ssh or agents, and the cluster beside them.

    Raises:
        SettingError: an agent is not written HOST=URL.
    """
    from tools.transport.agent import Agent  # noqa: PLC0415 -- files need no transport
    from tools.transport.local import Cluster, Local  # noqa: PLC0415 -- as above
    from tools.transport.ssh import Ssh  # noqa: PLC0415 -- as above

    if settings.transport == "ssh":
        return (Ssh(tuple(hosts) or settings.nodes, identity=settings.ssh_identity), Cluster())
    if settings.transport == "agent":
        agents = Agent(_read_agents(settings, hosts), token_file=settings.agent_token_file)
        return (agents, Cluster())
    return (Local(), Cluster())


def open_live(settings: Settings, around: Surroundings, hosts: Sequence[str] = ()) -> "Live":
    """Prepare a look at the running system; what it captures stays in the data directory."""
    from assistant.gather import Live  # noqa: PLC0415 -- loads every probe

    return Live(
        open_context(settings, new_capture_folder(settings, around)),
        deadline_s=settings.deadline_s,
        transports=open_transports(settings, hosts),
    )


def new_capture_folder(settings: Settings, around: Surroundings) -> Path:
    """Name a folder for a new collection."""
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.getpid()}"
    return data_dir(settings, around) / "captures" / stamp


def current_user() -> str:
    """Return the OS user, by the process's uid where the system knows it."""
    try:
        import pwd  # noqa: PLC0415 -- POSIX

        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _read_agents(settings: Settings, hosts: Sequence[str]) -> Mapping[str, str]:
    places = dict(agent.split("=", 1) for agent in settings.agents if "=" in agent)
    if len(places) != len(settings.agents):
        raise SettingError(
            "agents", "the configuration", "write each as HOST=URL or HOST=PATH, once"
        )
    return {host: place for host, place in places.items() if not hosts or host in hosts}


def _read_flags(flags: Mapping[str, object]) -> Sequence[Layer]:
    return [
        Layer(f"flag --{name.replace('_', '-')}", {name: value})
        for name, value in flags.items()
        if value is not None and value not in ("", (), [])
    ]

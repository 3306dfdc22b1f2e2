"""The node agent: serves this host's bundle, read-only, to a Firstfault that looks from outside.

    python -m integrations.agent --listen 127.0.0.1:9555

It is configured like every command: `FIRSTFAULT_AGENT_TOKEN_FILE` names the file with the bearer
token (without it only loopback is served), `FIRSTFAULT_NODE_NAME` the node as the cluster writes
it, `FIRSTFAULT_HOST_ROOT` and `FIRSTFAULT_JOURNAL_DIRS` where a container sees the host.
`integrations/deploy/daemonset.yaml` and `firstfault-agent.service` run it. The other side sets
`FIRSTFAULT_TRANSPORT=agent` and `FIRSTFAULT_AGENTS=HOST=http://ADDRESS:9555/bundle,…`.
"""

import argparse
import logging
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from assistant.errors import AssistantError
from assistant.gather import build_request
from assistant.incident import Incident
from assistant.settings import Settings
from integrations.bootstrap import load_settings, open_context, open_handbook, read_surroundings
from tools.context import ProbeContext
from tools.errors import ToolsError
from tools.evidence import Window
from tools.request import Request
from tools.transport.serving import Agent, Offer

DEFAULT = "127.0.0.1:9555"
_SIZE_CAP_MIB, _DEADLINE_S = 256, 60.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser(
        prog="python -m integrations.agent",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--listen", default=DEFAULT, metavar="ADDRESS:PORT")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    host, _, port = given.listen.rpartition(":")
    signal.signal(signal.SIGTERM, _stop)
    try:
        settings = load_settings({}, read_surroundings()).settings
        agent = Agent(host.strip("[]"), int(port), offer(settings))
    except (AssistantError, ToolsError, OSError, ValueError) as error:
        sys.stderr.write(f"The agent cannot serve on {given.listen}: {error}\n")
        return 1
    with agent:
        sys.stderr.write(f"serving on {given.listen}\n")
        try:
            agent.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0


def offer(settings: Settings) -> Offer:
    """Wire what is served: the shipped handbook's lines, this host's probes."""
    catalog = open_handbook(settings)

    def request(window: Window) -> Request:
        asked = build_request(catalog, Incident())
        # The caller has widened the window already.
        return asked.model_copy(update={"window": window})

    def context(folder: Path) -> ProbeContext:
        return open_context(settings, folder)

    return Offer(
        request,
        context,
        token_file=Path(settings.agent_token_file) if settings.agent_token_file else None,
        deadline_s=min(settings.deadline_s, _DEADLINE_S),
        size_cap=min(settings.size_cap_mib, _SIZE_CAP_MIB) << 20,
    )


def _stop(_: int, __: FrameType | None) -> None:
    """End as by Ctrl-C: as the first process of a container nobody else would."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())

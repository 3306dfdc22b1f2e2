"""All components, the quick ones first."""

from evals.benign import cluster, databases, machine, monitoring, remote, web, work

COMPONENTS = (
    *databases.COMPONENTS,
    *web.COMPONENTS,
    *monitoring.COMPONENTS,
    *work.COMPONENTS,
    *remote.COMPONENTS,
    *cluster.COMPONENTS,
    *machine.COMPONENTS,
)

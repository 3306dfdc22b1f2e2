"""Tells what works here, what is not permitted, and what would fail with the watched cluster."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from assistant.check import Check, Patient
from assistant.shared_checks import check_own_node, check_shared_mounts
from assistant.site_checks import check_dcgm, check_infiniband, check_loki, check_slurm
from assistant.source_checks import (
    check_clock,
    check_containers,
    check_gpus,
    check_host_commands,
    check_journal,
    check_kubernetes,
    check_permissions,
    check_prometheus,
)
from assistant.survival_checks import (
    check_addresses,
    check_data_directory,
    check_environment,
    check_kubeconfig,
    check_names,
    check_place,
    check_store,
)

Examination = Callable[[Patient], Iterable[Check]]
EXAMINATIONS: tuple[Examination, ...] = (
    check_kubernetes,
    check_permissions,
    check_prometheus,
    check_journal,
    check_gpus,
    check_dcgm,
    check_infiniband,
    check_containers,
    check_slurm,
    check_loki,
    check_host_commands,
    check_clock,
    check_data_directory,
    check_store,
    check_environment,
    check_kubeconfig,
    check_names,
    check_place,
    check_own_node,
    check_shared_mounts,
    check_addresses,
)


def examine(
    patient: Patient, examinations: Iterable[Examination] = EXAMINATIONS
) -> Iterator[Check]:
    """Run all examinations side by side and give their findings in order.

    Each is bounded by the limits of its commands; none changes anything.
    """
    chosen = tuple(examinations)
    with ThreadPoolExecutor(max_workers=len(chosen) or 1) as pool:
        for findings in pool.map(partial(_examined, patient), chosen):
            yield from findings


def _examined(patient: Patient, examination: Examination) -> list[Check]:
    return list(examination(patient))

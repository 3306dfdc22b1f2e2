"""Judge the diagnosis on scenarios whose truth is known: root, chain, evidence, safety."""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Literal

import typer

from evals import perturb
from evals.errors import EvalError, UnknownScenarioError
from evals.run import SCALE, Case, Result, run_all
from evals.scenarios.build import list_open, list_scenarios
from evals.summary import Summary

NOT_FOUND = 3
RETRIEVAL = "retrieval"
app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})
Form = Literal["text", "json"]
Changes = Literal["none", "invariant", "all"]


@app.command()
def evaluate(
    *,
    scenarios: Annotated[
        list[str] | None,
        typer.Argument(help="Scenarios by name, all if none is given; or: retrieval."),
    ] = None,
    output: Annotated[Form, typer.Option("-o", "--output", help="Form of the result.")] = "text",
    seeds: Annotated[int, typer.Option(help="How many seeds of each scenario.", min=1)] = 1,
    first_seed: Annotated[int, typer.Option("--seed", help="The first of them.")] = 1,
    changes: Annotated[
        Changes, typer.Option("--perturb", help="Which changes to try beside the plain case.")
    ] = "none",
    scale: Annotated[
        float, typer.Option(help="Of the background noise; 1 is a full day's.", min=0.001)
    ] = SCALE,
) -> None:
    """Build scenarios from their seeds, diagnose each and score the answer by rule.

    `retrieval` in place of scenarios judges the search over the handbook instead.
    """
    if scenarios == [RETRIEVAL]:
        judge_search(output)
        return
    try:
        wanted = choose(scenarios or [])
        cases = [
            case
            for name in wanted
            for seed in range(first_seed, first_seed + seeds)
            for case in list_variants(name, seed, changes)
        ]
        results = [_told(result) for result in run_all(cases, scale=scale)]
    except UnknownScenarioError as error:
        fail(str(error), "not_found", output)
        raise typer.Exit(NOT_FOUND) from None
    except EvalError as error:
        fail(str(error), "failure", output)
        raise typer.Exit(1) from None
    summary = Summary(results)
    if output == "json":
        typer.echo(json.dumps(summary.document(), ensure_ascii=False, indent=2))
    else:
        typer.echo(write_table(summary))


def judge_search(output: Form) -> None:
    """Run the labelled queries; the index lies in a folder of its own and is kept."""
    from evals.retrieval.run import measure  # noqa: PLC0415 -- loads numpy and a model
    from evals.retrieval.table import write_table as write_search  # noqa: PLC0415 -- as above

    document = measure(Path(tempfile.gettempdir()) / f"firstfault-retrieval-{os.getuid()}")
    typer.echo(
        json.dumps(document, ensure_ascii=False, indent=2)
        if output == "json"
        else write_search(document)
    )


def choose(names: list[str]) -> list[str]:
    """Check the names of scenarios; none means all.

    Raises:
        UnknownScenarioError: one is not there.
    """
    known = list_scenarios()
    for name in names:
        if name not in known:
            raise UnknownScenarioError(f"no scenario {name!r}; there are: {', '.join(known)}")
    return names or known


def list_variants(name: str, seed: int, changes: Changes) -> list[Case]:
    """Return the cases of one seed."""
    cases = [Case(name, seed)]
    if changes != "none":
        cases += [Case(name, seed, languages=(language,)) for language in ("en", "zh")]
        cases += [Case(name, seed, change) for change in perturb.INVARIANT]
    if changes == "all":
        hidden = (*perturb.HIDDEN, perturb.ROOT_HIDDEN)
        cases += [Case(name, seed, change) for change in hidden]
        planted = () if name in list_open() else (1, 3)
        cases += [Case(name, seed, decoys=count) for count in planted]
    return cases


def _told(result: Result) -> Result:
    """Say on stderr how a case went, since all of them take a while."""
    verdict = "ok" if result.miss is None else result.miss
    case = result.case
    sys.stderr.write(f"{case.scenario}/{case.seed} {case.label}: {verdict}\n")
    return result


def fail(message: str, code: str, output: Form) -> None:
    """Tell what went wrong, as the contract writes errors."""
    if output == "json":
        hint = "firstfault eval --help"
        typer.echo(json.dumps({"error": {"code": code, "message": message, "hint": hint}}))
    else:
        typer.echo(f"firstfault: {message}", err=True)


def write_table(summary: Summary) -> str:
    """Write the figures for people."""
    rows = [f"{name:>20}  {value}" for name, value in summary.figures().items()]
    return "\n".join(rows)

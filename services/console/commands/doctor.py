"""`exhibit doctor`: whether this set-up will do, and what to mend; with a run, what was refused for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import AsJson, EvidenceOfRun, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.run_location import HOW_TO_NAME_A_RUN, find_run
from shared.evidence_format.files.refused import RefusedEvent
from shared.evidence_format.refused_events import read_refused

if TYPE_CHECKING:
    from shared.settings import Settings
    from shared.setup.check import CheckResult

MARKS = {"ok": "ok", "warning": "WARNING", "problem": "PROBLEM"}


def doctor(
    run: Annotated[str | None, typer.Argument(help=f"Tell what was refused for this run: {HOW_TO_NAME_A_RUN}.")] = None,
    evidence: EvidenceOfRun = None,
    nats: Nats = None,
    ask_model: Annotated[
        bool, typer.Option("--ask-model", help="Ask the model too, for a few cents, whether it reads its cache.")
    ] = False,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Check this set-up, and say what to mend; with RUN, tell which events were refused for it, and why."""
    settings = load_settings(nats if run is None else None, evidence)
    settings = settings.model_copy(update={"ask_model": ask_model or settings.ask_model})
    return _check_setup(settings) if run is None else _find_refused(settings, run)


def _check_setup(settings: Settings) -> CommandResult:
    from services.console.machine_checks import CHECKS  # only here: the options are told without them
    from shared.host.services import service_checks
    from shared.setup.check import run_checks

    results = run_async(run_checks([*CHECKS, *service_checks()], settings))
    code = exits.NOT_ALL_DONE if any(one.state == "problem" for one in results) else exits.OK
    return CommandResult(result_lines(results), {"checks": results}, code)


def result_lines(results: Sequence[CheckResult]) -> list[str]:
    """Return a line for each result, what to do below those that are not fine, and how many these are."""
    width = max(len(one.name) for one in results)
    lines: list[str] = []
    for one in results:
        lines.append(f"{MARKS[one.state]:<8} {one.name:<{width}}  {one.found}")
        if one.mend:
            lines.append(f"{'':<8} {'':<{width}}  -> {one.mend}")
    problems = sum(one.state == "problem" for one in results)
    warnings = sum(one.state == "warning" for one in results)
    return [*lines, "", f"{len(results)} checks: {_counted(problems, 'problem')}, {_counted(warnings, 'warning')}"]


def _counted(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"


def _find_refused(settings: Settings, run: str) -> CommandResult:
    with exits.bad_input("run"):
        refused = read_refused(settings, find_run(settings, run))
    return CommandResult(refused_lines(refused), {"refused": refused}, exits.NOT_ALL_DONE if refused else exits.OK)


WHAT_IT_MEANS = (
    "None of it is in the run. Refused is what does not fit its population, its round, its log or its files, or is not "
    "signed by a service that may send it: a program sent what is not its own, a planner went on with a sample that "
    "had its result, or evidence does not have the public key of a service (unknown_signer). --json tells all of it."
)


def refused_lines(refused: Sequence[RefusedEvent]) -> list[str]:
    """Return one line for each event, and what they mean."""
    if not refused:
        return ["Nothing was refused for this run."]
    count = "1 event was refused" if len(refused) == 1 else f"{len(refused)} events were refused"
    return [f"{count}:", *map(_line, refused), "", WHAT_IT_MEANS]


def _line(one: RefusedEvent) -> str:
    sample = f" of {one.sample_id}" if one.sample_id else ""
    number = f", attempt {one.attempt}" if one.attempt else ""
    step = f", step {one.step}" if one.step else ""
    return f"  {one.refused_at:%Y-%m-%d %H:%M:%S} UTC  {one.event}{sample}{number}{step}: {one.code}: {one.text}"

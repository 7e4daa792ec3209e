"""`exhibit settle`: say what came of an irreversible press whose outcome is not known."""

from __future__ import annotations

from getpass import getuser
from typing import TYPE_CHECKING, Annotated

import typer

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import AsJson, Evidence, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.run_location import HOW_TO_NAME_A_RUN, locate_run
from shared.contracts.discovery import Problem
from shared.contracts.sessions.settling import Settlement, SettleSample
from shared.host.connections import open_client

if TYPE_CHECKING:
    from shared.settings import Settings


def settle(
    run: Annotated[str, typer.Argument(help=f"The run: {HOW_TO_NAME_A_RUN}.")],
    sample: Annotated[str, typer.Argument(help="The id of a sample that ended with unknown_outcome.")],
    reason: Annotated[str, typer.Option(help="What you saw on the site; everybody who reads the result is told.")],
    done: Annotated[bool, typer.Option("--done", help="It was done: the sample is done.")] = False,
    again: Annotated[
        bool, typer.Option("--again", help="It was not done: `exhibit run --resume` may press once more.")
    ] = False,
    value: Annotated[
        list[str] | None, typer.Option(help="FIELD=TEXT with --done: a value, as the site shows it.")
    ] = None,
    answer: Annotated[str, typer.Option(help="With --done: the answer to the question of the task.")] = "",
    file: Annotated[list[str] | None, typer.Option(help="With --answer: a file of the sample that shows it.")] = None,
    every_press: Annotated[
        bool, typer.Option("--every-press", help="With --again: also where several presses would be made again.")
    ] = False,
    by: Annotated[str | None, typer.Option(help="Who says so; else the name of this account.")] = None,
    evidence: Evidence = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Settle a sample of a finished run whose irreversible press has an unknown outcome. The run is sealed again."""
    values, problems = _parse_values(value or [])
    if done == again:
        problems.append(Problem(where="--done, --again", message="say one of both"))
    if problems:
        raise exits.RefusedChange(problems)
    with exits.bad_input("RUN"):
        settings, run_id = locate_run(load_settings(nats, evidence), run)
    request = SettleSample(
        run_id=run_id,
        sample_id=sample,
        verdict="done" if done else "again",
        by=by or getuser(),
        reason=reason,
        values=values,
        answer=answer,
        evidence_refs=tuple(file or ()),
        every_press=every_press,
    )
    settled = run_async(settle_sample(settings, request))
    return CommandResult(settlement_lines(request, settled), settled)


async def settle_sample(settings: Settings, request: SettleSample) -> Settlement:
    """Settle the sample. Raises RefusedChange with every problem of the request."""
    from shared.client.run_sessions import SettlementRefusedError  # only here: it comes with the client of the bus

    async with open_client(settings, ["evidence"]) as client:
        try:
            return await client.settle(request)
        except SettlementRefusedError as exc:
            raise exits.RefusedChange(exc.refused.problems) from exc


def settlement_lines(request: SettleSample, settled: Settlement) -> list[str]:
    """Return what was settled, and what follows."""
    if settled.verdict == "done":
        return [f"{request.sample_id} is done, as {settled.by} says. {request.run_id} is sealed again."]
    return [
        f"{request.sample_id} may be pressed once more, as {settled.by} says. {request.run_id} is sealed again.",
        f"Go on with it by: exhibit run --resume {request.run_id}",
    ]


def _parse_values(pairs: list[str]) -> tuple[dict[str, str], list[Problem]]:
    values: dict[str, str] = {}
    problems: list[Problem] = []
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            problems.append(Problem(where=f"--value {pair}", message="write FIELD=TEXT, such as number=CR-1042"))
        elif name.strip() in values:
            problems.append(Problem(where=f"--value {name.strip()}", message="it is given twice"))
        values[name.strip()] = text.strip()
    return values, problems

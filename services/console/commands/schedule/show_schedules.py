"""`exhibit schedule list` and `show`: the schedules, and what became of their times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from services.console import exits
from services.console.commands.runs.follow import require_bus
from services.console.event_loop import run_async
from services.console.options import AsJson, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.text.schedule_lines import last_lines, run_line, schedule_line, schedule_lines
from shared.bus.ports import Asks
from shared.client.schedules import compare_two_runs, list_schedules, load_finished
from shared.contracts.comparing import ComparisonTold
from shared.contracts.evidence import RunFinished
from shared.contracts.scheduling import Schedule, ScheduledRun
from shared.errors import TransientError
from shared.host.connections import open_client
from shared.settings import Settings

Name = Annotated[str, typer.Argument(help="The name of the schedule.")]
MOST_TOLD = 12
"""The last runs of which it is told how they have ended and what has changed."""


@dataclass(frozen=True)
class ToldRun:
    """What evidence says of a run that has ended. ``finished``: None where it does not know the run any more, or does
    not answer. ``compared``: None where it follows no run."""

    run_id: str
    finished: RunFinished | None
    compared: ComparisonTold | None


def list_(nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """List the schedules, with their next times."""
    schedules = run_async(_load(require_bus(load_settings(nats))))
    lines = [line for one in schedules for line in (schedule_line(one), *last_lines(one))]
    return CommandResult(lines or ["There is no schedule: `exhibit schedule add` keeps one."], schedules)


def show(name: Name, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """Show a schedule: its last times, and what has changed from each run to the next."""
    found = run_async(_show(require_bus(load_settings(nats)), name))
    if found is None:
        raise exits.refused("NAME", f"there is no schedule {name}: `exhibit schedule list` names them")
    schedule, told = found
    lines: list[str] = []
    for one in schedule.runs:
        known = told.get(one.run_id)
        finished, compared = (known.finished, known.compared) if known is not None else (None, None)
        lines.append(run_line(one, schedule.time_zone, finished, compared))
    compared = [one.compared for one in told.values() if one.compared is not None]
    if any(one.changed for one in compared):
        lines.append("`exhibit compare RUN_A RUN_B` shows the changes one by one, with what proves them.")
    return CommandResult([*schedule_lines(schedule), *lines], {"schedule": schedule, "comparisons": compared})


async def _load(settings: Settings, name: str = "") -> tuple[Schedule, ...]:
    async with open_client(settings) as client:
        return await list_schedules(client.bus, name)


async def _show(settings: Settings, name: str) -> tuple[Schedule, dict[str, ToldRun]] | None:
    async with open_client(settings) as client:
        schedules = await list_schedules(client.bus, name)
        if not schedules:
            return None
        ended = [one for one in schedules[0].runs if one.ended][-MOST_TOLD:]
        return schedules[0], {one.run_id: await _tell(client.bus, one) for one in ended}


async def _tell(asks: Asks, run: ScheduledRun) -> ToldRun:
    """Ask evidence about a run. Where it does not answer, that is told: the rest is shown all the same."""
    try:
        finished = await load_finished(asks, run.run_id)
        return ToldRun(
            run.run_id, finished, await compare_two_runs(asks, run.follows, run.run_id) if run.follows else None
        )
    except TransientError as exc:
        refused = ComparisonTold(run_a=run.follows, run_b=run.run_id, refused=f"{exc.code}: {exc}")
        return ToldRun(run.run_id, None, refused if run.follows else None)

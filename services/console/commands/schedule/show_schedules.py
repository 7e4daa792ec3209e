"""`exhibit schedule list` and `show`: the schedules, and what became of their times."""

from __future__ import annotations

from typing import Annotated

import typer

from services.console import exits
from services.console.commands.runs.follow import require_bus
from services.console.event_loop import run_async
from services.console.options import AsJson, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.text.schedule_lines import run_line, schedule_line, schedule_lines
from shared.bus.ports import Asks
from shared.client.schedules import compare_two_runs, list_schedules
from shared.contracts.comparing import ComparisonTold
from shared.contracts.scheduling import Schedule
from shared.errors import TransientError
from shared.host.connections import open_client
from shared.settings import Settings

Name = Annotated[str, typer.Argument(help="The name of the schedule.")]
COMPARED = 12
"""The last runs whose comparison is shown."""


def list_(nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """List the schedules, with their next times."""
    schedules = run_async(_load(require_bus(load_settings(nats))))
    lines = [schedule_line(one) for one in schedules] or ["There is no schedule: `exhibit schedule add` keeps one."]
    return CommandResult(lines, schedules)


def show(name: Name, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """Show a schedule: its last times, and what has changed from each run to the next."""
    found = run_async(_show(require_bus(load_settings(nats)), name))
    if found is None:
        raise exits.refused("NAME", f"there is no schedule {name}")
    schedule, compared = found
    lines = [run_line(one, schedule.time_zone, compared.get(one.run_id)) for one in schedule.runs]
    told = {"schedule": schedule, "comparisons": list(compared.values())}
    return CommandResult([*schedule_lines(schedule), *lines], told)


async def _load(settings: Settings, name: str = "") -> tuple[Schedule, ...]:
    async with open_client(settings) as client:
        return await list_schedules(client.bus, name)


async def _show(settings: Settings, name: str) -> tuple[Schedule, dict[str, ComparisonTold]] | None:
    async with open_client(settings) as client:
        schedules = await list_schedules(client.bus, name)
        if not schedules:
            return None
        pairs = [(one.follows, one.run_id) for one in schedules[0].runs if one.follows and one.ended][-COMPARED:]
        return schedules[0], {later: await _compared(client.bus, one, later) for one, later in pairs}


async def _compared(asks: Asks, run_a: str, run_b: str) -> ComparisonTold:
    """Return the comparison; where evidence does not answer, that: the rest is shown all the same."""
    try:
        return await compare_two_runs(asks, run_a, run_b)
    except TransientError as exc:
        return ComparisonTold(run_a=run_a, run_b=run_b, refused=f"{exc.code}: {exc}")

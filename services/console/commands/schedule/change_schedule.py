"""`exhibit schedule pause`, `resume`, `remove` and `run`."""

from __future__ import annotations

from getpass import getuser
from typing import Annotated

import typer

from services.console.commands.runs.follow import require_bus
from services.console.event_loop import run_async
from services.console.options import AsJson, Nats, load_settings
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.text.schedule_lines import run_line, schedule_line
from shared.client.schedules import change_schedule
from shared.contracts.scheduling import Schedule, ScheduleAct
from shared.host.connections import open_client

Name = Annotated[str, typer.Argument(help="The name of the schedule.")]


def pause(name: Name, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """Request no run at its times, until it is resumed."""
    schedule = _change(name, "pause", nats)
    return CommandResult([schedule_line(schedule)], schedule)


def resume(name: Name, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """Request runs again, from the next time on: those of the pause were not missed."""
    schedule = _change(name, "resume", nats)
    return CommandResult([schedule_line(schedule)], schedule)


def remove(name: Name, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """Forget a schedule. Its runs and their evidence stay."""
    schedule = _change(name, "remove", nats)
    return CommandResult([f"{schedule.name} is removed; its runs stay"], schedule)


def run(name: Name, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """Request its run now, besides the planned ones."""
    schedule = _change(name, "run", nats)
    return CommandResult([run_line(one, schedule.time_zone) for one in schedule.runs[-1:]], schedule)


def _change(name: str, act: ScheduleAct, nats: str | None) -> Schedule:
    async def ask() -> Schedule:
        async with open_client(require_bus(load_settings(nats))) as client:
            return await change_schedule(client.bus, name, act, getuser())

    return run_async(ask())

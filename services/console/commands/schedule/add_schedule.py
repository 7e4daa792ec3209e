"""`exhibit schedule add`: have a run requested at the times of a schedule."""

from __future__ import annotations

from getpass import getuser
from pathlib import Path
from typing import Annotated

import typer

from services.console.commands.run.inputs import read_inputs
from services.console.commands.runs.follow import require_bus
from services.console.event_loop import run_async
from services.console.options import (
    AsJson,
    Concurrency,
    Discover,
    Encoding,
    FilledWith,
    HiddenRows,
    Nats,
    Sheets,
    load_settings,
    read_as,
)
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.text.schedule_lines import schedule_lines
from shared.client.schedules import add_schedule
from shared.contracts.discovery import SubmitRun
from shared.contracts.scheduling import AddSchedule
from shared.host.connections import open_client


def add(
    spec: Annotated[Path, typer.Argument(help="The task spec, a JSON file.")],
    every: Annotated[str, typer.Option(help='When: minute, hour, day, month, day of the week, such as "0 6 1 * *".')],
    name: Annotated[str, typer.Option(help="Of the schedule. Without: that of the task.")] = "",
    time_zone: Annotated[str, typer.Option(help="In which these are meant, such as Europe/Berlin.")] = "UTC",
    input_file: Annotated[Path | None, typer.Option("--input", help="The samples: CSV or XLSX; it is kept.")] = None,
    discover: Discover = None,
    filled_with: FilledWith = None,
    planner: Annotated[str | None, typer.Option(help="Who decides: rules or anthropic.")] = None,
    concurrency: Concurrency = None,
    mode: Annotated[str | None, typer.Option(help="Who works: flow, agent or auto, as of `exhibit run`.")] = None,
    overlap: Annotated[str, typer.Option(help="While the run before is at work: skip the time, or run.")] = "skip",
    missed: Annotated[
        str, typer.Option(help="Times at which nothing was there to run it: latest (one run for them), or skip.")
    ] = "latest",
    sheet: Sheets = None,
    encoding: Encoding = None,
    hidden_rows: HiddenRows = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Have a task run again and again. Each run is compared with the one before."""
    settings = require_bus(load_settings(nats))
    inputs = read_inputs(
        spec_file=spec,
        input_file=input_file,
        discovery_file=discover,
        filled_with=tuple(filled_with or ()),
        mode=mode,
        read_as=read_as(sheet, encoding, hidden_rows),
    )

    async def ask() -> CommandResult:
        async with open_client(settings) as client:
            file = None if inputs.file is None else await client.upload(*inputs.file, inputs.read_as)
            request = SubmitRun(
                spec=inputs.spec,
                input_file=file,
                discovery=inputs.discovery,
                discovery_row=dict(inputs.row),
                planner=planner,
                concurrency=concurrency,
                mode=inputs.mode,
            )
            added = AddSchedule(
                name=name or str((inputs.spec or {}).get("task_id", "")),
                every=every,
                time_zone=time_zone,
                request=request,
                overlap=overlap,
                missed=missed,
                by=getuser(),
            )
            schedule = await add_schedule(client.bus, added)
            return CommandResult(schedule_lines(schedule), schedule)

    return run_async(ask())

"""`exhibit build`: make a flow by hand, one TODO after the other, while it is compiled in the background."""

from __future__ import annotations

import shlex
import sys
from getpass import getuser
from pathlib import Path
from typing import Annotated, Any

import typer

from services.console import exits
from services.console.commands.build.build_rows import read_rows
from services.console.commands.flows.accepting import AcceptLoss, accepted_fields
from services.console.commands.workflows.arguments import Author, Library, author_or_user
from services.console.commands.workflows.library import library_settings
from services.console.event_loop import run_async
from services.console.options import Encoding, HiddenRows, Nats, Sheets, read_as
from shared.contracts.discovery import Problem, ReadAs
from shared.contracts.workflows.builds import BuildRow, PublishFlow
from shared.errors import RunRejectedError
from shared.flows.building.folder import read_events
from shared.host.connections import open_bus
from shared.settings import Settings
from shared.task.spec import TaskSpec, check_spec, read_spec
from shared.task.workflow_use import example_refusal

SERVICES = ("browser_pool", "workflows")


def build(
    spec: Annotated[Path, typer.Argument(help="The task spec, a JSON file.")],
    input_file: Annotated[Path | None, typer.Option("--input", help="Rows to work on: CSV, XLSX or JSON.")] = None,
    row: Annotated[
        list[str] | None, typer.Option("--row", help="One row: NAME=VALUE, for each of its columns.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The workspace. Without: builds/TASK. One that is there goes on.")
    ] = None,
    agent: Annotated[
        bool, typer.Option("--agent", help="A model does what you say; it needs a key, see docs/flows.md.")
    ] = False,
    publish: Annotated[
        bool, typer.Option("--publish", help="Publish what was built, on the next row of the input, and end.")
    ] = False,
    name: Annotated[str, typer.Option(help="With --publish: name in the library. Without: that of the task.")] = "",
    accept_loss: AcceptLoss = None,
    author: Author = "",
    library: Library = None,
    sheet: Sheets = None,
    encoding: Encoding = None,
    hidden_rows: HiddenRows = None,
    nats: Nats = None,
) -> None:
    """Build a flow by hand: type what is to be done on the first row, TODO by TODO; `next` does it on the next row.
    `build list` lists the sessions."""
    task, written, rows, problems = _read(spec, input_file, tuple(row or ()), read_as(sheet, encoding, hidden_rows))
    folder = out or Path("builds") / (task.task_id if task is not None else "task")
    if task is not None:
        try:
            read_events(folder)
        except (OSError, ValueError) as exc:
            problems.append(Problem(where=str(folder), message=str(exc)))
    if task is None or problems:
        raise RunRejectedError(problems)
    accepted = tuple(sorted(accepted_fields(task, accept_loss)))
    command = PublishFlow(name=name, author=author_or_user(author), accept_loss=accepted) if publish else None
    rows_of = [*(["--input", str(input_file)] if input_file else []), *(w for one in row or () for w in ("--row", one))]
    again = shlex.join(["exhibit", "build", str(spec), *rows_of, "--out", str(folder), "--publish"])
    settings = library_settings(nats, library)
    published = run_async(_work(settings, folder, task, written, rows, command, again, agent=agent))
    if command is not None and not published:
        raise typer.Exit(exits.NOT_ALL_DONE)


def _read(
    spec: Path, input_file: Path | None, row: tuple[str, ...], how: ReadAs
) -> tuple[TaskSpec | None, dict[str, Any], list[BuildRow], list[Problem]]:
    written, found = read_spec(spec)
    if written is None:
        return None, {}, [], list(found)
    task, problems = check_spec(written)
    if task is None:
        return None, written, [], list(problems)
    if task.phase == "discovery":
        return task, written, [], [Problem(where=str(spec), message="its task finds samples; a flow works on one")]
    if refusal := example_refusal(task.output_schema):
        return task, written, [], [Problem(where=str(spec), message=refusal)]
    rows, more = read_rows(task, input_file, row, how)
    return task, written, rows, more


async def _work(
    settings: Settings,
    folder: Path,
    spec: TaskSpec,
    written: dict[str, Any],
    rows: list[BuildRow],
    publish: PublishFlow | None,
    to_publish: str,
    *,
    agent: bool,
) -> bool:
    from services.console.commands.build.terminal import BuildTerminal  # only here: the options are told without it
    from services.console.commands.build.typed_session import TypedSession
    from services.console.line_reader import LineReader

    folder.mkdir(parents=True, exist_ok=True)
    terminal = BuildTerminal(LineReader(sys.stdin.fileno()), is_terminal=sys.stdin.isatty())
    services = (*SERVICES, "planner") if agent else SERVICES
    async with open_bus(settings, services, "build") as opened:
        session = TypedSession(folder, spec, written, rows, opened.bus, terminal, getuser(), to_publish)
        return await session.run(publish, agent=agent)

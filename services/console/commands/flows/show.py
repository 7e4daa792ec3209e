"""`exhibit flows show`: what a flow consists of: its variables, elements, fields with their rules, and its source."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from services.console import exits
from services.console.commands.workflows.arguments import Library
from services.console.commands.workflows.library import library_settings, open_library
from services.console.event_loop import run_async
from services.console.options import AsJson, Nats
from services.console.terminal.flows_view import elements_table, fields_table, variables_table
from services.console.terminal.plain_console import PlainConsole
from services.console.terminal.plain_output import print_out
from shared.client.workflow_calls import get_workflow
from shared.contracts.discovery import Problem
from shared.contracts.workflows.library import WorkflowUnknown
from shared.flows.files import FlowFiles, parse_files
from shared.flows.workspace import read_workspace
from shared.text.normal import printable


def show(
    flow: Annotated[str, typer.Argument(help="Name of a flow in the library, NAME@HASH, or its folder.")],
    source: Annotated[bool, typer.Option("--source", help="The source too.")] = False,
    library: Library = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Show what a flow acts on, and by which rules it reads each field."""
    text, files = _load(flow, library, nats, as_json=as_json)
    try:
        parsed = parse_files(files)
    except ValueError as exc:
        exits.print_problems([Problem(where=flow, message=str(exc))], as_json=as_json)
        raise typer.Exit(exits.BAD_INPUT) from None
    if as_json:
        sys.stdout.write(msgspec.json.encode({"source": text, "files": parsed}).decode() + "\n")
        return
    _print(parsed, text if source else "")


def _print(files: FlowFiles, source: str) -> None:
    console = PlainConsole(highlight=False)
    for title, table, rows in (
        ("Variables", variables_table(files), files.variables),
        ("Elements", elements_table(files), files.locators),
        ("Fields", fields_table(files), files.fields.fields),
    ):
        if rows:
            console.print(title, style="bold")
            console.print(table)
            console.print()
    if source:
        print_out(printable(source, keep="\n"))


def _load(flow: str, library: Path | None, nats: str | None, *, as_json: bool) -> tuple[str, dict[str, str]]:
    """Return the source and the files. What is wrong ends the command."""
    folder = Path(flow)
    if folder.is_dir():
        try:
            return read_workspace(folder)
        except (OSError, ValueError) as exc:
            exits.print_problems([Problem(where=flow, message=str(exc))], as_json=as_json)
            raise typer.Exit(exits.BAD_INPUT) from None

    async def work() -> tuple[str, dict[str, str]] | str:
        async with open_library(library_settings(nats, library)) as asks:
            shown = await get_workflow(asks, flow)
        return shown.message if isinstance(shown, WorkflowUnknown) else (shown.source, shown.files)

    found = run_async(work(), as_json=as_json)
    if isinstance(found, str):
        exits.print_problems([Problem(where=flow, message=found)], as_json=as_json)
        raise typer.Exit(exits.BAD_INPUT)
    return found

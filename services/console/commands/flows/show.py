"""`exhibit flows show`: what a flow consists of: its variables, elements, fields with their rules, and its source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from services.console import exits
from services.console.commands.workflows.arguments import Library
from services.console.commands.workflows.library import ask_library
from services.console.options import AsJson, Nats
from services.console.outcomes import CommandOutcome, CommandResult
from services.console.terminal.flows_view import elements_table, fields_table, variables_table
from shared.client.workflow_calls import get_workflow
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
) -> CommandOutcome:
    """Show what a flow acts on, and by which rules it reads each field."""
    text, files, lost, set_aside = _load(flow, library, nats)
    try:
        parsed = parse_files(files)
    except ValueError as exc:
        raise exits.refused(flow, str(exc)) from exc
    told = [f"Accepted as lost when it was published: {', '.join(map(printable, lost))}", ""] if lost else []
    told += [f"Set aside: {printable(set_aside)}. `auto` does not choose it.", ""] if set_aside else []
    data = {"source": text, "files": parsed, "accepted_losses": lost, "set_aside": set_aside}
    return CommandResult([*told, *_parts(parsed, text if source else "")], data)


def _parts(files: FlowFiles, source: str) -> Iterator[RenderableType]:
    for title, table, rows in (
        ("Variables", variables_table(files), files.variables),
        ("Elements", elements_table(files), files.locators),
        ("Fields", fields_table(files), files.fields.fields),
    ):
        if rows:
            yield from (Text(title, style="bold"), table, "")
    if source:
        yield printable(source.removesuffix("\n"), keep="\n")


def _load(flow: str, library: Path | None, nats: str | None) -> tuple[str, dict[str, str], tuple[str, ...], str]:
    """Return the source, the files, the fields that were accepted as lost, and why it is set aside. Raises
    RunRejectedError when there is no such flow."""
    folder = Path(flow)
    if folder.is_dir():
        try:
            return (*read_workspace(folder), (), "")
        except (OSError, ValueError) as exc:
            raise exits.refused(flow, str(exc)) from exc
    shown = ask_library(nats, library, lambda bus: get_workflow(bus, flow))
    if isinstance(shown, WorkflowUnknown):
        raise exits.refused(flow, shown.message)
    return shown.source, shown.files, shown.workflow.accepted_losses, shown.set_aside

"""`exhibit workflows create|list|search|show|history|delete|export|import`: the library, over the bus or in this
process."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from services.console import exits
from services.console.commands.workflows.arguments import (
    Author,
    Library,
    NameAndVersion,
    WorkflowName,
    author_or_user,
    complete_name,
)
from services.console.commands.workflows.files import ImportedFile, read_import, write_export
from services.console.event_loop import run_async
from services.console.options import AsJson, Nats, load_settings
from services.console.terminal.plain_console import PlainConsole
from services.console.terminal.plain_output import print_err, print_out
from services.console.terminal.workflows_view import (
    findings_lines,
    history_table,
    hits_table,
    problem_lines,
    show_text,
    versions_table,
)
from shared.bus.nats_bus import Bus
from shared.bus.ports import Asks
from shared.client.workflow_calls import (
    create_workflow,
    delete_workflow,
    get_workflow,
    list_workflows,
    load_history,
    search_workflows,
)
from shared.contracts.discovery import Problem
from shared.contracts.workflows.library import WorkflowRefused, WorkflowShown, WorkflowUnknown, WorkflowVersion
from shared.errors import RunRejectedError
from shared.host.connections import open_client
from shared.settings import Settings

Files = Annotated[list[Path], typer.Argument(help="Exports (folders, zips), folders of Python files, or files.")]


def library_settings(nats: str | None, library: Path | None) -> Settings:
    settings = load_settings(nats)
    return settings if library is None else settings.model_copy(update={"workflows_dir": library})


@asynccontextmanager
async def open_library(settings: Settings, names: Sequence[str] = ("workflows",)) -> AsyncGenerator[Bus]:
    async with open_client(settings, names) as client:
        yield client.bus


def create(
    file: Annotated[Path, typer.Argument(help="Python file with a top-level `run`; - reads standard input.")],
    name: Annotated[str, typer.Option(help="Name. Without: the file's name without .py.")] = "",
    description: Annotated[str, typer.Option(help="What it does. Without: its docstring.")] = "",
    replace: Annotated[str, typer.Option(help="Hash of the current version, whose place this one takes.")] = "",
    author: Author = "",
    library: Library = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Add a workflow to the library, with the files of the folder NAME.files beside it.

    An existing one is replaced with --replace only; its history stays.
    """
    if str(file) == "-":
        source, chosen, files = sys.stdin.read(), name, dict[str, str]()
        if not name:
            exits.print_problems([Problem(where="--name", message="standard input has no name")], as_json=as_json)
            raise typer.Exit(exits.BAD_INPUT)
    else:
        found, problems = read_import(file)
        if problems or len(found) != 1 or file.is_dir():
            message = "this is not one Python file; `exhibit workflows import` takes several"
            exits.print_problems(problems or [Problem(where=str(file), message=message)], as_json=as_json)
            raise typer.Exit(exits.BAD_INPUT)
        source, chosen, files = found[0].source, name or found[0].name, found[0].files

    async def work() -> bool:
        async with open_library(library_settings(nats, library)) as asks:
            who = author_or_user(author)
            reply = await create_workflow(
                asks, chosen, source, description=description, author=who, files=files, replace=replace
            )
        if as_json:
            _print_json(reply)
        elif isinstance(reply, WorkflowRefused):
            print_err(f"exhibit: {chosen} is refused\n" + findings_lines(reply.findings))
        else:
            typer.echo(f"{chosen} is created, version {reply.workflow.hash[:12]}: {reply.workflow.description}")
            print_out(findings_lines(reply.findings))
        return not isinstance(reply, WorkflowRefused)

    if not run_async(work(), as_json=as_json):
        raise typer.Exit(exits.BAD_INPUT)


def list_(library: Library = None, nats: Nats = None, as_json: AsJson = False) -> None:
    """List the workflows of the library, and the files that are not loaded."""

    async def work() -> None:
        async with open_library(library_settings(nats, library)) as asks:
            versions, problems = await list_workflows(asks)
        if as_json:
            _print_json({"workflows": versions, "problems": problems})
            return
        if versions:
            PlainConsole().print(versions_table(versions))
        else:
            typer.echo("The library is empty. `exhibit workflows create FILE` adds a workflow.")
        print_err(problem_lines(problems))

    run_async(work(), as_json=as_json)


def search(
    query: Annotated[str, typer.Argument(help="What it should do, in your own words.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="Most hits.")] = 10,
    library: Library = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Find workflows by meaning. Exit code 1: nothing fits."""

    async def work() -> bool:
        async with open_library(library_settings(nats, library)) as asks:
            hits = await search_workflows(asks, query, limit)
        if as_json:
            _print_json({"hits": hits})
        elif hits:
            PlainConsole().print(hits_table(hits))
        else:
            typer.echo("Nothing in the library does that.")
        return bool(hits)

    if not run_async(work(), as_json=as_json):
        raise typer.Exit(exits.NOT_ALL_DONE)


def show(name: NameAndVersion, library: Library = None, nats: Nats = None, as_json: AsJson = False) -> None:
    """Show a workflow: description, parameters and source."""

    async def work() -> None:
        async with open_library(library_settings(nats, library)) as asks:
            shown = await _get(asks, name)
        if as_json:
            _print_json(shown)
        else:
            print_out(show_text(shown))

    run_async(work(), as_json=as_json)


def history(name: WorkflowName, library: Library = None, nats: Nats = None, as_json: AsJson = False) -> None:
    """List every version of a workflow: who created or deleted it, and when."""

    async def work() -> bool:
        async with open_library(library_settings(nats, library)) as asks:
            entries = await load_history(asks, name)
        if as_json:
            _print_json({"entries": entries})
        elif entries:
            PlainConsole().print(history_table(entries))
        else:
            typer.echo(f"There never was a workflow {name!r}.")
        return bool(entries)

    if not run_async(work(), as_json=as_json):
        raise typer.Exit(exits.NOT_ALL_DONE)


def delete(name: WorkflowName, author: Author = "", library: Library = None, nats: Nats = None) -> None:
    """Delete a workflow. Its versions stay in the history, and can be run by their hash."""

    async def work() -> bool:
        async with open_library(library_settings(nats, library)) as asks:
            existed = await delete_workflow(asks, name, author=author_or_user(author))
        typer.echo(f"{name} is deleted." if existed else f"There is no workflow {name!r}.")
        return existed

    if not run_async(work()):
        raise typer.Exit(exits.NOT_ALL_DONE)


def export(
    target: Annotated[Path, typer.Argument(help="A new zip, or a folder that is new or empty.")],
    names: Annotated[
        list[str] | None, typer.Argument(help="Workflows. Without: all.", autocompletion=complete_name)
    ] = None,
    library: Library = None,
    nats: Nats = None,
) -> None:
    """Write workflows to a zip or a folder, with their descriptions, authors and versions."""

    async def work() -> int:
        async with open_library(library_settings(nats, library)) as asks:
            wanted = names or [one.name for one in (await list_workflows(asks))[0]]
            shown = [await _get(asks, name) for name in wanted]
        try:
            write_export(target, shown)
        except OSError as exc:
            raise RunRejectedError([Problem(where=str(target), message=exc.strerror or str(exc))]) from exc
        return len(shown)

    count = run_async(work())
    typer.echo(f"1 workflow is in {target}" if count == 1 else f"{count} workflows are in {target}")


def import_(
    places: Files, author: Author = "", library: Library = None, nats: Nats = None, as_json: AsJson = False
) -> None:
    """Add workflows of an export, or Python files. One that exists with the same source is passed over."""
    found: list[ImportedFile] = []
    problems: list[Problem] = []
    for place in places:
        some, wrong = read_import(place)
        found += some
        problems += wrong
    if problems:
        exits.print_problems(problems, as_json=as_json)
        raise typer.Exit(exits.BAD_INPUT)

    async def work() -> bool:
        created: list[WorkflowVersion] = []
        passed_over: list[str] = []
        refused: dict[str, WorkflowRefused] = {}
        async with open_library(library_settings(nats, library)) as asks:
            for one in found:
                known = await get_workflow(asks, one.name)
                if isinstance(known, WorkflowShown) and (known.source, known.files) == (one.source, one.files):
                    passed_over.append(one.name)
                    continue
                version = one.version
                reply = await create_workflow(
                    asks,
                    one.name,
                    one.source,
                    description=version.description if version is not None else "",
                    author=(version.author if version is not None else "") or author_or_user(author),
                    source_run=version.source_run if version is not None else None,
                    files=one.files,
                )
                if isinstance(reply, WorkflowRefused):
                    refused[one.name] = reply
                else:
                    created.append(reply.workflow)
        if as_json:
            _print_json({"created": created, "passed_over": passed_over, "refused": refused})
        else:
            for name, reply in refused.items():
                print_err(f"exhibit: {name} is refused\n" + findings_lines(reply.findings))
            typer.echo(f"{len(created)} created, {len(passed_over)} were there already, {len(refused)} refused")
        return not refused

    if not run_async(work(), as_json=as_json):
        raise typer.Exit(exits.NOT_ALL_DONE)


async def _get(asks: Asks, name: str) -> WorkflowShown:
    """Return a workflow. Raises RunRejectedError when there is none."""
    reply = await get_workflow(asks, name)
    if isinstance(reply, WorkflowUnknown):
        raise RunRejectedError([Problem(where=name, message=reply.message)])
    return reply


def _print_json(value: Any) -> None:
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")

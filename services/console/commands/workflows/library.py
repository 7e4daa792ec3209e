"""`exhibit workflows create|list|search|show|history|delete|export|import`: the library, over the bus or in this
process."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from msgspec.structs import replace as replace_part

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
from services.console.outcomes import CommandOutcome, CommandResult, ErrorLine
from services.console.terminal.workflows_view import (
    finding_lines,
    history_table,
    hits_table,
    problem_lines,
    show_text,
    versions_table,
)
from shared.client.workflow_calls import (
    create_workflow,
    delete_workflow,
    get_workflow,
    list_library,
    list_workflows,
    load_history,
    search_workflows,
)
from shared.contracts.workflows.library import (
    WorkflowCreated,
    WorkflowRefused,
    WorkflowShown,
    WorkflowsListed,
    WorkflowUnknown,
    WorkflowVersion,
)
from shared.errors import RunRejectedError
from shared.host.connections import open_client
from shared.settings import Settings
from shared.text.normal import printable

if TYPE_CHECKING:
    from shared.bus.nats_bus import Bus

AnswerT = TypeVar("AnswerT")
EMPTY = "The library is empty. `exhibit workflows create FILE` adds a workflow."
Files = Annotated[list[Path], typer.Argument(help="Exports (folders, zips), folders of Python files, or files.")]


def library_settings(nats: str | None, library: Path | None) -> Settings:
    settings = load_settings(nats)
    return settings if library is None else settings.model_copy(update={"workflows_dir": library})


@asynccontextmanager
async def open_library(settings: Settings, names: Sequence[str] = ("workflows",)) -> AsyncGenerator[Bus]:
    async with open_client(settings, names) as client:
        yield client.bus


def ask_library(nats: str | None, library: Path | None, ask: Callable[[Bus], Awaitable[AnswerT]]) -> AnswerT:
    """Return what the library answers: the one on the bus, or that of a folder, which is opened for it."""
    settings = library_settings(nats, library)

    async def work() -> AnswerT:
        async with open_library(settings) as bus:
            return await ask(bus)

    return run_async(work())


def _is_nowhere(nats: str | None, library: Path | None) -> bool:
    """Whether the library is a folder that does not exist: then no service needs to start to say that it is empty."""
    settings = library_settings(nats, library)
    return settings.nats_url is None and not settings.workflows_dir.exists()


def create(
    file: Annotated[Path, typer.Argument(help="Python file with a top-level `run`; - reads standard input.")],
    name: Annotated[str, typer.Option(help="Name. Without: the file's name without .py.")] = "",
    description: Annotated[str, typer.Option(help="What it does. Without: its docstring.")] = "",
    replace: Annotated[str, typer.Option(help="Hash of the current version, whose place this one takes.")] = "",
    author: Author = "",
    library: Library = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Add a workflow to the library, with the files of the folder NAME.files beside it.

    An existing one is replaced with --replace only; its history stays.
    """
    one = _given(file, name)
    who = author_or_user(author)
    reply = ask_library(
        nats,
        library,
        lambda bus: create_workflow(
            bus, one.name, one.source, description=description, author=who, files=one.files, replace=replace
        ),
    )
    findings = finding_lines(reply.findings)
    if isinstance(reply, WorkflowRefused):
        return CommandResult(_refused_lines(one.name, reply), reply, exits.BAD_INPUT)
    version = reply.workflow
    said = f"{one.name} is created, version {version.hash[:12]}: {version.description}"
    return CommandResult([said, *findings], reply)


def _given(file: Path, name: str) -> ImportedFile:
    """Return the one workflow of a file or of standard input. Raises RunRejectedError."""
    if str(file) == "-":
        if not name:
            raise exits.refused("--name", "standard input has no name")
        return ImportedFile(name=name, source=sys.stdin.read())
    found, problems = read_import(file)
    if problems:
        raise RunRejectedError(problems)
    if len(found) != 1 or file.is_dir():
        raise exits.refused(str(file), "this is not one Python file; `exhibit workflows import` takes several")
    return replace_part(found[0], name=name or found[0].name)


def _refused_lines(name: str, reply: WorkflowRefused) -> list[str]:
    return [ErrorLine(line) for line in (f"exhibit: {name} is refused", *finding_lines(reply.findings))]


def list_(library: Library = None, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """List the workflows of the library, and the files that are not loaded."""
    empty = WorkflowsListed(workflows=(), total=0)
    listed = empty if _is_nowhere(nats, library) else ask_library(nats, library, list_library)
    versions, problems = listed.workflows, listed.problems
    lines = [versions_table(versions) if versions else EMPTY, *map(ErrorLine, problem_lines(problems))]
    lines += [f"{printable(name)} is set aside: {printable(why)}" for name, why in listed.set_aside.items()]
    return CommandResult(lines, {"workflows": versions, "problems": problems, "set_aside": listed.set_aside})


def search(
    query: Annotated[str, typer.Argument(help="What it should do, in your own words.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="Most hits.")] = 10,
    library: Library = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Find workflows by meaning. Exit code 1: nothing fits."""
    if _is_nowhere(nats, library):
        return CommandResult([EMPTY], {"hits": ()}, exits.NOT_ALL_DONE)
    hits = ask_library(nats, library, lambda bus: search_workflows(bus, query, limit))
    if not hits:
        return CommandResult(["Nothing in the library does that."], {"hits": hits}, exits.NOT_ALL_DONE)
    return CommandResult([hits_table(hits)], {"hits": hits})


def show(name: NameAndVersion, library: Library = None, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """Show a workflow: description, parameters and source."""
    shown = ask_library(nats, library, lambda bus: _get(bus, name))
    return CommandResult([show_text(shown)], shown)


def history(name: WorkflowName, library: Library = None, nats: Nats = None, as_json: AsJson = False) -> CommandOutcome:
    """List every version of a workflow: who created or deleted it, and when."""
    entries = ask_library(nats, library, lambda bus: load_history(bus, name))
    if not entries:
        return CommandResult([f"There never was a workflow {name!r}."], {"entries": entries}, exits.NOT_ALL_DONE)
    return CommandResult([history_table(entries)], {"entries": entries})


def delete(name: WorkflowName, author: Author = "", library: Library = None, nats: Nats = None) -> CommandOutcome:
    """Delete a workflow. Its versions stay in the history, and can be run by their hash."""
    if ask_library(nats, library, lambda bus: delete_workflow(bus, name, author=author_or_user(author))):
        return CommandResult([f"{name} is deleted."])
    return CommandResult([f"There is no workflow {name!r}."], exit_code=exits.NOT_ALL_DONE)


def export(
    target: Annotated[Path, typer.Argument(help="A new zip, or a folder that is new or empty.")],
    names: Annotated[
        list[str] | None, typer.Argument(help="Workflows. Without: all.", autocompletion=complete_name)
    ] = None,
    library: Library = None,
    nats: Nats = None,
) -> CommandOutcome:
    """Write workflows to a zip or a folder, with their descriptions, authors and versions."""

    async def load(bus: Bus) -> list[WorkflowShown]:
        wanted = names or [one.name for one in (await list_workflows(bus))[0]]
        return [await _get(bus, name) for name in wanted]

    shown = ask_library(nats, library, load)
    try:
        write_export(target, shown)
    except OSError as exc:
        raise exits.refused(str(target), exc.strerror or str(exc)) from exc
    count = len(shown)
    return CommandResult([f"1 workflow is in {target}" if count == 1 else f"{count} workflows are in {target}"])


def import_(
    places: Files, author: Author = "", library: Library = None, nats: Nats = None, as_json: AsJson = False
) -> CommandOutcome:
    """Add workflows of an export, or Python files. One that exists with the same source is passed over."""
    read = [read_import(place) for place in places]
    if problems := [problem for _, wrong in read for problem in wrong]:
        raise RunRejectedError(problems)
    files = [one for found, _ in read for one in found]
    created: list[WorkflowVersion] = []
    passed_over: list[str] = []
    refused: dict[str, WorkflowRefused] = {}

    async def add_all(bus: Bus) -> None:
        for one in files:
            known = await get_workflow(bus, one.name)
            if isinstance(known, WorkflowShown) and (known.source, known.files) == (one.source, one.files):
                passed_over.append(one.name)
                continue
            reply = await _add(bus, one, author)
            if isinstance(reply, WorkflowRefused):
                refused[one.name] = reply
            else:
                created.append(reply.workflow)

    ask_library(nats, library, add_all)
    lines = [line for name, reply in refused.items() for line in _refused_lines(name, reply)]
    lines.append(f"{len(created)} created, {len(passed_over)} were there already, {len(refused)} refused")
    told = {"created": created, "passed_over": passed_over, "refused": refused}
    return CommandResult(lines, told, exits.NOT_ALL_DONE if refused else exits.OK)


async def _add(bus: Bus, one: ImportedFile, author: str) -> WorkflowCreated | WorkflowRefused:
    version = one.version
    return await create_workflow(
        bus,
        one.name,
        one.source,
        description=version.description if version is not None else "",
        author=(version.author if version is not None else "") or author_or_user(author),
        source_run=version.source_run if version is not None else None,
        files=one.files,
    )


async def _get(bus: Bus, name: str) -> WorkflowShown:
    """Return a workflow. Raises RunRejectedError when there is none."""
    reply = await get_workflow(bus, name)
    if isinstance(reply, WorkflowUnknown):
        raise exits.refused(name, reply.message)
    return reply

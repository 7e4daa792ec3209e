"""`exhibit compile`: a flow from the recorded samples of a run, checked on samples that it has not seen."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import msgspec
import typer
from rich.console import Console

from services.console import exits
from services.console.commands.workflows.arguments import Author, Library, author_or_user
from services.console.commands.workflows.library import library_settings, open_library
from services.console.options import AsJson, EvidenceOfRun, Nats, RunOrZip, load_settings
from services.console.run_location import find_run
from services.console.terminal.flows_view import checks_table, compiled_lines
from shared.bus.ports import Asks
from shared.client.workflow_calls import create_workflow, get_workflow
from shared.contracts.discovery import Problem
from shared.contracts.workflows.library import WorkflowCreated, WorkflowRefused, WorkflowShown
from shared.evidence_format.sources.base import NoRun, Unreadable
from shared.evidence_format.sources.opening import open_source
from shared.flows.checking.validation import Validation, compile_checked, split_samples, variables_of
from shared.flows.compiling.compiler import CompiledFlow, NotCompiledError
from shared.flows.compiling.reading import Recordings, read_recordings
from shared.flows.files import write_files
from shared.flows.workspace import write_workspace
from shared.settings import Settings
from shared.task.spec import TaskSpec, check_spec
from shared.text.normal import printable
from shared.workflow_source.wording import finding_line

EXIT_CODES = (
    "Exit codes: 0 it was checked on samples that it had not seen, and is in the library; 1 it stays a draft, with "
    "the reasons; 2 bad input, nothing was compiled; 3 cannot run."
)


def compile_(
    run: RunOrZip,
    sample: Annotated[
        list[str] | None, typer.Option(help="Id of a sample to compile from; the others of the run are held out.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the flow. Without: flows/TASK.")] = None,
    name: Annotated[str, typer.Option(help="Name in the library. Without: that of the task.")] = "",
    publish: Annotated[bool, typer.Option(help="Put it into the library once it is checked.")] = True,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse a flow that leaves fields to a model.")] = False,
    author: Author = "",
    library: Library = None,
    evidence: EvidenceOfRun = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Compile a flow from samples of a run, and check it on the samples that were held out."""
    settings = library_settings(nats, library)
    recordings, spec = _read(load_settings(nats, evidence), run, tuple(sample or ()), as_json=as_json)
    chosen, held_out = split_samples(recordings.samples, sample or ())
    folder = out or Path("flows") / (name or spec.task_id)

    async def work() -> tuple[CompiledFlow, Validation, WorkflowCreated | WorkflowRefused | None]:
        async with open_library(settings) as asks:
            flow, validation = await compile_checked(asks, spec, chosen, held_out, strict=strict)
            given, files = variables_of(flow, chosen[0].row), write_files(flow.files)
            write_workspace(folder, flow.source, files, variables=given, samples=recordings.samples)
            if validation.problems or not publish:
                return flow, validation, None
            who = author_or_user(author)
            return flow, validation, await publish_flow(asks, name or flow.name, flow, who, recordings.record.run_id)

    try:
        flow, validation, reply = exits.run_async(work(), as_json=as_json)
    except NotCompiledError as exc:
        _refuse(run, str(exc), as_json=as_json)
    _report(flow, folder, recordings, validation, reply, as_json=as_json)
    if validation.problems or isinstance(reply, WorkflowRefused):
        raise typer.Exit(exits.NOT_ALL_DONE)


async def publish_flow(
    asks: Asks, name: str, flow: CompiledFlow, author: str, run_id: str
) -> WorkflowCreated | WorkflowRefused:
    """Put a flow into the library; it takes the place of an earlier version of its name."""
    shown = await get_workflow(asks, name)
    before = shown.workflow.hash if isinstance(shown, WorkflowShown) else ""
    return await create_workflow(
        asks, name, flow.source, author=author, source_run=run_id, files=write_files(flow.files), replace=before
    )


def _read(settings: Settings, run: str, named: tuple[str, ...], *, as_json: bool) -> tuple[Recordings, TaskSpec]:
    """Return the recorded samples of the run, and its task. What is wrong ends the command."""
    try:
        with exits.bad_input("RUN", as_json=as_json), open_source(settings, find_run(settings, run)) as source:
            recordings = read_recordings(source)
    except (NoRun, Unreadable) as exc:
        _refuse(run, str(exc), as_json=as_json)
    spec, problems = check_spec(recordings.record.spec)
    if spec is None:
        exits.print_problems(problems, as_json=as_json)
        raise typer.Exit(exits.BAD_INPUT)
    if spec.phase == "discovery":
        _refuse(run, "its task finds samples; a flow is compiled from a task that works on them", as_json=as_json)
    known = {one.sample_id for one in recordings.samples}
    skipped = dict(recordings.skipped)
    unknown = [Problem(where="--sample", message=f"{one}: {skipped.get(one, 'there is no such sample')}")
               for one in named if one not in known]  # fmt: skip
    if unknown:
        exits.print_problems(unknown, as_json=as_json)
        raise typer.Exit(exits.BAD_INPUT)
    return recordings, spec


def _refuse(run: str, message: str, *, as_json: bool) -> NoReturn:
    exits.print_problems([Problem(where=run, message=message)], as_json=as_json)
    raise typer.Exit(exits.BAD_INPUT)


def _report(
    flow: CompiledFlow,
    folder: Path,
    recordings: Recordings,
    validation: Validation,
    reply: WorkflowCreated | WorkflowRefused | None,
    *,
    as_json: bool,
) -> None:
    version = reply.workflow.hash if isinstance(reply, WorkflowCreated) else ""
    refused = [finding_line(one) for one in reply.findings] if isinstance(reply, WorkflowRefused) else []
    if as_json:
        told = {
            "name": flow.name,
            "folder": str(folder),
            "compiled_from": flow.samples,
            "checks": [{"sample_id": one.sample_id, "problems": one.problems} for one in validation.checks],
            "left_to_model": flow.with_model,
            "problems": [*validation.problems, *refused],
            "version": version,
        }
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
        return
    console = Console(highlight=False)
    console.print("\n".join(compiled_lines(flow, folder)), markup=False)
    if validation.checks:
        console.print(checks_table(validation.checks))
    for sample_id, why in recordings.skipped:
        console.print(f"not used: {printable(sample_id)}: {printable(why)}", markup=False)
    problems = [*validation.problems, *refused]
    if problems:
        console.print(f"It stays a draft ({len(problems)} {'reason' if len(problems) == 1 else 'reasons'}):")
        console.print("\n".join(f"  {printable(one)}" for one in problems), markup=False)
    elif version:
        console.print(f"It is in the library as {flow.name}, version {version[:12]}.")
    else:
        console.print("It was checked, and is not in the library (--no-publish).")

"""`exhibit compile`: a flow from recorded samples of a run, checked on those that it has not seen, and on its site."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, NoReturn

import msgspec
import typer

from services.console import exits
from services.console.commands.flows.live import WAY_OUT, LiveOutcome, check_on_site, live_facts
from services.console.commands.workflows.arguments import Author, Library, author_or_user
from services.console.commands.workflows.library import library_settings
from services.console.options import AsJson, EvidenceOfRun, Nats, RunOrZip, load_settings
from services.console.run_location import find_run
from services.console.terminal.flows_view import checks_table, compiled_lines
from services.console.terminal.plain_output import PlainConsole
from shared.client.workflow_calls import create_workflow, get_workflow
from shared.client.workflow_samples import SampleBus, lent_samples
from shared.contracts.discovery import Problem
from shared.contracts.workflows.library import WorkflowCreated, WorkflowRefused, WorkflowShown
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import NoRun, Unreadable
from shared.flows.checking.validation import Validation, compile_checked, split_samples, variables_of
from shared.flows.compiling.compiler import CompiledFlow, NotCompiledError
from shared.flows.files import write_files
from shared.flows.workspace import write_workspace
from shared.host.connections import open_bus
from shared.recordings.from_run import RunRecordings, read_recordings
from shared.recordings.packing import PackedRecordings, pack_recordings, within_limits
from shared.settings import Settings
from shared.task.spec import TaskSpec, check_spec
from shared.text.normal import printable
from shared.workflow_source.wording import finding_line

EXIT_CODES = (
    "Exit codes: 0 it was checked on samples that it had not seen, and is in the library; 1 it stays a draft, with "
    "the reasons; 2 bad input, nothing was compiled; 3 cannot run."
)


@dataclass(frozen=True)
class Compiled:
    """What came of a compile. ``on_site``: None: no live check was due. ``not_kept``: samples beyond the library's
    limits."""

    flow: CompiledFlow
    folder: Path
    validation: Validation
    on_site: LiveOutcome | None = None
    reply: WorkflowCreated | WorkflowRefused | None = None
    not_kept: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        return self.reply.workflow.hash if isinstance(self.reply, WorkflowCreated) else ""

    @property
    def problems(self) -> tuple[str, ...]:
        """Why it is not in the library; empty: nothing speaks against it."""
        live = () if self.on_site is None else self.on_site.problems
        refused = self.reply.findings if isinstance(self.reply, WorkflowRefused) else ()
        return (*self.validation.problems, *live, *map(finding_line, refused))


def compile_(
    run: RunOrZip,
    sample: Annotated[
        list[str] | None, typer.Option(help="Id of a sample to compile from; the others of the run are held out.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the flow. Without: flows/TASK.")] = None,
    name: Annotated[str, typer.Option(help="Name in the library. Without: that of the task.")] = "",
    publish: Annotated[bool, typer.Option(help="Put it into the library once it is checked.")] = True,
    live: Annotated[
        bool, typer.Option("--live/--no-live", help="Do one held-out sample on the site before it is published.")
    ] = True,
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

    async def work() -> Compiled:
        async with open_bus(settings, ("workflows",), "compile") as opened:
            flow, validation = await compile_checked(opened.bus, spec, chosen, held_out, strict=strict)
            given, files = variables_of(flow, chosen[0].row), write_files(flow.files)
            packed = pack_recordings(recordings.record.spec, recordings.samples, flow.samples)
            write_workspace(folder, flow.source, files, variables=given, samples=packed)
            if validation.problems:
                return Compiled(flow, folder, validation)
            on_site = await check_on_site(opened, flow, spec, recordings.samples) if live else None
            if not publish or (on_site is not None and on_site.problems):
                return Compiled(flow, folder, validation, on_site)
            who, kept = author_or_user(author), within_limits(packed)
            run_id = recordings.record.run_id
            reply = await publish_flow(opened.bus, name or flow.name, flow, who, run_id, kept)
            return Compiled(flow, folder, validation, on_site, reply, kept.left_out)

    try:
        compiled = exits.run_async(work(), as_json=as_json)
    except NotCompiledError as exc:
        _refuse(run, str(exc), as_json=as_json)
    _report(compiled, recordings, as_json=as_json)
    if compiled.problems:
        raise typer.Exit(exits.NOT_ALL_DONE)


async def publish_flow(
    bus: SampleBus, name: str, flow: CompiledFlow, author: str, run_id: str, samples: PackedRecordings | None = None
) -> WorkflowCreated | WorkflowRefused:
    """Put a flow into the library with its samples; it takes the place of an earlier version of its name."""
    shown = await get_workflow(bus, name)
    before = shown.workflow.hash if isinstance(shown, WorkflowShown) else ""
    publish = partial(
        *(create_workflow, bus, name, flow.source), author=author, source_run=run_id, files=write_files(flow.files)
    )
    if samples is None:
        return await publish(replace=before)
    async with lent_samples(bus, samples.samples, samples.data) as lent:
        return await publish(replace=before, samples=lent)


def _read(settings: Settings, run: str, named: tuple[str, ...], *, as_json: bool) -> tuple[RunRecordings, TaskSpec]:
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


def _report(compiled: Compiled, recordings: RunRecordings, *, as_json: bool) -> None:
    flow, checks = compiled.flow, compiled.validation.checks
    live = compiled.on_site
    if as_json:
        told = {
            "name": flow.name,
            "folder": str(compiled.folder),
            "compiled_from": flow.samples,
            "checks": [{"sample_id": one.sample_id, "problems": one.problems} for one in checks],
            "live": None if live is None else live_facts(live),
            "left_to_model": flow.with_model,
            "problems": compiled.problems,
            "version": compiled.version,
            "samples_not_kept": compiled.not_kept,
        }
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
        return
    console = PlainConsole(highlight=False)
    console.print("\n".join(compiled_lines(flow, compiled.folder)), markup=False)
    if checks:
        on_site = None if live is None or live.check is None else live.check
        console.print(checks_table(checks, live=on_site))
    if live is not None and live.why:
        console.print(f"not checked live: {printable(live.why)}; the recorded samples speak for it", markup=False)
    for sample_id, why in recordings.skipped:
        console.print(f"not used: {printable(sample_id)}: {printable(why)}", markup=False)
    if compiled.problems:
        count = len(compiled.problems)
        console.print(f"It stays a draft ({count} {'reason' if count == 1 else 'reasons'}):")
        console.print("\n".join(f"  {printable(one)}" for one in compiled.problems), markup=False)
        if live is not None and live.problems:
            console.print(WAY_OUT, markup=False)
    elif isinstance(compiled.reply, WorkflowCreated):
        version = compiled.reply.workflow
        console.print(f"It is in the library as {version.name}, version {version.hash[:12]}.")
        if compiled.not_kept:
            console.print(
                f"Of its samples the library keeps the first; {len(compiled.not_kept)} are in its folder only."
            )
    else:
        console.print("It was checked, and is not in the library (--no-publish).")

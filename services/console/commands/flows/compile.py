"""`exhibit compile`: a flow from recorded samples of a run, checked on those that it has not seen, and on its site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from services.console import exits
from services.console.commands.flows.accepting import AcceptLoss, accepted_fields
from services.console.commands.flows.drift import read_run
from services.console.commands.flows.live import WAY_OUT, LiveOutcome, check_on_site, live_facts
from services.console.commands.workflows.arguments import Author, Library, author_or_user
from services.console.commands.workflows.library import library_settings
from services.console.event_loop import run_async
from services.console.options import AsJson, EvidenceOfRun, Nats, RunOrZip, load_settings
from services.console.outcomes import CommandOutcome
from services.console.terminal.flows_view import checks_table, compiled_lines, support_lines
from shared.contracts.discovery import Problem
from shared.contracts.workflows.library import WorkflowCreated, WorkflowRefused
from shared.errors import RunRejectedError
from shared.flows.checking.into_library import publish_flow
from shared.flows.checking.published import published_flow
from shared.flows.checking.validation import Losses, Validation, compile_checked, split_samples, variables_of
from shared.flows.compiling.compiler import CompiledFlow, NotCompiledError
from shared.flows.compiling.sample_choice import FieldSupport, field_support
from shared.flows.files import write_files
from shared.flows.workspace import write_workspace
from shared.host.connections import open_bus
from shared.recordings.from_run import RunRecordings
from shared.recordings.packing import pack_recordings, within_limits
from shared.settings import Settings
from shared.task.spec import TaskSpec, check_spec
from shared.text.normal import printable
from shared.workflow_source.wording import finding_line


@dataclass(frozen=True)
class Compiled:
    """What came of a compile. ``skipped``: samples that were not used, and why. ``support``: on how many samples each
    field stands. ``on_site``: None: no live check was due. ``not_kept``: samples beyond the library's limits."""

    flow: CompiledFlow
    folder: Path
    validation: Validation
    skipped: Sequence[tuple[str, str]]
    support: Sequence[FieldSupport] = ()
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

    @property
    def exit_code(self) -> int:
        return exits.NOT_ALL_DONE if self.problems else exits.OK

    def to_json(self) -> dict[str, Any]:
        flow, live = self.flow, self.on_site
        checks = [{"sample_id": one.sample_id, "problems": one.problems} for one in self.validation.checks]
        return {
            "name": flow.name,
            "folder": str(self.folder),
            "compiled_from": flow.samples,
            "checks": checks,
            "live": None if live is None else live_facts(live),
            "left_to_model": flow.with_model,
            "fields": {
                one.field: {"shown": len(one.shown), "values": one.values, "of": one.of, "asks_for": one.asks_for}
                for one in self.support
            },
            "lost": {one.field: one.had_by for one in self.validation.lost},
            "problems": self.problems,
            "version": self.version,
            "samples_not_kept": self.not_kept,
        }

    def lines(self) -> Iterator[RenderableType]:
        live = self.on_site
        yield Text("\n".join(compiled_lines(self.flow, self.folder)))
        yield Text("\n".join(support_lines(self.support)))
        if self.validation.checks:
            yield checks_table(self.validation.checks, live=None if live is None else live.check)
        if live is not None and live.why:
            yield Text(f"not checked live: {printable(live.why)}; the recorded samples speak for it")
        for sample_id, why in self.skipped:
            yield Text(f"not used: {printable(sample_id)}: {printable(why)}")
        yield from map(Text, self._ending())

    def _ending(self) -> Iterator[str]:
        if self.problems:
            count = len(self.problems)
            yield f"It stays a draft ({count} {'reason' if count == 1 else 'reasons'}):"
            yield "\n".join(f"  {printable(one)}" for one in self.problems)
            if self.on_site is not None and self.on_site.problems:
                yield WAY_OUT
            if lost := [one.field for one in self.validation.lost if one.field not in self.flow.files.fields.given_up]:
                options = " ".join(f"--accept-loss {name}" for name in lost)
                yield f"Add samples that show {', '.join(lost)}; or accept that it is not brought any more: {options}"
        elif isinstance(self.reply, WorkflowCreated):
            version = self.reply.workflow
            yield f"It is in the library as {version.name}, version {version.hash[:12]}."
            if self.not_kept:
                yield f"Of its samples the library keeps the first; {len(self.not_kept)} are in its folder only."
        else:
            yield "It was checked, and is not in the library (--no-publish)."


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
    accept_loss: AcceptLoss = None,
    author: Author = "",
    library: Library = None,
    evidence: EvidenceOfRun = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Compile a flow from samples of a run, and check it on the samples that were held out."""
    settings = library_settings(nats, library)
    recordings, spec = _read(load_settings(nats, evidence), run, tuple(sample or ()))
    accepted = accepted_fields(spec, accept_loss)
    chosen, held_out = split_samples(spec, recordings.samples, sample or ())
    support = field_support(spec, recordings.samples)
    folder = out or Path("flows") / (name or spec.task_id)

    async def work() -> Compiled:
        async with open_bus(settings, ("workflows",), "compile") as opened:
            losses = Losses(accepted, await published_flow(opened.bus, name or spec.task_id))
            flow, validation = await compile_checked(
                *(opened.bus, spec, chosen, held_out), strict=strict, losses=losses
            )
            given, files = variables_of(flow, chosen[0].row), write_files(flow.files)
            packed = pack_recordings(recordings.record.spec, recordings.samples, flow.samples)
            write_workspace(folder, flow.source, files, variables=given, samples=packed)
            if validation.problems:
                return Compiled(flow, folder, validation, recordings.skipped, support)
            on_site = await check_on_site(opened, flow, spec, recordings.samples) if live else None
            if not publish or (on_site is not None and on_site.problems):
                return Compiled(flow, folder, validation, recordings.skipped, support, on_site)
            who, kept = author_or_user(author), within_limits(packed)
            run_id = recordings.record.run_id
            lost = sorted(one.field for one in validation.lost)
            reply = await publish_flow(opened.bus, name or flow.name, flow, who, run_id, kept, accepted_losses=lost)
            return Compiled(flow, folder, validation, recordings.skipped, support, on_site, reply, kept.left_out)

    try:
        return run_async(work())
    except NotCompiledError as exc:
        raise exits.refused(run, str(exc)) from exc


def _read(settings: Settings, run: str, named: tuple[str, ...]) -> tuple[RunRecordings, TaskSpec]:
    """Return the recorded samples of the run, and its task. Raises RunRejectedError with what is wrong."""
    recordings = read_run(settings, run)
    spec, problems = check_spec(recordings.record.spec)
    if spec is None:
        raise RunRejectedError(problems)
    if spec.phase == "discovery":
        raise exits.refused(run, "its task finds samples; a flow is compiled from a task that works on them")
    known = {one.sample_id for one in recordings.samples}
    skipped = dict(recordings.skipped)
    unknown = [Problem(where="--sample", message=f"{one}: {skipped.get(one, 'there is no such sample')}")
               for one in named if one not in known]  # fmt: skip
    if unknown:
        raise RunRejectedError(unknown)
    return recordings, spec

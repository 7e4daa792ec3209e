"""`exhibit flows check`: run a flow on its recorded samples again, offline, and say what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from services.console import exits
from services.console.commands.workflows.arguments import Library
from services.console.commands.workflows.library import library_settings
from services.console.event_loop import run_async
from services.console.options import AsJson, Nats
from services.console.outcomes import CommandOutcome
from services.console.terminal.flows_view import checks_table, unvaried_lines
from shared.client.workflow_calls import get_workflow, load_history
from shared.client.workflow_samples import load_samples
from shared.contracts.workflows.flows import BeginFlow
from shared.contracts.workflows.library import WorkflowUnknown, WorkflowVersion
from shared.contracts.workflows.samples import SampleSet
from shared.errors import RunRejectedError
from shared.flows.checking.recorded_answers import SampleCheck
from shared.flows.checking.validation import check_flow
from shared.flows.compiling.sample_choice import FieldSupport, field_support
from shared.flows.files import parse_files
from shared.flows.variables import typed_row
from shared.flows.workspace import read_sample_set, read_workspace
from shared.host.connections import open_bus
from shared.recordings.packing import checked_recording
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec, check_spec

if TYPE_CHECKING:
    from shared.bus.nats_bus import Bus

USES = {"compiled_from": "compiled from", "held_out": "held out"}


@dataclass(frozen=True)
class FlowWithSamples:
    """``hash``: of a version of the library; empty: a folder's, of which ``source`` is run."""

    name: str
    hash: str
    source: str
    files: dict[str, str]
    told: SampleSet
    samples: tuple[Recording, ...]

    def begin(self, sample: Recording) -> BeginFlow:
        variables = typed_row(parse_files(self.files).variables, sample.row)
        if self.hash:
            return BeginFlow(name=self.name, hash=self.hash, variables=variables)
        return BeginFlow(name=self.name, source=self.source, files=self.files, variables=variables)


@dataclass(frozen=True)
class CheckedFlow:
    """What came of each sample of a flow. ``support``: on how many samples each field stands."""

    flow: FlowWithSamples
    checks: Sequence[SampleCheck]
    support: Sequence[FieldSupport] = ()

    @property
    def exit_code(self) -> int:
        return exits.NOT_ALL_DONE if self._differs else exits.OK

    def to_json(self) -> dict[str, Any]:
        uses = self._uses
        checks = [
            {
                "sample_id": one.sample_id,
                "use": uses[one.sample_id],
                "problems": one.problems,
                "model_calls": one.model_calls,
            }
            for one in self.checks
        ]
        equal = len(checks) - self._differs
        return {
            "name": self.flow.name,
            "version": self.flow.hash,
            "checks": checks,
            "equal": equal,
            "differs": self._differs,
            "unvaried": self._unvaried,
        }

    def lines(self) -> Iterator[RenderableType]:
        uses = self._uses
        for use, title in USES.items():
            rows = [one for one in self.checks if uses[one.sample_id] == use]
            if rows:
                yield from (checks_table(rows, title), "")
        version = f", version {self.flow.hash[:12]}" if self.flow.hash else ""
        equal = len(self.checks) - self._differs
        same = f"{equal} of {len(self.checks)} recorded samples are done and found the same"
        yield Text(f"{self.flow.name}{version}: {same}, without a model.")
        yield from map(Text, unvaried_lines(self._unvaried))

    @property
    def _unvaried(self) -> list[str]:
        return [one.field for one in self.support if one.is_unvaried]

    @property
    def _uses(self) -> dict[str, str]:
        return {one.sample_id: one.use for one in self.flow.told.samples}

    @property
    def _differs(self) -> int:
        return sum(bool(one.problems) for one in self.checks)


def check(
    flow: Annotated[str, typer.Argument(help="Name of a flow in the library, NAME@HASH, or its folder.")],
    hash: Annotated[str, typer.Option("--hash", help="An old version of the library, by its hash.")] = "",
    library: Library = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Run a flow on its recorded samples again, without a browser and without a model, and say what differs."""

    async def work() -> tuple[FlowWithSamples, list[SampleCheck], tuple[FieldSupport, ...]]:
        async with open_bus(library_settings(nats, library), ("workflows",), "check") as opened:
            found = _from_folder(Path(flow)) if _is_folder(flow, hash) else await _from_library(opened.bus, flow, hash)
            spec = _spec_of(flow, found.told)
            try:
                files = parse_files(found.files)
            except ValueError as exc:
                raise exits.refused(flow, str(exc)) from exc
            checks = [await check_flow(opened.bus, found.begin(one), files, spec, one) for one in found.samples]
        return found, checks, field_support(spec, found.samples)

    return CheckedFlow(*run_async(work()))


def _is_folder(flow: str, hash: str) -> bool:
    if not Path(flow).is_dir():
        return False
    if hash:
        raise exits.refused("--hash", f"{flow} is a folder, which has one version")
    return True


def _from_folder(folder: Path) -> FlowWithSamples:
    try:
        source, files = read_workspace(folder)
        found = read_sample_set(folder)
    except (OSError, ValueError) as exc:
        raise exits.refused(str(folder), str(exc)) from exc
    if found is None:
        raise exits.refused(
            str(folder), "it does not say which samples it is checked with: `exhibit compile` writes them"
        )
    return FlowWithSamples(folder.resolve().name, "", source, files, found[0], tuple(found[1]))


async def _from_library(bus: Bus, name: str, hash: str) -> FlowWithSamples:
    wanted = f"{name.partition('@')[0]}@{hash}" if hash else name
    shown = await get_workflow(bus, wanted)
    if isinstance(shown, WorkflowUnknown):
        raise exits.refused(name, shown.message)
    version = shown.workflow
    loaded = await load_samples(bus, f"{version.name}@{version.hash}")
    if isinstance(loaded, WorkflowUnknown):
        raise exits.refused(name, loaded.message)
    if loaded.told is None:
        raise exits.refused(name, await _no_samples(bus, version))
    try:
        samples = tuple(checked_recording(one, loaded.data[one.sha256]) for one in loaded.told.samples)
    except ValueError as exc:
        raise exits.refused(name, str(exc)) from exc
    return FlowWithSamples(version.name, version.hash, shown.source, shown.files, loaded.told, samples)


async def _no_samples(bus: Bus, version: WorkflowVersion) -> str:
    message = f"no recorded samples are kept with version {version.hash[:12]} of {version.author or 'somebody'}"
    history = await load_history(bus, version.name)
    last = next((one.version for one in reversed(history) if one.version.samples), None)
    if last is None:
        return f"{message}: `exhibit compile RUN` publishes a version with its samples"
    return f"{message}; the last one with samples is {last.hash[:12]}: --hash {last.hash[:12]}"


def _spec_of(flow: str, told: SampleSet) -> TaskSpec:
    spec, problems = check_spec(told.spec)
    if spec is None:
        raise RunRejectedError(problems)
    if not told.samples:
        raise exits.refused(flow, "there is no sample in it")
    return spec

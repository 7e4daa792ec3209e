"""`exhibit flows check`: run a flow on its recorded samples again, offline, and say what differs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from services.console import exits
from services.console.commands.workflows.arguments import Library
from services.console.commands.workflows.library import library_settings
from services.console.options import AsJson, Nats
from services.console.terminal.flows_view import checks_table
from services.console.terminal.plain_output import PlainConsole
from shared.bus.nats_bus import Bus
from shared.client import RunRejectedError
from shared.client.workflow_calls import get_workflow, load_history
from shared.client.workflow_samples import load_samples
from shared.contracts.discovery import Problem
from shared.contracts.workflows.flows import BeginFlow
from shared.contracts.workflows.library import WorkflowUnknown, WorkflowVersion
from shared.contracts.workflows.samples import SampleSet
from shared.flows.checking.recorded_answers import SampleCheck
from shared.flows.checking.validation import check_flow
from shared.flows.files import parse_files
from shared.flows.variables import typed_row
from shared.flows.workspace import read_sample_set, read_workspace
from shared.host.connections import open_bus
from shared.recordings.packing import checked_recording
from shared.recordings.recording import Recording
from shared.task.spec import TaskSpec, check_spec

EXIT_CODES = "Exit codes: 0 all equal; 1 something differs; 2 bad input: no such flow, or no samples; 3 cannot run."
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


def check(
    flow: Annotated[str, typer.Argument(help="Name of a flow in the library, NAME@HASH, or its folder.")],
    hash: Annotated[str, typer.Option("--hash", help="An old version of the library, by its hash.")] = "",
    library: Library = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> None:
    """Run a flow on its recorded samples again, without a browser and without a model, and say what differs."""

    async def work() -> tuple[FlowWithSamples, list[SampleCheck]]:
        async with open_bus(library_settings(nats, library), ("workflows",), "check") as opened:
            found = _from_folder(Path(flow)) if _is_folder(flow, hash) else await _from_library(opened.bus, flow, hash)
            spec = _spec_of(flow, found.told)
            try:
                files = parse_files(found.files)
            except ValueError as exc:
                raise _rejected(flow, str(exc)) from exc
            checks = [await check_flow(opened.bus, found.begin(one), files, spec, one) for one in found.samples]
        return found, checks

    found, checks = exits.run_async(work(), as_json=as_json)
    _report(found, checks, as_json=as_json)
    if any(one.problems for one in checks):
        raise typer.Exit(exits.NOT_ALL_DONE)


def _is_folder(flow: str, hash: str) -> bool:
    if not Path(flow).is_dir():
        return False
    if hash:
        raise _rejected("--hash", f"{flow} is a folder, which has one version")
    return True


def _from_folder(folder: Path) -> FlowWithSamples:
    try:
        source, files = read_workspace(folder)
        found = read_sample_set(folder)
    except (OSError, ValueError) as exc:
        raise _rejected(str(folder), str(exc)) from exc
    if found is None:
        raise _rejected(str(folder), "it does not say which samples it is checked with: `exhibit compile` writes them")
    return FlowWithSamples(folder.resolve().name, "", source, files, found[0], tuple(found[1]))


async def _from_library(bus: Bus, name: str, hash: str) -> FlowWithSamples:
    wanted = f"{name.partition('@')[0]}@{hash}" if hash else name
    shown = await get_workflow(bus, wanted)
    if isinstance(shown, WorkflowUnknown):
        raise _rejected(name, shown.message)
    version = shown.workflow
    loaded = await load_samples(bus, f"{version.name}@{version.hash}")
    if isinstance(loaded, WorkflowUnknown):
        raise _rejected(name, loaded.message)
    if loaded.told is None:
        raise _rejected(name, await _no_samples(bus, version))
    try:
        samples = tuple(checked_recording(one, loaded.data[one.sha256]) for one in loaded.told.samples)
    except ValueError as exc:
        raise _rejected(name, str(exc)) from exc
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
        raise _rejected(flow, "there is no sample in it")
    return spec


def _rejected(where: str, message: str) -> RunRejectedError:
    return RunRejectedError([Problem(where=where, message=message)])


def _report(found: FlowWithSamples, checks: list[SampleCheck], *, as_json: bool) -> None:
    uses = {one.sample_id: one.use for one in found.told.samples}
    differs = sum(bool(one.problems) for one in checks)
    if as_json:
        told = {
            "name": found.name,
            "version": found.hash,
            "checks": [
                {
                    "sample_id": one.sample_id,
                    "use": uses[one.sample_id],
                    "problems": one.problems,
                    "model_calls": one.model_calls,
                }
                for one in checks
            ],
            "equal": len(checks) - differs,
            "differs": differs,
        }
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
        return
    console = PlainConsole(highlight=False)
    for use, title in USES.items():
        rows = [one for one in checks if uses[one.sample_id] == use]
        if rows:
            console.print(checks_table(rows, title))
            console.print()
    version = f", version {found.hash[:12]}" if found.hash else ""
    same = f"{len(checks) - differs} of {len(checks)} recorded samples are done and found the same"
    console.print(f"{found.name}{version}: {same}, without a model.", markup=False)

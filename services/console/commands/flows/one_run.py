"""`exhibit flows run`: a flow of the library on one set of values, as a run of one sample."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.console import exits
from services.console.commands.flows.set_values import parse_pairs, row_of, task_of_row
from services.console.commands.run.run import user_name
from services.console.commands.workflows.arguments import Library, NameAndVersion
from services.console.event_loop import run_async
from services.console.options import AsJson, Evidence, Nats, load_settings
from services.console.outcomes import CommandOutcome, ErrorLine
from services.console.run_location import remember_run
from shared.client.workflow_calls import get_workflow, load_history
from shared.client.workflow_samples import load_samples
from shared.contracts.evidence import RunFinished
from shared.contracts.planner import SampleFinished
from shared.contracts.workflows.library import WorkflowShown, WorkflowUnknown
from shared.errors import PermanentError, RunRejectedError
from shared.flows.files import is_flow, parse_files
from shared.host.connections import open_client
from shared.settings import Settings
from shared.task.spec import TaskSpec, check_spec
from shared.text.normal import printable

if TYPE_CHECKING:
    from shared.client import Client


@dataclass(frozen=True)
class FlowRan:
    """What came of it. ``location``: of the evidence."""

    name: str
    version: str
    finished: SampleFinished
    location: str

    @property
    def exit_code(self) -> int:
        return exits.OK if self.finished.status == "done" else exits.NOT_ALL_DONE

    @property
    def outputs(self) -> dict[str, Any]:
        return {one.field: one.value for one in self.finished.values}

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "version": self.version,
            "run_id": self.finished.run_id,
            "status": self.finished.status,
            "reason": self.finished.reason,
            "message": self.finished.message,
            "outputs": self.outputs,
            "drivers": self.finished.drivers,
            "evidence": self.location,
        }

    def lines(self) -> Iterator[str]:
        for name, value in self.outputs.items():
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield printable(f"{name}: {shown}")
        if self.finished.status != "done":
            yield ErrorLine(printable(f"exhibit: {self.finished.status}: {self.finished.message}"))
        yield printable(f"The evidence is in {self.location}")


def run_flow(
    name: NameAndVersion,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", help='A value of the flow as NAME=VALUE, such as "Medical License=A-1".'),
    ] = None,
    evidence: Evidence = None,
    library: Library = None,
    nats: Nats = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Run a flow of the library on one set of values, and keep the evidence. No file of rows and no spec is needed."""
    settings = load_settings(nats, evidence)
    if library is not None:
        settings = settings.model_copy(update={"workflows_dir": library})
    values, problems = parse_pairs(given or ())
    if problems:
        raise RunRejectedError(problems)
    return run_async(_run(settings, name, values))


async def _run(settings: Settings, name: str, values: Mapping[str, str]) -> FlowRan:
    async with open_client(settings) as client:
        shown, data, spec = await _flow_and_task(client, name)
        try:
            variables = parse_files(shown.files).variables
        except ValueError as exc:
            raise exits.refused(name, str(exc)) from exc
        row, problems = row_of(spec, variables, values)
        if problems:
            raise RunRejectedError(problems)
        task = task_of_row(data, spec, row, name)
        accepted = await client.submit(task, rows=[row], mode="flow", requested_by=user_name())
        remember_run(settings, accepted.run_id)
        finished, closed = await _result_of(client, accepted.run_id)
    return FlowRan(shown.workflow.name, shown.workflow.hash, finished, closed.location)


async def _result_of(client: Client, run_id: str) -> tuple[SampleFinished, RunFinished]:
    result: SampleFinished | None = None
    async with aclosing(client.watch(run_id)) as events:
        async for event in events:
            if isinstance(event, SampleFinished):
                result = event
            elif isinstance(event, RunFinished) and result is not None:
                return result, event
    raise PermanentError(f"{run_id} ended without a result of its sample", code="no_run")


async def _flow_and_task(client: Client, name: str) -> tuple[WorkflowShown, dict[str, Any], TaskSpec]:
    """Return the flow, and the spec of the task that it was compiled for: it is kept with the recorded samples, and
    with those of an earlier version where somebody has edited the flow since."""
    shown = await get_workflow(client.bus, name)
    if isinstance(shown, WorkflowUnknown):
        raise exits.refused(name, shown.message)
    version = shown.workflow
    if not is_flow(shown.source, shown.files):
        raise exits.refused(name, f"it is no flow: exhibit workflows run {version.name} --arg NAME=VALUE runs it")
    if not version.samples:
        history = await load_history(client.bus, version.name)
        version = next((one.version for one in reversed(history) if one.version.samples), version)
    loaded = await load_samples(client.bus, f"{version.name}@{version.hash}")
    if isinstance(loaded, WorkflowUnknown) or loaded.told is None:
        raise exits.refused(
            name,
            "no task is known of it, because it was not compiled from samples: "
            f"exhibit workflows run {version.name} --arg NAME=VALUE runs it without evidence",
        )
    spec, problems = check_spec(loaded.told.spec)
    if spec is None:
        raise RunRejectedError(problems)
    return shown, loaded.told.spec, spec

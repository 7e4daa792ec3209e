"""Compiles the flow of a run once two of its samples are done, checks it on them, and puts it into the library. Where
these do not show every field, a few more are waited for.

The events of samples are delivered one at a time over all processes of this service, and again where one was cut off:
so a run has one compilation at a time, and it ends. What it has come to is in the record of the run's flow.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from services.workflows.run_flows.compile_progress import (
    after_sample,
    as_compiled,
    as_failed,
    asking_for,
    begun,
    is_ready,
    may_ask_more,
)
from services.workflows.run_flows.run_task import load_task
from shared.bus.ports import Asks, Blobs, Records
from shared.client.workflow_calls import create_workflow, get_workflow
from shared.client.workflow_samples import lent_samples
from shared.contracts.planner import SampleFinished
from shared.contracts.workflows.library import WorkflowCreated, WorkflowShown
from shared.contracts.workflows.run_flows import RunFlow
from shared.errors import PermanentError
from shared.flows.checking.validation import Validation, validate_flow
from shared.flows.compiling.compiler import CompiledFlow, NotCompiledError, compile_flow
from shared.flows.compiling.sample_choice import field_support
from shared.flows.files import write_files
from shared.recordings.from_bus import load_recording
from shared.recordings.packing import pack_recordings, within_limits
from shared.recordings.recording import Recording, why_not_compiled
from shared.streams import RUN_FLOWS
from shared.task.spec import TaskSpec
from shared.workflow_source.wording import finding_line

log = logging.getLogger(__name__)

AUTHOR = "exhibit run"
KEPT_RUNS = 512
MAX_TOLD = 3
"""Reasons in the summary of a run; all of them are in the log."""


class CompilerBus(Asks, Blobs, Records, Protocol):
    """What compiling uses of the bus."""


class RunCompiler:
    """``over``: runs that compile nothing, or nothing any more, so that their samples cost no look at the bus."""

    def __init__(self, bus: CompilerBus) -> None:
        self._bus = bus
        self._over: dict[str, None] = {}

    async def learn(self, finished: SampleFinished) -> None:
        """Take note of a sample that has ended, and compile the flow of its run when it can be. Idempotent.

        Raises TransientError where evidence or the library cannot be asked now: the event is delivered again.
        """
        run_id = finished.run_id
        if run_id in self._over:
            return
        record = await self._bus.read(RUN_FLOWS, run_id, RunFlow)
        if record is None:
            return
        if record.state == "learning":
            record = await self._change(run_id, lambda known: after_sample(known, finished))
        if is_ready(record):
            record = await self._change(run_id, begun)
        if is_ready(record):
            record = await self._compile(run_id, record)
        if record.state != "learning":
            self._over[run_id] = None
            if len(self._over) > KEPT_RUNS:
                del self._over[next(iter(self._over))]

    async def _compile(self, run_id: str, record: RunFlow) -> RunFlow:
        try:
            change = await self._compiled(run_id, record)
        except (PermanentError, NotCompiledError) as exc:
            change = _failing(str(exc))
        record = await self._change(run_id, change)
        log.info("the flow of %s: %s %s@%s", run_id, record.state, record.name, record.hash[:12])
        return record

    async def _compiled(self, run_id: str, record: RunFlow) -> Callable[[RunFlow], RunFlow]:
        """Return the change of the record that the compilation has come to."""
        written, spec = await load_task(self._bus, run_id)
        samples = [await load_recording(self._bus, self._bus, run_id, one) for one in record.done]
        spoilt = [one.sample_id for one in samples if why_not_compiled(one.status, one.reason)]
        if spoilt:  # as evidence found when it stored their files
            return _failing(f"{' and '.join(spoilt)} is not done after all")
        taken = await get_workflow(self._bus, spec.task_id)
        if isinstance(taken, WorkflowShown):  # by an attempt that was cut off, or by another run of the task
            return lambda known: as_compiled(known, taken.workflow.name, taken.workflow.hash)
        flow, validation = await compile_for_run(self._bus, spec, samples)
        if (lacking := lacking_fields(spec, samples, flow)) and may_ask_more(record):
            log.info("the flow of %s waits for a sample that shows more fields: %d", run_id, len(lacking))
            return lambda known: asking_for(known, lacking)
        if validation.problems:
            log.warning("the flow of %s stays a draft; problems: %d", run_id, len(validation.problems))
            return _failing(problems_text(validation.problems))
        packed = within_limits(pack_recordings(written, samples, flow.samples))
        async with lent_samples(self._bus, packed.samples, packed.data) as lent:
            made = await create_workflow(
                *(self._bus, flow.name, flow.source),
                author=AUTHOR,
                source_run=run_id,
                files=write_files(flow.files),
                samples=lent,
            )
        if isinstance(made, WorkflowCreated):
            return lambda known: as_compiled(known, made.workflow.name, made.workflow.hash)
        return _failing(problems_text(tuple(finding_line(one) for one in made.findings)))

    async def _change(self, run_id: str, change: Callable[[RunFlow], RunFlow]) -> RunFlow:
        """Return the record as it is after the change."""

        def changed(known: RunFlow | None) -> RunFlow | None:
            after = change(known) if known is not None else None
            return None if after is known else after

        stored = await self._bus.modify(RUN_FLOWS, run_id, RunFlow, changed)
        stored = stored or await self._bus.read(RUN_FLOWS, run_id, RunFlow)
        if stored is None:
            raise PermanentError(f"there is no record of the flow of {run_id}", code="unknown_run")
        return stored


async def compile_for_run(asks: Asks, spec: TaskSpec, samples: list[Recording]) -> tuple[CompiledFlow, Validation]:
    """Return the flow of these samples, and how it does on their stored pages.

    No sample is held out: each sample that it does later is checked by the gates, and goes to the planner where the
    flow does not fit. Raises NotCompiledError.
    """
    flow = await asyncio.to_thread(compile_flow, spec, samples)
    validation = await validate_flow(asks, flow, spec, samples)
    if set(flow.with_model) >= set(spec.output_schema):
        validation = replace(validation, differs=(*validation.differs, "no rule expresses any of its fields"))
    return flow, validation


def lacking_fields(spec: TaskSpec, samples: list[Recording], flow: CompiledFlow) -> tuple[str, ...]:
    """Return the fields that no sample shows, or that these samples do not teach."""
    support = field_support(spec, samples)
    return tuple(one.field for one in support if not one.shown or one.field in flow.with_model)


def problems_text(problems: tuple[str, ...]) -> str:
    more = len(problems) - MAX_TOLD
    return "; ".join(problems[:MAX_TOLD]) + (f"; and {more} more" if more > 0 else "")


def _failing(reason: str) -> Callable[[RunFlow], RunFlow]:
    return lambda known: as_failed(known, reason)

"""A flow that was checked, put into the library with its samples."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shared.client.workflow_calls import create_workflow, get_workflow
from shared.client.workflow_samples import SampleBus, lent_samples
from shared.contracts.workflows.library import WorkflowCreated, WorkflowRefused, WorkflowShown
from shared.flows.compiling.compiler import CompiledFlow
from shared.flows.files import write_files
from shared.recordings.packing import PackedRecordings


async def publish_flow(
    bus: SampleBus,
    name: str,
    flow: CompiledFlow,
    author: str,
    run_id: str,
    samples: PackedRecordings | None = None,
    *,
    accepted_losses: Sequence[str] = (),
) -> WorkflowCreated | WorkflowRefused:
    """Put a flow into the library with its samples; it takes the place of an earlier version of its name."""
    shown = await get_workflow(bus, name)
    before = shown.workflow.hash if isinstance(shown, WorkflowShown) else ""
    publish = partial(
        *(create_workflow, bus, name, flow.source),
        author=author,
        source_run=run_id,
        files=write_files(flow.files),
        accepted_losses=accepted_losses,
    )
    if samples is None:
        return await publish(replace=before)
    async with lent_samples(bus, samples.samples, samples.data) as lent:
        return await publish(replace=before, samples=lent)

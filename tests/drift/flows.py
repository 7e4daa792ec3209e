"""Flows of the practice families: compiled on the plain site from a few samples, then run on changed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from practice.comparing import Same, rows_of
from practice.drift import Drift, drifted
from shared.client import Client
from shared.contracts.discovery import RunMode
from shared.contracts.workflows.heals import FlowHealing
from shared.contracts.workflows.library import WorkflowCreated, WorkflowVersion
from shared.evidence_format.sources.folder import FolderSource
from shared.flows.checking.into_library import publish_flow
from shared.flows.checking.validation import compile_checked
from shared.host.services import run_embedded
from shared.recordings.from_run import read_recordings
from shared.recordings.packing import pack_recordings
from shared.recordings.recording import Recording
from shared.settings import Settings
from shared.streams import FLOW_HEALS
from shared.task.spec import TaskSpec, check_spec
from tests.drift.outcomes import Expectation, Outcome, outcomes_of
from tests.end_to_end.family_runs import written

Rows = Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class Subject:
    """A family as it is measured. ``rows``: input of the samples, ``truth``: their expected columns, in the same order.

    ``learned``: the number of recorded rows that the flow is compiled from; the others check it. ``ended``: statuses,
    each with its reason, of a sample that is right. ``same``: columns that may be worded in another way. ``fresh``:
    opens the site as it is before anything was sent to it. ``done_wrongly``: what samples of the run in this folder did
    to the site that their rows do not say, by sample, whatever they ended with."""

    name: str
    spec: dict[str, Any]
    recorded: Rows
    rows: Rows
    truth: Sequence[Mapping[str, str]]
    learned: int = 2
    ended: tuple[str, ...] = ("done",)
    same: Mapping[str, Same] = field(default_factory=dict[str, Same])
    fresh: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    done_wrongly: Callable[[Path], Mapping[str, Sequence[str]]] = lambda folder: {}


async def run(client: Client, spec: dict[str, Any], rows: Rows, mode: RunMode | None = None) -> Path:
    """Return the folder of a run that asked no model."""
    accepted = await client.submit(spec, file=("rows.csv", written([dict(row) for row in rows])), mode=mode)
    finished = await client.result(accepted.run_id)
    assert finished.llm_calls == 0
    return Path(finished.location)


@dataclass(frozen=True)
class Compiled:
    """A published flow. Its samples are kept with it."""

    spec: TaskSpec
    version: WorkflowVersion


async def compile_on_plain_site(client: Client, subject: Subject) -> Compiled:
    """Record samples by rules, compile a flow of the first of them, and publish it."""
    return await publish_compiled(client, subject, await record_on_plain_site(client, subject))


async def record_on_plain_site(client: Client, subject: Subject) -> list[Recording]:
    """Return the samples that a flow is compiled from, worked out by rules, in the order of their rows."""
    folder = await run(client, {**subject.spec, "workflow": "off"}, subject.recorded)
    order = [dict(row) for row in subject.recorded]
    samples = read_recordings(FolderSource(folder)).samples
    return sorted(samples, key=lambda one: next(at for at, row in enumerate(order) if row.items() <= one.row.items()))


async def publish_compiled(client: Client, subject: Subject, samples: Sequence[Recording]) -> Compiled:
    """Compile a flow of the first samples, check it on the others, and publish it with all of them."""
    checked, problems = check_spec(subject.spec)
    assert checked is not None, problems
    flow, validation = await compile_checked(
        client.bus, checked, samples[: subject.learned], samples[subject.learned :]
    )
    assert validation.problems == (), validation.problems
    packed = pack_recordings(subject.spec, samples, flow.samples)
    published = await publish_flow(client.bus, checked.task_id, flow, "test", "run_1", packed)
    assert isinstance(published, WorkflowCreated)
    return Compiled(checked, published.workflow)


async def measure(
    settings: Settings, subject: Subject, drifts: Sequence[Drift], mode: RunMode | None = None
) -> list[Outcome]:
    """Return what becomes of the samples on the plain site and with each drift. The flow stays as it was compiled."""
    async with run_embedded(settings) as client:
        with drifted(Drift()):
            async with subject.fresh():
                flow = await compile_on_plain_site(client, subject)
        await keep_as_compiled(client, flow)
        return await run_drifted(client, subject, (Drift(), *drifts), mode)


async def run_drifted(
    client: Client, subject: Subject, drifts: Sequence[Drift], mode: RunMode | None = None
) -> list[Outcome]:
    """Return what becomes of the samples with each drift, by the flow of the library."""
    found: list[Outcome] = []
    for drift in drifts:
        with drifted(drift):
            async with subject.fresh():
                folder = await run(client, subject.spec, subject.rows, mode)
        found += outcomes_of(subject.name, drift, folder, _expectations(subject, folder))
    return found


async def keep_as_compiled(client: Client, flow: Compiled) -> None:
    """See to it that no version comes of what samples find, so that each drift is met by the flow of the plain site."""
    refused = FlowHealing(state="refused", reason="the flow is measured as it was compiled")
    assert await client.bus.create(FLOW_HEALS, flow.version.hash, refused)


def _expectations(subject: Subject, folder: Path) -> dict[str, Expectation]:
    wrongly = subject.done_wrongly(folder)
    return {
        one["sample_id"]: Expectation(
            subject.truth[int(one["row"]) - 1], subject.ended, subject.same, tuple(wrongly.get(one["sample_id"], ()))
        )
        for one in rows_of(folder / "combined.csv")
    }


def told(outcomes: Sequence[Outcome]) -> str:
    """Return why flows stopped or were wrong, a line a sample."""
    return "\n".join(f"{o.family} {o.drift} {o.sample_id} {o.verdict}: {o.why[:400]}" for o in outcomes if o.why)

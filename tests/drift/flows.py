"""Flows of the practice families: compiled on the plain site from a few samples, then run with each switch alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from practice.comparing import rows_of
from practice.drift import VARIABLE
from services.console.commands.flows.compile import publish_flow
from shared.client import Client
from shared.contracts.workflows.library import WorkflowCreated, WorkflowVersion
from shared.evidence_format.sources.folder import FolderSource
from shared.flows.checking.sample_sets import pack_samples
from shared.flows.checking.validation import compile_checked
from shared.flows.compiling.reading import read_recordings
from shared.host.services import run_embedded
from shared.settings import Settings
from shared.task.spec import TaskSpec, check_spec
from tests.drift.outcomes import Outcome, outcomes_of
from tests.end_to_end.family_runs import written

Rows = Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class Subject:
    """A family as it is measured. ``rows``: input of the samples, ``truth``: their expected columns, in the same order.

    ``learned``: the number of recorded rows that the flow is compiled from; the others check it. ``ended``: statuses,
    each with its reason, of a sample that is right."""

    name: str
    spec: dict[str, Any]
    recorded: Rows
    rows: Rows
    truth: Sequence[Mapping[str, str]]
    learned: int = 2
    ended: tuple[str, ...] = ("done",)


async def run(client: Client, spec: dict[str, Any], rows: Rows) -> Path:
    """Return the folder of a run that asked no model."""
    accepted = await client.submit(spec, file=("rows.csv", written([dict(row) for row in rows])))
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
    folder = await run(client, {**subject.spec, "workflow": "off"}, subject.recorded)
    order = [dict(row) for row in subject.recorded]
    samples = read_recordings(FolderSource(folder)).samples
    samples = sorted(
        samples, key=lambda one: next(at for at, row in enumerate(order) if row.items() <= one.row.items())
    )
    checked, problems = check_spec(subject.spec)
    assert checked is not None, problems
    flow, validation = await compile_checked(
        client.bus, checked, samples[: subject.learned], samples[subject.learned :]
    )
    assert validation.problems == ()
    packed = pack_samples(subject.spec, samples, flow.samples)
    published = await publish_flow(client.bus, checked.task_id, flow, "test", "run_1", packed)
    assert isinstance(published, WorkflowCreated)
    return Compiled(checked, published.workflow)


async def measure(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, subject: Subject, switches: Sequence[str]
) -> list[Outcome]:
    """Return what becomes of the samples with each switch alone; ``""`` is the plain site."""
    found: list[Outcome] = []
    monkeypatch.delenv(VARIABLE, raising=False)
    async with run_embedded(settings) as client:
        await compile_on_plain_site(client, subject)
        for switch in switches:
            monkeypatch.setenv(VARIABLE, switch)
            folder = await run(client, subject.spec, subject.rows)
            table = rows_of(folder / "combined.csv")
            truth = {one["sample_id"]: subject.truth[int(one["row"]) - 1] for one in table}
            found += outcomes_of(subject.name, switch or "(plain)", folder, truth, subject.ended)
    return found


def told(outcomes: Sequence[Outcome]) -> str:
    """Return why flows stopped or were wrong, a line a sample."""
    return "\n".join(f"{o.family} {o.switch} {o.sample_id} {o.verdict}: {o.why[:400]}" for o in outcomes if o.why)

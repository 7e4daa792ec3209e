"""The handlers of discovery on a bus in memory, with an evidence service that gives one fixed answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from services.discovery.deps import DiscoveryDeps
from shared.bus.actor import Actor
from shared.bus.nats_bus import Bus
from shared.contracts.codes import Status
from shared.contracts.discovery import (
    PopulationClosed,
    RunRecord,
    RunRejected,
    RunStarted,
    Sample,
    SampleFound,
    SubmitReply,
)
from shared.contracts.evidence import LoadedSample, LoadReply, LoadRun, RunFinished, RunLoaded, RunUnknown
from shared.contracts.planner import CheckPlanner, PlannerChecked, WorkSample
from shared.subjects import CHECK_PLANNER, LOAD_RUN
from shared.tables.excel import open_workbook
from shared.testing.bus import MemoryBus

NOW = datetime(2026, 11, 21, 8, 1, 2, tzinfo=UTC)
SPEC = {
    "task_id": "tickets",
    "goal": "read it",
    "input_schema": {"number": "string", "url": "string"},
    "sample_id": "{number}",
    "output_schema": {"number": "string"},
}
ROWS = ({"number": "T-1", "url": "http://x/1"}, {"number": "T-2", "url": "http://x/2"})
PUBLISHED = (RunStarted, SampleFound, PopulationClosed, WorkSample)


def knowing_nothing(bus: MemoryBus) -> MemoryBus:
    bus.host(evidence(RunUnknown(run_id="", message="no such run")), None)
    return bus


def deps_on(bus: MemoryBus | Bus, **changes: Any) -> DiscoveryDeps:
    ports = dict.fromkeys(("asks", "publishes", "blobs", "records", "queues"), bus)
    return DiscoveryDeps(
        **{**ports, "open_workbook": open_workbook, "now": lambda: NOW, "planners": frozenset({"rules"}), **changes}
    )


def where(reply: SubmitReply) -> list[str]:
    assert isinstance(reply, RunRejected)
    return [problem.where for problem in reply.problems]


def nothing_started(bus: MemoryBus) -> bool:
    return not bus.queues and not any(bus.events(type_) for type_ in PUBLISHED)


def evidence(reply: LoadReply) -> Actor[None]:
    actor: Actor[None] = Actor("evidence")

    @actor.answers(LOAD_RUN)
    async def load(request: LoadRun, deps: None) -> LoadReply:
        return reply

    return actor


def record_of(**changes: Any) -> RunRecord:
    first = RunRecord(run_id="run_1", spec=SPEC, planner="rules", concurrency=2, created_at=NOW)
    return msgspec.structs.replace(first, **changes)


def loaded(*states: tuple[Status | None, int], record: RunRecord | None = None, **changes: Any) -> RunLoaded:
    """A run as evidence knows it, with a sample T-1, T-2, ... for each of these statuses and attempts."""
    samples = tuple(
        LoadedSample(
            sample=Sample(sample_id=f"T-{n}", key=f"T-{n}", row=n, fields={"number": f"T-{n}"}),
            status=status, reason="", attempt=attempt,
        )
        for n, (status, attempt) in enumerate(states, start=1)
    )  # fmt: skip
    run = RunLoaded(
        record=record or record_of(), attempt_base=0, expected=len(samples), samples=samples, total=len(samples),
        finished=None, location="evidence/run_1",
    )  # fmt: skip
    return msgspec.structs.replace(run, **changes)


def ended(attempt_base: int = 0) -> RunFinished:
    return RunFinished(
        run_id="run_1", attempt_base=attempt_base, samples=1, outcomes=(), location="", table="", llm_calls=0,
        cost_usd=0.0, started_at=NOW, finished_at=NOW,
    )  # fmt: skip


def planner(*, problem: str = "", asks_model: bool = False) -> Actor[list[CheckPlanner]]:
    """A planner that says this of itself, and keeps what it was asked."""
    one: Actor[list[CheckPlanner]] = Actor("planner")

    @one.answers(CHECK_PLANNER)
    async def check(request: CheckPlanner, asked: list[CheckPlanner]) -> PlannerChecked:
        asked.append(request)
        return PlannerChecked(problem=problem, asks_model=asks_model)

    return one

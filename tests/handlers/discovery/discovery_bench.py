"""The handlers of discovery on a bus in memory, with an evidence service that gives one fixed answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from services.discovery.deps import DiscoveryDeps
from shared.bus.actor import Actor
from shared.bus.nats_bus import Bus
from shared.contracts.discovery import PopulationClosed, RunRejected, RunStarted, SampleFound, SubmitReply
from shared.contracts.evidence import LoadReply, LoadRun, RunUnknown
from shared.contracts.planner import WorkSample
from shared.subjects import LOAD_RUN
from shared.tables.excel import read_sheet
from shared.testing.bus import MemoryBus

NOW = datetime(2026, 11, 21, 8, 1, 2, tzinfo=UTC)
SPEC = {
    "task_id": "tickets",
    "goal": "read it",
    "input_schema": {"number": "string", "url": "string"},
    "sample_id": "{number}",
    "output_schema": {"number": "string"},
}
PUBLISHED = (RunStarted, SampleFound, PopulationClosed, WorkSample)


def knowing_nothing(bus: MemoryBus) -> MemoryBus:
    bus.host(evidence(RunUnknown(run_id="", message="no such run")), None)
    return bus


def deps_on(bus: MemoryBus | Bus, **changes: Any) -> DiscoveryDeps:
    ports = dict.fromkeys(("asks", "publishes", "blobs", "records", "queues"), bus)
    return DiscoveryDeps(
        **{**ports, "read_sheet": read_sheet, "now": lambda: NOW, "planners": frozenset({"rules"}), **changes}
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

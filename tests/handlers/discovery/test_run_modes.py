"""The mode of a run: checked before it starts, recorded, and kept by a resumed round."""

from __future__ import annotations

import pytest

from services.discovery.handlers import submit_run
from shared.contracts.discovery import Problem, RunAccepted, RunRecord, RunRejected, SubmitRun
from shared.contracts.planner import CheckPlanner
from shared.streams import RUNS
from shared.testing.bus import MemoryBus
from tests.handlers.discovery.discovery_bench import SPEC, deps_on, knowing_nothing, nothing_started, planner, where
from tests.typed import expect

ROWS = tuple({"number": f"T-{one}", "url": f"http://x/{one}"} for one in range(1, 4))


@pytest.fixture
def bus() -> MemoryBus:
    return knowing_nothing(MemoryBus())


async def recorded(bus: MemoryBus, **request: object) -> RunRecord:
    asked = SubmitRun(**{"spec": SPEC, "samples": ROWS, **request})
    reply = expect(await submit_run(asked, deps_on(bus)), RunAccepted)
    record = await bus.read(RUNS, reply.run_id, RunRecord)
    assert record is not None
    return record


async def test_a_word_that_is_no_mode_is_refused(bus):
    reply = await submit_run(SubmitRun(spec=SPEC, samples=ROWS, mode="fast"), deps_on(bus))
    assert expect(reply, RunRejected).problems == (
        Problem(where="mode", message="'fast' is no mode; the modes are auto, agent, flow"),
    )
    assert nothing_started(bus)


async def test_a_run_on_flows_only_is_refused_where_the_task_has_none(bus):
    asked: list[CheckPlanner] = []
    bus.host(planner(problem="the library has no flow"), asked)
    reply = await submit_run(SubmitRun(spec=SPEC, samples=ROWS, mode="flow"), deps_on(bus))
    assert where(reply) == ["mode"]
    assert asked == [CheckPlanner(mode="flow", spec=SPEC)]
    assert nothing_started(bus)


@pytest.mark.parametrize(
    ("request_", "asks_model", "mode", "compiles"),
    [
        ({}, True, "auto", True),
        ({}, False, "auto", False),  # rules cost nothing, so that a flow would save nothing
        ({"mode": "auto"}, False, "auto", True),
        ({"mode": "agent"}, True, "agent", False),
        ({"mode": "flow"}, True, "flow", False),
        ({"samples": ROWS[:2]}, True, "auto", False),
        ({"spec": {**SPEC, "workflow": "off"}}, True, "auto", False),
        ({"spec": {**SPEC, "workflow": {"name": "own"}}}, True, "auto", False),
    ],
)
async def test_the_record_says_how_samples_are_worked_out(bus, request_, asks_model, mode, compiles):
    bus.host(planner(asks_model=asks_model), [])
    record = await recorded(bus, **request_)
    assert (record.mode, record.compiles) == (mode, compiles)


async def test_a_replay_has_no_mode(bus):
    reply = await submit_run(SubmitRun(replay_run_id="run_0", mode="flow"), deps_on(bus))
    assert "mode" in where(reply)

"""A run that compiles the flow of its own samples: the planner works out two, the others wait, and none for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from services.planner.handlers import work_sample
from shared.contracts.workflows.run_flows import HOLD_S, RunFlow
from shared.streams import RUN_FLOWS
from tests.handlers.planner.flow_bench import bench, flows_of
from tests.handlers.planner.planner_bench import RUN, Bench, work
from tests.handlers.planner.scripted_library import HASH, TICKET_URL, version
from tests.unit.planner.planner_pages import NOW

IS_LEARNER = "the flow of this run is compiled from it"


def learning_run() -> Bench:
    """Return a run of a task without a flow."""
    one = bench()
    one.compiles = True
    one.library.versions.clear()  # type: ignore[attr-defined]
    return one


async def learned() -> Bench:
    """Return such a run once the planner has worked out its first two samples."""
    one = learning_run()
    await do(one, "a")
    await do(one, "b")
    return one


async def do(one: Bench, name: str):
    await one.record()
    finished = await work_sample(work(sample_id=name), one.deps, 1)
    assert finished is not None
    return finished


async def record_of(one: Bench) -> RunFlow:
    record = await one.bus.read(RUN_FLOWS, RUN, RunFlow)
    assert record is not None
    return record


async def change(one: Bench, **changes: object) -> None:
    await one.bus.modify(RUN_FLOWS, RUN, RunFlow, lambda known: known and msgspec.structs.replace(known, **changes))


def on_pause(one: Bench, then: Callable[[], object]) -> None:
    """Have something happen while a sample waits for the first time."""
    waits = one.deps.wait

    async def wait(pause_s: float) -> None:
        if not one.pauses:
            result = then()
            if asyncio.iscoroutine(result):
                await result
        await waits(pause_s)

    one.deps.wait = wait


async def test_the_first_two_samples_are_worked_out_by_the_planner_at_once():
    one = learning_run()
    first, second = await do(one, "a"), await do(one, "b")
    assert [(each.status, each.drivers, each.no_flow) for each in (first, second)] == [
        ("done", ("rules",), IS_LEARNER)
    ] * 2
    assert one.pauses == []
    assert (await record_of(one)).learners == ("a", "b")


async def test_the_others_wait_and_then_use_the_flow():
    one = await learned()

    async def publish() -> None:
        one.library.versions["tickets"] = version("tickets", TICKET_URL)  # type: ignore[attr-defined]
        await change(one, state="compiled", name="tickets", hash=HASH)

    on_pause(one, publish)
    third = await do(one, "c")
    fourth = await do(one, "d")
    assert [(each.status, each.drivers, each.no_flow) for each in (third, fourth)] == [("done", ("flow",), "")] * 2
    assert len(one.pauses) == 1
    assert len(flows_of(one).begun) == 2


async def test_where_no_flow_comes_of_it_the_planner_goes_on_and_the_reason_is_told():
    one = await learned()
    on_pause(one, lambda: change(one, state="failed", reason="no flow was compiled: the reason"))
    third = await do(one, "c")
    assert (third.status, third.drivers, third.no_flow) == ("done", ("rules",), "no flow was compiled: the reason")


async def test_nothing_waits_longer_than_the_limit():
    one = await learned()
    third = await do(one, "c")
    assert (third.status, third.drivers) == ("done", ("rules",))
    assert third.no_flow == "the flow of this run was not there within 300 s"
    assert sum(one.pauses) == HOLD_S


async def test_time_that_has_passed_for_others_counts():
    one = learning_run()
    one.deps.now = lambda: NOW.replace(year=NOW.year - 1)
    await do(one, "a")
    await do(one, "b")
    one.deps.now = lambda: NOW
    assert (await do(one, "c")).drivers == ("rules",)
    assert one.pauses == []


async def test_another_sample_takes_the_place_of_one_that_was_lost():
    one = await learned()
    on_pause(one, lambda: change(one, lost=("b",)))
    third = await do(one, "c")
    assert third.no_flow == IS_LEARNER
    assert (await record_of(one)).learners == ("a", "b", "c")


async def test_a_waiting_sample_becomes_a_learner_where_the_first_ones_lack_a_field():
    one = await learned()
    on_pause(one, lambda: change(one, done=("a", "b"), wanted=3, lacking=("due",)))
    third = await do(one, "c")
    assert third.no_flow == f"{IS_LEARNER}: the first ones do not show due"
    assert (await record_of(one)).learners == ("a", "b", "c")


async def test_a_learner_that_is_delivered_again_stays_one():
    one = learning_run()
    await do(one, "a")
    again = await work_sample(work(sample_id="a"), one.deps, 2)
    assert again is not None
    assert again.no_flow == IS_LEARNER
    assert (await record_of(one)).learners == ("a",)


async def test_a_flow_for_other_columns_is_not_used_and_the_reason_is_told():
    one = learning_run()
    await do(one, "a")
    other = msgspec.structs.replace(TICKET_URL, name="nowhere")
    one.library.versions["tickets"] = version("tickets", other)  # type: ignore[attr-defined]
    await change(one, state="compiled", name="tickets", hash=HASH)
    second = await do(one, "c")
    assert (second.status, second.drivers) == ("done", ("rules",))
    assert "needs the argument 'nowhere'" in second.no_flow


async def test_a_task_with_a_flow_of_its_own_uses_that_and_compiles_nothing():
    one = bench()
    one.compiles = True
    assert (await do(one, "a")).drivers == ("flow",)
    assert await one.bus.read(RUN_FLOWS, RUN, RunFlow) is None


async def test_without_a_library_nothing_waits():
    one = Bench(bench().scripted)
    one.compiles = True
    finished = await do(one, "a")
    assert (finished.status, finished.drivers) == ("done", ("rules",))
    assert "could not be asked" in finished.no_flow
    assert await one.bus.read(RUN_FLOWS, RUN, RunFlow) is None

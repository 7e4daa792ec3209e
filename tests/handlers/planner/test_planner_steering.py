"""Pauses, interrupts and messages of a person, as an attempt at a sample obeys them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from services.planner.state.attempt_state import Decision, SampleView
from shared.contracts.sessions.control import RunControl
from shared.streams import RUN_CONTROL
from tests.handlers.planner.planner_bench import RUN, Bench, bench_of
from tests.unit.planner.planner_pages import page, ticket


def bench(**task) -> Bench:
    return bench_of(page(*ticket()), **task)


async def control(on: Bench, **changes) -> None:
    def change(stored: RunControl | None) -> RunControl:
        return replace(stored or RunControl(attempt_base=0), **changes)

    await on.bus.modify(RUN_CONTROL, RUN, RunControl, change)


def when_waiting(on: Bench, number: int, **changes) -> None:
    """Change the controls while the planner makes its wait of that number."""
    waits = on.deps.wait

    async def wait(pause_s: float) -> None:
        await waits(pause_s)
        if len(on.pauses) == number:
            await control(on, **changes)

    on.deps.wait = wait


def when_deciding(on: Bench, change: Callable[[SampleView], Awaitable[None]]) -> None:
    """Have this happen each time before something is decided."""
    decide = on.driver.decide

    async def changed(view: SampleView) -> Decision:
        await change(view)
        return await decide(view)

    on.driver.decide = changed


async def test_a_paused_run_waits_without_a_session_and_goes_on_when_it_is_resumed():
    one = bench()
    await control(one, paused_key="p")
    when_waiting(one, 3, paused_key="")
    finished = await one.run()
    assert (finished.status, one.pauses[:3]) == ("done", [1.0, 1.0, 1.0])


async def test_time_that_is_paused_does_not_count_against_the_limit():
    one = bench(max_time_s=60)

    async def pause(view: SampleView) -> None:
        if view.state.steps == 1 and not one.pauses:
            await control(one, paused_key="p")
            when_waiting(one, 200, paused_key="")

    when_deciding(one, pause)
    finished = await one.run()
    assert (finished.status, len(one.pauses) >= 200) == ("done", True)


async def test_an_interrupted_sample_ends_with_its_reason_and_what_it_has_read():
    one = bench()

    async def interrupt(view: SampleView) -> None:
        if view.state.steps == 1:
            await control(one, interrupted=True)

    when_deciding(one, interrupt)
    finished = await one.run()
    assert finished.reason == "interrupted"
    assert finished.status in ("failed", "partial_success")


async def test_no_sample_begins_in_a_run_that_was_closed_or_interrupted():
    for flag in ("closing", "interrupted"):
        one = bench()
        await control(one, **{flag: True})
        finished = await one.run()
        assert (finished.status, finished.reason, one.steps) == ("failed", "interrupted", [])


async def test_a_sample_at_work_is_finished_in_a_run_that_is_closed():
    one = bench()
    when_deciding(one, lambda view: control(one, closing=True))
    assert (await one.run()).status == "done"


async def test_controls_of_an_earlier_round_are_void():
    one = bench()
    await control(one, interrupted=True, paused_key="p")
    assert (await one.run(attempt_base=2)).status == "done"


async def test_a_message_is_shown_once_and_the_step_says_so():
    one = bench()
    await control(one, messages=("Prefer the newer one.",))
    await one.run()
    told = [step.step for step in one.steps if "A person says: Prefer the newer one." in step.notices]
    assert told == [1]

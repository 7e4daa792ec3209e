"""Races, cancellation, background tasks, limits and bounded parallel maps."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any

import pytest

from shared.aio import (
    BackgroundTasks,
    SemaphorePerLoop,
    cancel_and_wait,
    cancel_until_done,
    iterate_concurrently,
    map_concurrently,
    raise_if_cancelled,
    run_alongside,
    run_to_its_end,
    run_unless,
    wait_for_first,
)


async def let_others_run() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


# --- cancellation


async def test_a_task_that_misses_a_cancellation_is_told_again() -> None:
    missed = 0

    async def loop_for_ever() -> None:
        nonlocal missed
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                missed += 1
                if missed > 1:
                    raise

    task = asyncio.create_task(loop_for_ever())
    await asyncio.sleep(0)
    await asyncio.wait_for(cancel_until_done(task), 60)
    assert (missed, task.cancelled()) == (2, True)


async def test_a_result_that_comes_together_with_the_cancellation_does_not_hide_it() -> None:
    """As a ping whose answer comes in just as nobody needs it any more."""
    answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def ping_for_ever() -> None:
        while True:
            pending: asyncio.Future[None] = answer if not answer.done() else asyncio.get_running_loop().create_future()
            await asyncio.wait_for(pending, 60)

    task = asyncio.create_task(ping_for_ever())
    await asyncio.sleep(0)
    answer.set_result(None)
    await asyncio.wait_for(cancel_until_done(task), 60)
    assert task.cancelled()


@pytest.mark.parametrize("cancel", [cancel_and_wait, cancel_until_done])
async def test_how_it_ended_is_not_raised(cancel: Callable[..., Coroutine[Any, Any, None]]) -> None:
    async def fail() -> None:
        raise ValueError("mine")

    task = asyncio.create_task(fail())
    await asyncio.sleep(0)
    await cancel(task, asyncio.create_task(asyncio.sleep(60)))  # clock: it is cancelled
    with pytest.raises(ValueError, match="mine"):
        task.result()


async def test_cleanup_that_takes_its_time_is_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.aio.CANCEL_AGAIN_S", 0)
    cleaned = False

    async def work() -> None:
        nonlocal cleaned
        try:
            await asyncio.Event().wait()
        finally:
            await let_others_run()
            cleaned = True

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    await cancel_and_wait(task)
    assert cleaned


async def test_work_that_runs_to_its_end_has_ended_before_its_caller_is_cancelled() -> None:
    may, ended = asyncio.Event(), False

    async def work() -> str:
        nonlocal ended
        await may.wait()
        ended = True
        raise ValueError("mine")

    task = asyncio.create_task(run_to_its_end(work()))
    for _ in range(3):
        await let_others_run()
        task.cancel()
    await let_others_run()
    assert not task.done()
    may.set()
    with pytest.raises(asyncio.CancelledError) as raised:
        await task
    assert ended
    assert str(raised.value.__cause__) == "mine"


async def test_a_loop_raises_the_cancellation_that_a_wait_for_has_swallowed() -> None:
    rounds = 0
    answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def listen_for_ever() -> None:
        nonlocal rounds
        while True:
            pending: asyncio.Future[None] = answer if not answer.done() else asyncio.get_running_loop().create_future()
            await asyncio.wait_for(pending, 60)
            rounds += 1
            raise_if_cancelled()

    task = asyncio.create_task(listen_for_ever())
    await asyncio.sleep(0)
    answer.set_result(None)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)
    assert rounds <= 1


# --- the first of several


async def test_the_coroutines_that_are_not_first_have_ended() -> None:
    ended: list[str] = []

    async def wait_for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("loser")

    await wait_for_first(asyncio.sleep(0), wait_for_ever())
    assert ended == ["loser"]


async def test_a_task_of_the_caller_goes_on() -> None:
    event = asyncio.Event()
    task = asyncio.create_task(event.wait())
    await wait_for_first(task, asyncio.sleep(0))
    assert not task.done()
    event.set()
    assert await task


async def test_none_of_them_is_first_when_the_time_is_over() -> None:
    event = asyncio.Event()
    await wait_for_first(event.wait(), timeout_s=0.01)
    assert not event.is_set()


async def test_what_is_raced_ends_with_the_race() -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def wait_for_ever() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    race = asyncio.create_task(wait_for_first(wait_for_ever(), asyncio.Event().wait()))
    await started.wait()
    race.cancel()
    with pytest.raises(asyncio.CancelledError):
        await race
    assert ended.is_set()


async def test_the_result_counts_where_both_complete_at_once() -> None:
    async def now(result: str) -> str:
        return result

    assert await run_unless(now("result"), now("stop"), RuntimeError("stopped")) == "result"


async def test_work_that_is_stopped_has_ended_before_the_error_is_raised() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("work")

    with pytest.raises(RuntimeError, match="stopped"):
        await run_unless(work(), asyncio.sleep(0), RuntimeError("stopped"))
    assert ended == ["work"]


async def test_the_error_of_the_work_is_raised_as_it_is() -> None:
    async def fail() -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        await run_unless(fail(), asyncio.Event().wait(), RuntimeError("stopped"))


# --- background tasks


async def test_background_tasks_are_waited_for_with_those_that_they_start() -> None:
    tasks, done = BackgroundTasks(), []

    async def second() -> None:
        await asyncio.sleep(0)
        done.append("second")

    async def first() -> None:
        tasks.start(second())
        done.append("first")

    tasks.start(first())
    await tasks.drain()
    assert (done, len(tasks)) == (["first", "second"], 0)


async def test_waiting_for_background_tasks_has_an_end() -> None:
    tasks = BackgroundTasks()
    task = tasks.start(_wait_for_ever())
    await tasks.drain(timeout_s=0.01)
    assert not task.done()
    await tasks.cancel()
    assert (task.cancelled(), len(tasks)) == (True, 0)


async def test_a_background_task_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ValueError("mine")

    tasks = BackgroundTasks()
    with caplog.at_level(logging.ERROR, "shared.aio"):
        tasks.start(fail())
        tasks.start(_wait_for_ever()).cancel()
        await tasks.drain()
    (logged,) = caplog.records
    assert logged.exc_info is not None
    assert str(logged.exc_info[1]) == "mine"


async def _wait_for_ever() -> None:
    await asyncio.Event().wait()


async def test_what_runs_alongside_a_block_ends_with_it() -> None:
    ended = asyncio.Event()

    async def loop_for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def fail_beside_it() -> None:
        async with run_alongside(loop_for_ever()):
            await asyncio.sleep(0)
            raise KeyError("mine")

    with pytest.raises(KeyError):
        await fail_beside_it()
    assert ended.is_set()


async def test_what_fails_alongside_a_block_is_logged_and_does_not_end_it(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ValueError("mine")

    with caplog.at_level(logging.ERROR, "shared.aio"):
        async with run_alongside(fail()):
            await let_others_run()
    (logged,) = caplog.records
    assert logged.exc_info is not None


# --- bounded parallel maps


class Calls:
    """A function of numbers that is slow for odd ones, and counts its calls."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.now = self.most = self.all = 0
        self._fails_at = fails_at

    async def __call__(self, number: int) -> str:
        self.all += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await (let_others_run() if number % 2 else asyncio.sleep(0))
            if number == self._fails_at:
                raise ValueError(f"no {number}")
            return str(number)
        finally:
            self.now -= 1


async def test_results_come_in_the_order_of_the_items_and_a_few_calls_at_a_time() -> None:
    calls = Calls()
    assert await map_concurrently(calls, range(20), 4) == [str(number) for number in range(20)]
    assert (calls.most, calls.now) == (4, 0)


async def test_no_items_have_no_results() -> None:
    assert await map_concurrently(Calls(), [], 4) == []


async def test_no_call_runs_on_after_one_has_failed() -> None:
    calls = Calls(fails_at=5)
    with pytest.raises(ValueError, match="no 5"):
        await map_concurrently(calls, range(20), 4)
    assert calls.now == 0
    assert calls.all < 20


async def test_a_reader_that_stops_early_stops_the_calls() -> None:
    calls = Calls()
    async with aclosing(iterate_concurrently(calls, range(20), 4)) as results:
        async for result in results:
            assert result == "0"
            break
    assert calls.now == 0
    assert calls.all <= 5


# --- limits


def test_a_limit_of_a_module_holds_in_one_event_loop_after_another() -> None:
    limit, counts = SemaphorePerLoop(2), []

    async def hold_it() -> None:
        async with limit.hold():
            counts.append(counts[-1] + 1 if counts else 1)
            await asyncio.sleep(0)
            counts.append(counts[-1] - 1)

    async def six_at_once() -> int:
        counts.clear()
        await asyncio.gather(*(hold_it() for _ in range(6)))
        return max(counts)

    assert [asyncio.run(six_at_once()) for _ in range(2)] == [2, 2]

"""Tasks that are told to end and do not hear it the first time."""

from __future__ import annotations

import asyncio

import pytest

from shared.bus.cancel import ended


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
    await asyncio.wait_for(ended(task), 10)
    assert (missed, task.cancelled()) == (2, True)


async def test_a_result_that_comes_together_with_the_cancellation_does_not_hide_it() -> None:
    """As a ping whose answer comes in just as nobody needs it any more."""
    answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def ping_for_ever() -> None:
        while True:
            await asyncio.wait_for(answer if not answer.done() else asyncio.Event().wait(), 60)

    task = asyncio.create_task(ping_for_ever())
    await asyncio.sleep(0)
    answer.set_result(None)
    await asyncio.wait_for(ended(task), 10)
    assert task.cancelled()


async def test_how_it_ended_is_not_raised() -> None:
    async def fail() -> None:
        raise ValueError("mine")

    task = asyncio.create_task(fail())
    await asyncio.sleep(0)
    await ended(task, asyncio.create_task(asyncio.sleep(60)))
    with pytest.raises(ValueError, match="mine"):
        task.result()

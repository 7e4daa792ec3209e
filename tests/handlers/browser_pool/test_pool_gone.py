"""Work that would never end after the browser has crashed."""

from __future__ import annotations

import asyncio

import pytest

from services.browser_pool.adapters.protocol import run_unless_gone
from shared.errors import Unavailable
from tests.raising import raises_code


async def test_work_that_ends_is_answered() -> None:
    async def work() -> int:
        return 7

    assert await run_unless_gone(work(), asyncio.Event()) == 7


async def test_work_that_never_ends_is_given_up_and_cancelled_when_the_browser_goes() -> None:
    gone, cancelled = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        gone.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    with raises_code(Unavailable, "session_lost"):
        await run_unless_gone(work(), gone)
    assert cancelled.is_set()


async def test_the_error_of_the_work_is_its_answer() -> None:
    async def work() -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        await run_unless_gone(work(), asyncio.Event())

"""The clock of an event loop, put forward by a test: what is bounded in time ends without anybody waiting for it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class LoopClock:
    """Make it in the loop whose clock it is. It never goes back."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        real, self._ahead_s = loop.time, 0.0
        setattr(loop, "time", lambda: real() + self._ahead_s)  # noqa: B010  a method cannot be assigned otherwise

    def skip(self, time_s: float) -> None:
        self._ahead_s += time_s

    async def run_out(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Return what ``work`` comes to when no limit of time leaves it any."""
        task = asyncio.ensure_future(work)
        while not task.done():
            self.skip(10.0)
            await asyncio.sleep(0)
        return await task

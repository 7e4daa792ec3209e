"""Measure how long the event loop was blocked."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType

EVERY_S = 0.002


class Lag:
    """Context manager that measures the event loop.

    After ``async with Lag() as lag``, ``blocked_ms`` is the longest time that the loop's thread computed without
    yielding, and ``late_ms`` the longest delay of a callback.

    They differ if the machine gave the thread no processor: with all cores taken by browsers everything is late, which
    says nothing about the program. So the thread's own time is judged.
    """

    def __init__(self) -> None:
        self.blocked_ms = 0.0
        self.late_ms = 0.0

    async def __aenter__(self) -> Lag:
        self._ticking = asyncio.create_task(self._tick())
        await asyncio.sleep(0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.sleep(EVERY_S)  # so that a block that has just ended is measured too
        self._ticking.cancel()
        await asyncio.gather(self._ticking, return_exceptions=True)

    async def _tick(self) -> None:
        while True:
            due_s, spent_s = time.perf_counter() + EVERY_S, time.thread_time()
            await asyncio.sleep(EVERY_S)
            late_ms = max(0.0, time.perf_counter() - due_s) * 1000
            self.late_ms = max(self.late_ms, late_ms)
            self.blocked_ms = max(self.blocked_ms, min(late_ms, (time.thread_time() - spent_s) * 1000))

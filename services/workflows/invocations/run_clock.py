"""The time of one invocation. It stands still while somebody else performs a call of a flow."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager


class RunClock:
    """``time_s``: for an invocation and all that it invokes. Make it in the loop that runs them."""

    def __init__(self, time_s: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._deadline = self._loop.time() + time_s
        self._running: set[asyncio.Timeout] = set()
        self._stopped_at: float | None = None

    @property
    def left_s(self) -> float:
        return self._deadline - (self._loop.time() if self._stopped_at is None else self._stopped_at)

    @asynccontextmanager
    async def limit(self, time_s: float) -> AsyncGenerator[None]:
        """Raise TimeoutError when the block takes longer, by this clock."""
        async with asyncio.timeout(time_s) as timeout:
            self._running.add(timeout)
            try:
                yield
            finally:
                self._running.discard(timeout)

    @contextmanager
    def stopped(self) -> Generator[None]:
        """The time in the block counts for nobody."""
        if self._stopped_at is not None:
            yield
            return
        self._stopped_at = self._loop.time()
        ends = {one: one.when() for one in self._running if not one.expired()}
        for one in ends:
            one.reschedule(None)
        try:
            yield
        finally:
            passed_s = self._loop.time() - self._stopped_at
            self._stopped_at = None
            self._deadline += passed_s
            for one, end in ends.items():
                if one in self._running and end is not None and not one.expired():
                    one.reschedule(end + passed_s)

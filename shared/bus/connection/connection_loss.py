"""What is open on a connection when that is lost.

The server forgets who waits for which answer, and nats-py connects again without a word: whoever waits on would wait
until the end of the time limit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from shared.aio import run_unless
from shared.contracts.error_codes import ErrorCode
from shared.errors import Unavailable

ResultT = TypeVar("ResultT")

BUS_LOST: ErrorCode = "bus_lost"
NOT_BACK: frozenset[ErrorCode] = frozenset({"no_responders", "instance_gone"})
"""Said of a process whose connection was lost too, and is not back yet."""
BACK_TRIES, BACK_PAUSE_S = 25, 0.2
"""How often, after a loss, a process that does not listen is tried again."""


class ConnectionLoss:
    """Of one connection."""

    def __init__(self) -> None:
        self._lost = asyncio.Event()

    def note(self) -> None:
        """End what is open now; what begins later belongs to the next connection."""
        lost, self._lost = self._lost, asyncio.Event()
        lost.set()

    async def run(self, work: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Return the result of ``work``. Raises Unavailable (``bus_lost``) as soon as the connection is lost."""
        error = Unavailable(
            "the connection to the bus was lost before the answer came; whether it was done is not known",
            code="bus_lost",
        )
        return await run_unless(work, self._lost.wait(), error)


async def run_again_after_loss(run: Callable[[float], Coroutine[Any, Any, ResultT]], timeout_s: float) -> ResultT:
    """Return the result of ``run``, which is run again where its connection is lost: for work that may be done twice.

    ``run`` gets the seconds that are left. Raises what ``run`` raises otherwise, and at the end of ``timeout_s``.
    """
    until_s, tries = time.monotonic() + timeout_s, 0
    while True:
        left_s = until_s - time.monotonic()
        try:
            return await run(left_s)
        except Unavailable as exc:
            if exc.code == BUS_LOST:
                tries = BACK_TRIES
            elif exc.code not in NOT_BACK or not tries:
                raise
            tries -= 1
            if until_s - time.monotonic() <= BACK_PAUSE_S:
                raise
        await asyncio.sleep(BACK_PAUSE_S)

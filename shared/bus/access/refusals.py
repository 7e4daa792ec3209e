"""What a server with users does not let through.

It says so by itself and not as an answer: whoever waits for one would wait until the end of the time limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from shared.aio import run_unless
from shared.errors import PermanentError

ResultT = TypeVar("ResultT")


class Refusals:
    """The messages whose answers are waited for on one connection."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, asyncio.Event]] = []

    async def run(self, subject: str, work: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Return the result of ``work``, which publishes to ``subject``.

        Raises PermanentError (``bus_refused``) as soon as the server says that this user has no right to.
        """
        refused = asyncio.Event()
        waiting = (f'publish to "{subject}"'.lower(), refused)
        self._waiting.append(waiting)
        error = PermanentError(f"this user of the bus has no right to publish to {subject}", code="bus_refused")
        try:
            return await run_unless(work, refused.wait(), error)
        finally:
            self._waiting.remove(waiting)

    def note(self, error: Exception) -> None:
        """Take in what the server says, as nats-py tells it: in small letters."""
        for words, refused in self._waiting:
            if words in str(error).lower():
                refused.set()

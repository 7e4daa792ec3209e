"""Polling for slow events; call it in a thread if an event loop must continue."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

LONGEST_S = 60.0
PAUSE_S = 0.02

Seen = TypeVar("Seen")


def until(look: Callable[[], Seen | None], what: str, within_s: float = LONGEST_S) -> Seen:
    """Return the result of ``look`` as soon as it is truthy; fail after ``within_s``."""
    until_s = time.monotonic() + within_s
    while time.monotonic() < until_s:
        if seen := look():
            return seen
        time.sleep(PAUSE_S)  # clock: polls
    raise AssertionError(f"{what}: not within {within_s:.0f} s")


async def until_asked(look: Callable[[], Awaitable[Seen | None]], what: str) -> Seen:
    """Like `until`, for a ``look`` that has to be awaited."""
    until_s = time.monotonic() + LONGEST_S
    while time.monotonic() < until_s:
        if seen := await look():
            return seen
        await asyncio.sleep(PAUSE_S)  # clock: polls
    raise AssertionError(f"{what}: not within {LONGEST_S:.0f} s")

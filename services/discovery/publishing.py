"""Doing the same for many samples: some at a time, in order, and the first error ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

ItemT = TypeVar("ItemT")
AT_ONCE = 100
"""Publishes under way at a time: enough to hide the server's round trip, few enough to bound what is held."""


async def each(items: Sequence[ItemT], act: Callable[[ItemT], Awaitable[object]]) -> None:
    """``act`` on every item."""
    for start in range(0, len(items), AT_ONCE):
        outcomes = await asyncio.gather(*map(act, items[start : start + AT_ONCE]), return_exceptions=True)
        for error in outcomes:
            if isinstance(error, BaseException):
                raise error

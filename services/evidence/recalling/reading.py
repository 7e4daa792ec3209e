"""Reading the same of many samples: some side by side, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

ItemT = TypeVar("ItemT")
ReadT = TypeVar("ReadT")
AT_ONCE = 16
"""A bucket answers one request after a while, and many in the same while."""


async def some_at_once(items: Sequence[ItemT], read: Callable[[ItemT], Awaitable[ReadT]]) -> list[ReadT]:
    """What ``read`` made of every item."""
    made: list[ReadT] = []
    for start in range(0, len(items), AT_ONCE):
        made += await asyncio.gather(*map(read, items[start : start + AT_ONCE]))
    return made

"""A gate that can be waited for in both directions."""

from __future__ import annotations

import asyncio


class Gate:
    """Open or closed; it starts open."""

    def __init__(self) -> None:
        self._open, self._closed = asyncio.Event(), asyncio.Event()
        self._open.set()

    def set(self, is_open: bool) -> None:
        (self._open if is_open else self._closed).set()
        (self._closed if is_open else self._open).clear()

    async def wait_open(self) -> None:
        await self._open.wait()

    async def wait_closed(self) -> None:
        await self._closed.wait()

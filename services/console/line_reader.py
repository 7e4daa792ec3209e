"""Lines that a person types, or a script pipes in."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Sequence

CHUNK_BYTES = 65536


class LineReader:
    """Reads lines of a terminal or a pipe without a thread: Ctrl-C could not end a blocking read."""

    def __init__(self, fd: int) -> None:
        self._fd, self._begun, self._ended = fd, b"", False
        self._lines: list[str] = []

    async def next(self) -> str | None:
        """Return the next line, or None at the end of the input."""
        return await self.next_after(0)

    async def next_after(self, waiting: int) -> str | None:
        """Return the line that comes after ``waiting`` others, which stay the next ones; None: the input ends."""
        while len(self._lines) <= waiting and not self._ended:
            self._take(await self._read_chunk())
        return self._lines.pop(waiting) if len(self._lines) > waiting else None

    def sent(self) -> Sequence[str]:
        """Return the lines that were sent until now, and that nobody has read; they stay the next ones."""
        while not self._ended and select.select([self._fd], [], [], 0)[0]:
            self._take(os.read(self._fd, CHUNK_BYTES))
        return tuple(self._lines)

    def _take(self, chunk: bytes) -> None:
        self._ended = not chunk
        *whole, self._begun = (self._begun + chunk).split(b"\n")
        if self._ended and self._begun:
            whole, self._begun = [*whole, self._begun], b""
        self._lines += [line.decode("utf-8", "replace") for line in whole]

    async def _read_chunk(self) -> bytes:
        ready, loop = asyncio.Event(), asyncio.get_running_loop()
        try:
            loop.add_reader(self._fd, ready.set)
        except PermissionError:  # a file: it never waits
            return os.read(self._fd, CHUNK_BYTES)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._fd)
        return os.read(self._fd, CHUNK_BYTES)

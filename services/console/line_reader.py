"""Lines that a person types, or a script pipes in."""

from __future__ import annotations

import asyncio
import os


class LineReader:
    """Reads lines of a terminal or a pipe without a thread: Ctrl-C could not end a blocking read."""

    def __init__(self, fd: int) -> None:
        self._fd, self._buffer, self._ended = fd, b"", False

    async def next(self) -> str | None:
        """Return the next line, or None at the end of the input."""
        while b"\n" not in self._buffer and not self._ended:
            chunk = await self._read_chunk()
            self._buffer, self._ended = self._buffer + chunk, not chunk
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace")

    async def _read_chunk(self) -> bytes:
        ready, loop = asyncio.Event(), asyncio.get_running_loop()
        try:
            loop.add_reader(self._fd, ready.set)
        except PermissionError:  # a file: it never waits
            return os.read(self._fd, 65536)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._fd)
        return os.read(self._fd, 65536)

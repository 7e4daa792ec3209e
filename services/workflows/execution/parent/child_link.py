"""One child, as the service sees it: its connection and its end. What it sends is bounded and checked."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from services.workflows.execution.child.values import BadValueError, from_json, to_json
from services.workflows.execution.parent.child_folder import is_larger
from shared.child_process.child import LENGTH

_PART = 65_536
MAX_SIGNS = 20_000
"""Commas and opening brackets, in a large message."""


class ForeignMessageError(Exception):
    """The child sent what no child sends: its workflow wrote to the connection itself."""


class ChildLink:
    """``folder``: where its files are, if they do not vanish with it. ``exited``: its exit status, once it has one."""

    def __init__(self, connection: socket.socket, folder: Path | None, kill: Callable[[], None]) -> None:
        self._socket, self.folder, self._kill = connection, folder, kill
        self._received = bytearray()
        self.exited: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    @property
    def has_ended(self) -> bool:
        return self.exited.done()

    async def send(self, message: dict[str, Any]) -> None:
        """Raises OSError when the child has ended."""
        data = to_json(message)
        await asyncio.get_running_loop().sock_sendall(self._socket, LENGTH.pack(len(data)) + data)

    async def receive(self, usual_bytes: int, most_bytes: int) -> tuple[dict[str, Any], int] | None:
        """Return the next message and its size; None when the child has closed the connection.

        Raises ForeignMessageError for what is larger than ``most_bytes``, or no object of strict JSON. One that is
        larger than ``usual_bytes`` holds one large string: many small values would take many times its size in memory.
        """
        head = await self._read(LENGTH.size)
        if head is None:
            return None
        (length,) = LENGTH.unpack(head)
        if length > most_bytes:
            raise ForeignMessageError(f"a message of {length:,} bytes")
        data = await self._read(length)
        if data is None:
            return None
        if length > usual_bytes and sum(map(data.count, (b",", b"[", b"{"))) > MAX_SIGNS:
            raise ForeignMessageError(f"a message of {length:,} bytes in small pieces")
        try:
            message = from_json(data)
        except (ValueError, BadValueError) as exc:
            raise ForeignMessageError("a message that is no JSON") from exc
        if not isinstance(message, dict):
            raise ForeignMessageError("a message that is no object")
        return cast("dict[str, Any]", message), length

    def end(self) -> None:
        """Have the child killed, if it still runs, and close the connection. Idempotent."""
        if not self.has_ended:
            self._kill()
        self._socket.close()

    def set_exited(self, status: int) -> None:
        if not self.exited.done():
            self.exited.set_result(status)

    def has_more_files_than(self, most_bytes: int) -> bool:
        """Return whether the files in its folder take more than that; False where the folder bounds itself."""
        return self.folder is not None and is_larger(self.folder, most_bytes)

    async def _read(self, size: int) -> bytes | None:
        loop = asyncio.get_running_loop()
        while len(self._received) < size:
            try:
                part = await loop.sock_recv(self._socket, _PART)
            except OSError:
                return None
            if not part:
                return None
            self._received += part
        data = bytes(self._received[:size])
        del self._received[:size]
        return data

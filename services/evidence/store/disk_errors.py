"""What the operating system says of a disk, in our words; and the one who is told of what cannot be written."""

from __future__ import annotations

import errno
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from shared.errors import Unavailable

Blocked = Callable[[str, str], Awaitable[None]]
"""Told of a key that cannot be used now, and why, in words for people."""

_FULL = {errno.ENOSPC, errno.EDQUOT}


async def say_nothing(key: str, why: str) -> None: ...


@contextmanager
def on_disk(path: Path, size_bytes: int) -> Generator[None]:
    """Errors of the disk are Unavailable: it is worth trying again once a person has made room."""
    try:
        yield
    except OSError as exc:
        if exc.errno in _FULL:
            what = f"{size_bytes} bytes for {path} do not fit" if size_bytes else f"nothing fits into {path}"
            message = f"the disk is full: {what}; make room and the run goes on"
            raise Unavailable(message, code="disk_full") from exc
        message = f"{path} cannot be used: {exc.strerror or exc}; the run goes on when it can"
        raise Unavailable(message, code="store_unavailable") from exc

"""Which runs this process writes: no two processes write one, whoever resumes it twice or serves a bus twice.

A lock of the system that a process has and loses with its life, however that ends; files of another machine's disk are
only as safe as that disk's locks are.
"""

from __future__ import annotations

import fcntl
import os
import socket
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from services.evidence.holder import Holder

MOST_BYTES = 4096


def this_process() -> Holder:
    return Holder(host=socket.gethostname(), pid=os.getpid(), since=datetime.now(UTC).replace(microsecond=0))


class Holding:
    """``folder`` has a file for each name that is held; it is made when it is needed, and goes when it is empty."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, int] = {}

    def take(self, name: str, says: bytes | None = None) -> bool:
        """Whether it was not ours before. Raises BlockingIOError where another process has it. ``says`` is for others
        to read; None: what was written there before stays."""
        if name in self._held:
            return False
        self._held[name] = self._opened(self._folder / name)
        if says is not None:
            self.say(name, says)
        return True

    def say(self, name: str, says: bytes) -> None:
        """Written into the file of what is held; where it cannot be, it is held no longer."""
        try:
            os.ftruncate(self._held[name], 0)
            os.pwrite(self._held[name], says[:MOST_BYTES], 0)
        except OSError:
            self.release(name)
            raise

    def says(self, name: str) -> bytes:
        """What whoever holds it wrote, or died and left there; empty where that is nothing."""
        if (handle := self._held.get(name)) is not None:  # to open it once more would end the lock
            return os.pread(handle, MOST_BYTES, 0)
        with suppress(OSError):
            return (self._folder / name).read_bytes()[:MOST_BYTES]
        return b""

    def release(self, name: str) -> None:
        """What is not held is no error."""
        if name in self._held:
            (self._folder / name).unlink(missing_ok=True)
            self.leave(name)
            with suppress(OSError):  # another one is held, or the folder is gone
                self._folder.rmdir()

    def leave(self, name: str) -> None:
        """As a process that dies does: what was written there stays."""
        if (handle := self._held.pop(name, None)) is not None:
            os.close(handle)

    def close(self) -> None:
        for name in list(self._held):
            self.release(name)

    def _opened(self, path: Path) -> int:
        while True:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            except FileNotFoundError:  # who let go of the last one took the folder away
                continue
            if _locked(handle, path):
                return handle


def _locked(handle: int, path: Path) -> bool:
    """False where the file was taken away by whoever held it before."""
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    with suppress(FileNotFoundError):
        if path.stat().st_ino == os.fstat(handle).st_ino:
            return True
    os.close(handle)
    return False

"""Which runs this process writes: no two processes write one, whoever resumes it twice or serves a bus twice.

The kernel drops a lock when its process ends, be it by kill -9. Between machines that share a disk it is as good as the
locks of that disk (see `shared.file_lock`).
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from services.evidence.run_lock.lock_owner import Holder
from shared.file_lock import open_locked

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
        if (handle := self._held.get(name)) is not None:
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
                handle = open_locked(path, create=True)
            except FileNotFoundError:  # who let go of the last one took the folder away
                continue
            if _is_at(path, handle):
                return handle
            os.close(handle)


def _is_at(path: Path, handle: int) -> bool:
    """False where whoever held the file before has removed it between our opening and locking it."""
    with suppress(FileNotFoundError):
        return path.stat().st_ino == os.fstat(handle).st_ino
    return False

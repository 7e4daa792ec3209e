"""Locks of runs in a folder: no two processes write one run.

The kernel releases a file lock when its process ends, also after kill -9. Between machines that share a disk it is as
reliable as the locks of that disk (see `shared.file_lock`).
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from services.evidence.run_lock.lock_owner import LockOwner
from shared.file_lock import open_locked

MAX_RECORD_BYTES = 4096


def this_process() -> LockOwner:
    return LockOwner(host=socket.gethostname(), pid=os.getpid(), since=datetime.now(UTC).replace(microsecond=0))


class FileLocks:
    """``folder`` has a file for each lock that is taken. It is made on first use, and removed when it is empty."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._handles: dict[str, int] = {}

    def take(self, name: str, record: bytes | None = None) -> bool:
        """Take a lock; return whether this process did not have it before. Raises BlockingIOError if another has it.

        ``record`` is written into the lock's file for others; None leaves the file as it is.
        """
        if name in self._handles:
            return False
        self._handles[name] = self._open(self._folder / name)
        if record is not None:
            self.write(name, record)
        return True

    def write(self, name: str, record: bytes) -> None:
        """Write a record into the file of a lock that is taken. If that fails, the lock is released."""
        try:
            os.ftruncate(self._handles[name], 0)
            os.pwrite(self._handles[name], record[:MAX_RECORD_BYTES], 0)
        except OSError:
            self.release(name)
            raise

    def read(self, name: str) -> bytes:
        """Return the record in the lock's file, also one that a dead process left; empty if there is none."""
        if (handle := self._handles.get(name)) is not None:
            return os.pread(handle, MAX_RECORD_BYTES, 0)
        with suppress(OSError):
            return (self._folder / name).read_bytes()[:MAX_RECORD_BYTES]
        return b""

    def release(self, name: str) -> None:
        """Release the lock and remove its file. Idempotent."""
        if name in self._handles:
            (self._folder / name).unlink(missing_ok=True)
            self.abandon(name)
            with suppress(OSError):  # another lock is taken, or the folder is gone
                self._folder.rmdir()

    def abandon(self, name: str) -> None:
        """Release the lock as a dying process does: its file stays."""
        if (handle := self._handles.pop(name, None)) is not None:
            os.close(handle)

    def close(self) -> None:
        for name in list(self._handles):
            self.release(name)

    def _open(self, path: Path) -> int:
        while True:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                handle = open_locked(path, create=True)
            except FileNotFoundError:  # the process that released the last lock removed the folder
                continue
            if _is_at(path, handle):
                return handle
            os.close(handle)


def _is_at(path: Path, handle: int) -> bool:
    """Whether the locked file is still at its path: its last owner may have removed it before the lock was taken."""
    with suppress(FileNotFoundError):
        return path.stat().st_ino == os.fstat(handle).st_ino
    return False

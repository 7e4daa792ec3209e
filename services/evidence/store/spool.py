"""A local folder in which a store prepares files, for this process alone, and the files that are written there.

A file lock marks the folder as in use. The system releases it however the process ends, so the leftovers of a
dead process can be told from the files of a living one, in any container.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from services.evidence.ports import OnBlocked
from services.evidence.store.disk import make_folders, on_disk
from shared.errors import Unavailable
from shared.file_lock import hold_lock, open_locked


class Spool:
    """``root`` is shared with other processes. It and the folder of this process are made on first use."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._own: Path | None = None
        self._lock: int | None = None

    @property
    def folder(self) -> Path:
        if self._own is None or not self._own.is_dir():
            with on_disk(self.root, 0):
                self._open()
        assert self._own is not None
        return self._own

    def new_file(self) -> Path:
        """Return an unused path."""
        return self.folder / uuid.uuid4().hex

    def clear_leftovers(self) -> None:
        """Remove what dead processes have left; then the root, if it is empty."""
        if self.root.is_dir():
            with hold_lock(self.root):
                self._remove_leftovers()
                self._remove_root()

    def close(self) -> None:
        """Remove the folder of this process, and the root if it is empty. Using the spool again makes a new folder."""
        own, lock, self._own, self._lock = self._own, self._lock, None, None
        if own is None or lock is None:
            return
        shutil.rmtree(own, ignore_errors=True)
        os.close(lock)
        if self.root.is_dir():
            with hold_lock(self.root):
                self._remove_root()

    def _open(self) -> None:
        self.close()
        while True:
            make_folders(self.root)
            with hold_lock(self.root):
                if self.root.is_dir():  # another process may have just removed it
                    self._remove_leftovers()
                    self._own = self.root / uuid.uuid4().hex
                    self._own.mkdir()
                    self._lock = open_locked(self._own)
                    return

    def _remove_leftovers(self) -> None:
        for entry in self.root.iterdir():
            with suppress(OSError):
                os.close(open_locked(entry))  # raises if a living process has the lock
                shutil.rmtree(entry, ignore_errors=True)

    def _remove_root(self) -> None:
        with suppress(OSError):  # another process has a folder there
            self.root.rmdir()


class HashingSpoolFile:
    """See :class:`services.evidence.ports.SpooledFile`. Raises Unavailable if the disk is full."""

    def __init__(self, spool: Spool) -> None:
        self.refused: Unavailable | None = None
        self.size_bytes = 0
        with self._on_disk(spool.root):
            self.path = spool.new_file()
            self._file = self.path.open("wb")
        self._hash = hashlib.sha256()

    def write(self, data: bytes, /) -> None:
        self._hash.update(data)
        self.size_bytes += len(data)
        with self._on_disk(self.path):
            self._file.write(data)

    def finish(self) -> str:
        with self._on_disk(self.path):
            self._file.close()
        return self._hash.hexdigest()

    def drop(self) -> None:
        self.path.unlink(missing_ok=True)
        with suppress(OSError):
            self._file.close()

    @contextmanager
    def _on_disk(self, path: Path) -> Generator[None]:
        try:
            with on_disk(path, self.size_bytes):
                yield
        except Unavailable as exc:
            self.refused = exc
            raise


@asynccontextmanager
async def spooled_file(spool: Spool, key: str, on_blocked: OnBlocked) -> AsyncGenerator[HashingSpoolFile]:
    """Return a new file of the spool. It is removed after the block, unless it was moved."""
    file: HashingSpoolFile | None = None
    try:
        file = HashingSpoolFile(spool)
        yield file
    except Unavailable as exc:
        if file is None or exc is file.refused:  # any other error is reported where it is raised
            await on_blocked(key, str(exc))
        raise
    finally:
        if file is not None:
            file.drop()

"""A folder of this machine in which a store prepares files, for this process alone.

It holds a lock for as long as the process lives, which the system takes away however that ends: what a process that
died has left behind is told from what another one is at work on, in whatever container.
"""

from __future__ import annotations

import os
import shutil
import uuid
from contextlib import suppress
from pathlib import Path

from services.evidence.store.disk_errors import on_disk
from shared.file_lock import locked, open_locked


class Spool:
    """``root`` is shared with other processes; both it and our own folder are made when they are needed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._own: Path | None = None
        self._held: int | None = None

    @property
    def folder(self) -> Path:
        if self._own is None or not self._own.is_dir():
            with on_disk(self.root, 0):
                self._open()
        assert self._own is not None
        return self._own

    def new_file(self) -> Path:
        """A name that nobody else uses; nothing stands there yet."""
        return self.folder / uuid.uuid4().hex

    def clear_leftovers(self) -> None:
        """Removes what processes that died have left behind; where nothing is left, the root too."""
        if self.root.is_dir():
            with locked(self.root):
                self._clear()
                self._remove_root()

    def close(self) -> None:
        """Removes our own folder, and the root where it was the last. Using it again makes a new one."""
        own, held, self._own, self._held = self._own, self._held, None, None
        if own is None or held is None:
            return
        shutil.rmtree(own, ignore_errors=True)
        os.close(held)
        if self.root.is_dir():
            with locked(self.root):
                self._remove_root()

    def _open(self) -> None:
        self.close()
        while True:
            self.root.mkdir(parents=True, exist_ok=True)
            with locked(self.root):
                if self.root.is_dir():  # or another process has just removed it
                    self._clear()
                    self._own = self.root / uuid.uuid4().hex
                    self._own.mkdir()
                    self._held = open_locked(self._own)
                    return

    def _clear(self) -> None:
        for entry in self.root.iterdir():
            with suppress(OSError):
                os.close(open_locked(entry))  # raises where a living process holds it
                shutil.rmtree(entry, ignore_errors=True)

    def _remove_root(self) -> None:
        with suppress(OSError):  # another process has its folder there
            self.root.rmdir()

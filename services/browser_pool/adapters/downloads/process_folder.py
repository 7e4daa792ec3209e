"""A temporary folder that ends with the process, however it ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

from shared.file_lock import open_locked

PREFIX = "exhibit-files-"
LOCK = "lock"
YOUNG_S = 60.0
"""A younger folder may belong to a process that has not locked it yet."""


@cache
def process_folder_path() -> Path:
    """Return this process's folder, removed at its end. Folders of killed processes are removed here."""
    parent = Path(tempfile.gettempdir())
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            _remove_if_left_over(folder)
    owned = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
    _owned.append(owned)
    _locks.append(open_locked(Path(owned.name) / LOCK, create=True, wait=True))
    return Path(owned.name)


_owned: list[tempfile.TemporaryDirectory[str]] = []
_locks: list[int] = []


def _remove_if_left_over(folder: Path) -> None:
    # Folders of other users and links under our prefix are left alone.
    about = folder.lstat()
    if about.st_uid != os.getuid() or folder.is_symlink() or time.time() - about.st_mtime < YOUNG_S:
        return
    descriptor = open_locked(folder / LOCK)  # raises OSError while its process is alive
    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)

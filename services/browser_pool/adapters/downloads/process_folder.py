"""Folders on this machine's disk that end with the process, however it ends."""

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
"""A folder this young may be one whose process has not got to locking it yet."""


@cache
def process_folder_path() -> Path:
    """One folder a process, removed at its end; those of processes that were killed are removed here."""
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
    # Another user's folder under our prefix, or a link that somebody laid there, is none of our business.
    about = folder.lstat()
    if about.st_uid != os.getuid() or folder.is_symlink() or time.time() - about.st_mtime < YOUNG_S:
        return
    descriptor = open_locked(folder / LOCK)  # raises OSError while its process lives
    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)

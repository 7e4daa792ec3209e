"""Exclusive locks between processes, on files and folders.

The kernel releases a lock when its process ends, even by kill -9, so files of dead processes can be recognised.
A lock belongs to the descriptor that `open_locked` returned. Closing it releases the lock; a second one of the
same process is refused like that of another process; programs that are started as children do not inherit it.

Between machines that share a disk a lock is as good as the locks of that disk: over NFS, Linux asks the server (unless
mounted with ``local_lock``), and can lock no folders there.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from filelock import lock_descriptor

POLL_S = 0.01


def open_locked(path: Path, *, create: bool = False, wait: bool = False) -> int:
    """Open and lock a file or a folder; return the descriptor, which releases the lock when it is closed.

    Args:
        create: a missing file is created; an existing one is opened for writing, and never truncated.
        wait: wait until the lock is free.

    Raises:
        BlockingIOError: another descriptor holds the lock, and ``wait`` is False.
        OSError: the path cannot be opened or locked.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT if create else os.O_RDONLY, 0o644)
    try:
        if not lock_descriptor(descriptor, blocking=wait, poll_interval=POLL_S):
            raise BlockingIOError(f"{path} is locked")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def hold_lock(path: Path) -> Generator[None]:
    """Hold the lock of a file or a folder within the block; wait until it is free."""
    descriptor = open_locked(path, wait=True)
    try:
        yield
    finally:
        os.close(descriptor)

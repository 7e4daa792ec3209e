"""Files on a local disk: atomic writes, hard links, fsync, and the errors of the operating system."""

from __future__ import annotations

import errno
import filecmp
import os
import shutil
import tempfile
from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from services.evidence.ports import NameTakenError
from shared.errors import PermanentError, Unavailable

_HARD_LINK_REFUSED = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EXDEV, errno.EMLINK, errno.EACCES}
"""Errors of file systems without hard links, and of a file that has as many links as it can have."""
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT
CONCURRENT_SYNCS = 8
_copy_lock = Lock()
"""Without hard links, only this prevents two writers of one name. They are threads of one process, because one evidence
process serves a bus."""


@contextmanager
def on_disk(path: Path, size_bytes: int) -> Generator[None]:
    """Turn errors of the disk into Unavailable: trying again helps once a person has made room."""
    try:
        yield
    except OSError as exc:
        if exc.errno in _DISK_FULL:
            what = f"{size_bytes} bytes for {path} do not fit" if size_bytes else f"nothing fits into {path}"
            message = f"the disk is full: {what}; make room and the run goes on"
            raise Unavailable(message, code="disk_full") from exc
        message = f"{path} cannot be used: {exc.strerror or exc}; the run goes on when it can"
        raise Unavailable(message, code="store_unavailable") from exc


def make_folders(folder: Path) -> None:
    """Create a folder, and those above it that are missing, for their owner alone. One that is there stays as it is:
    who shares evidence with others opens its folder to them."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        make_folders(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees all of it or nothing. An existing file is replaced."""
    make_folders(path.parent)
    with _replace(path) as file:
        file.write(data)


def append_line(path: Path, line: bytes) -> None:
    """Append a line, which ends with its newline. A last line without one was cut off while it was written: it is
    removed first."""
    try:
        handle = os.open(path, _APPEND, 0o644)
    except FileNotFoundError:
        make_folders(path.parent)
        handle = os.open(path, _APPEND, 0o644)
    try:
        _remove_torn_line(handle)
        while line:
            line = line[os.write(handle, line) :]
    finally:
        os.close(handle)


def _remove_torn_line(handle: int) -> None:
    size_bytes = os.fstat(handle).st_size
    if size_bytes and os.pread(handle, 1, size_bytes - 1) != b"\n":
        os.ftruncate(handle, os.pread(handle, size_bytes, 0).rfind(b"\n") + 1)


def move_into_place(path: Path, target: Path) -> None:
    """Move a finished file to its name. An existing file is replaced."""
    make_folders(target.parent)
    path.chmod(0o644)
    path.replace(target)


def store_content(path: Path, target: Path) -> None:
    """Link or copy a file to ``target``, a name that is the hash of its bytes. ``path`` stays.

    Raises PermanentError (``object_damaged``) if ``target`` exists with other bytes.
    """
    path.chmod(0o644)
    if not _link(path, target) and not filecmp.cmp(path, target, shallow=False):
        message = f"{target} is damaged: it has {target.stat().st_size} bytes, and they are not those of its name"
        raise PermanentError(message, code="object_damaged")


def link_content(content: Path, target: Path) -> None:
    """Make ``target`` a name of the bytes at ``content``. Raises NameTakenError if it names others."""
    if not _link(content, target) and not _same(content, target):
        raise NameTakenError(target.name)


def _same(one: Path, other: Path) -> bool:
    return one.samefile(other) or filecmp.cmp(one, other, shallow=False)


def _link(path: Path, to: Path) -> bool:
    """Make a hard link, or a copy if the file system has no links. Return False if the name is taken."""
    make_folders(to.parent)
    try:
        to.hardlink_to(path)
    except FileExistsError:
        return False
    except OSError as exc:
        if exc.errno not in _HARD_LINK_REFUSED:
            raise
        return _copy(path, to)
    return True


def _copy(path: Path, to: Path) -> bool:
    with _copy_lock:
        if to.exists():
            return False
        with path.open("rb") as source, _replace(to) as file:
            shutil.copyfileobj(source, file)
    return True


@contextmanager
def _replace(path: Path) -> Generator[BinaryIO]:
    """Return a new file that replaces ``path`` after the block; after an error it is removed."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def sync(folder: Path, more: Iterable[Path]) -> None:
    """Make the files of ``folder`` survive a power failure: sync the files first, then the folders with their names
    (``folder`` and ``more``), because a name must not survive without its bytes. Concurrent: many syncs take as long as
    one."""
    with ThreadPoolExecutor(CONCURRENT_SYNCS) as pool:
        list(pool.map(_sync, [entry for entry in folder.iterdir() if entry.is_file()]))
        list(pool.map(_sync, [folder, *more]))


def sync_file(file: Path, folders: Iterable[Path]) -> None:
    """As `sync`, of one file and the folders above it."""
    for path in (file, *folders):
        _sync(path)


def _sync(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:  # moved meanwhile
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

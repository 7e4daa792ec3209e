"""Files written so that nobody ever sees half of one, and captured bytes so that nobody ever loses one."""

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

from shared.errors import PermanentError

_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EXDEV, errno.EMLINK, errno.EACCES}
"""What file systems without hard links say to one, and those whose file has as many as it can have."""
SYNCED_AT_ONCE = 8
_naming = Lock()
"""Where there are no links, nothing but this keeps two writers of one name apart; they are of one process, for one
evidence process serves a bus."""


def write_whole(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with _replacing(path) as file:
        file.write(data)


def place(path: Path, target: Path) -> None:
    """Moves a file that nobody writes to any more."""
    target.parent.mkdir(parents=True, exist_ok=True)
    path.chmod(0o644)
    path.replace(target)


def keep_content(path: Path, lies: Path) -> None:
    """``path``, which stays, has its bytes at ``lies`` too. What lies there already is compared: PermanentError with
    the code ``object_damaged`` where it differs, for its name is the hash of its bytes."""
    path.chmod(0o644)
    if not _link(path, lies) and not filecmp.cmp(path, lies, shallow=False):
        told = f"{lies} is damaged: it has {lies.stat().st_size} bytes, and they are not those of its name"
        raise PermanentError(told, code="object_damaged")


def link_new(lies: Path, target: Path) -> None:
    """``target`` names the bytes at ``lies``. PermanentError with the code ``name_taken`` where it names others."""
    if not _link(lies, target) and not _same(lies, target):
        told = f"{target.name}: another file stands under this name, and evidence is never overwritten"
        raise PermanentError(told, code="name_taken")


def _same(one: Path, other: Path) -> bool:
    return one.samefile(other) or filecmp.cmp(one, other, shallow=False)


def _link(path: Path, to: Path) -> bool:
    """A second name of the file, or where there are no links a copy of it; False where something has that name."""
    to.parent.mkdir(parents=True, exist_ok=True)
    try:
        to.hardlink_to(path)
    except FileExistsError:
        return False
    except OSError as exc:
        if exc.errno not in _NO_LINKS:
            raise
        return _copy(path, to)
    return True


def _copy(path: Path, to: Path) -> bool:
    with _naming:
        if to.exists():
            return False
        with path.open("rb") as source, _replacing(to) as file:
            shutil.copyfileobj(source, file)
    return True


@contextmanager
def _replacing(path: Path) -> Generator[BinaryIO]:
    """What is written takes the place of ``path`` at the end, or nothing is left of it."""
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
    """Makes the files of ``folder`` outlive a power failure: first they, then the folders they have their names in. A
    name must not outlive what it names. Side by side, for a disk takes in many in the time of one."""
    with ThreadPoolExecutor(SYNCED_AT_ONCE) as pool:
        list(pool.map(_sync, [entry for entry in folder.iterdir() if entry.is_file()]))
        list(pool.map(_sync, [folder, *more]))


def _sync(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:  # put aside meanwhile
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""The files of a library's folder: read with bounds, written so that a reader sees all of them or nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from shared.workflow_source.files import MAX_BYTES, MAX_FILES, is_hidden
from shared.workflow_source.module import MAX_SOURCE_CHARS

FILES_SUFFIX = ".files"
"""Of the folder beside ``NAME.py`` with the files of the workflow ``NAME``."""
MAX_FILE_BYTES = 4 * MAX_SOURCE_CHARS
Stamp = tuple[int, int, int]
"""Time of the last change in ns, size, inode; of a folder, a number of all below it."""


class BadFileError(ValueError):
    """A file of a version cannot be read. ``file``: its path relative to the version's folder."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(reason)
        self.file = file


def stamps_in(folder: Path, suffix: str) -> dict[str, Stamp]:
    """Return the stamp of each file with this suffix, by its stem; none of names that begin with ``_`` or ``.``."""
    found: dict[str, Stamp] = {}
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(suffix) and not entry.name.startswith(("_", ".")):
                with suppress(FileNotFoundError):  # removed meanwhile, or a link to nowhere
                    found[entry.name.removesuffix(suffix)] = (
                        _stamp_of_folder(Path(entry.path)) if suffix == FILES_SUFFIX else _stamp(entry.stat())
                    )
    return found


def read_source(path: Path) -> str:
    """Return the text of a regular file. Raises OSError, and ValueError for another, a too large, or no UTF-8 one."""
    return _read(path, MAX_FILE_BYTES)


def read_version_files(folder: Path) -> dict[str, str]:
    """Return the texts of all files below a folder, by their paths; hidden ones are left out. Empty without a folder.

    Raises BadFileError.
    """
    files: dict[str, str] = {}
    left = MAX_BYTES
    for path in _paths_below(folder):
        name = path.relative_to(folder).as_posix()
        if len(files) >= MAX_FILES:
            raise BadFileError(name, f"there are more than {MAX_FILES} files")
        try:
            files[name] = _read(path, left)
        except (OSError, ValueError) as exc:
            raise BadFileError(name, getattr(exc, "strerror", None) or str(exc)) from exc
        left -= len(files[name].encode())
    return files


def write(path: Path, data: bytes, *, replace: bool) -> None:
    """Write a file so that a reader sees all of it or nothing, also after a power failure.

    Raises FileExistsError when it exists and may not be replaced.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.parent / f".{uuid4().hex}.part"
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            part.replace(path)
        else:
            path.hardlink_to(part)
    finally:
        part.unlink(missing_ok=True)


def keep_bytes(path: Path, data: bytes) -> None:
    """Write a file that has the SHA-256 of its bytes as its name, unless it is there. Raises OSError."""
    if kept_bytes(path) is None:
        write(path, data, replace=True)


def kept_bytes(path: Path) -> bytes | None:
    """Return the bytes of such a file; None where there are none, or others."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    return data if hashlib.sha256(data).hexdigest() == path.name else None


def write_version_files(folder: Path, files: Mapping[str, str]) -> None:
    """Let a folder hold exactly these files; without any, there is no folder afterwards."""
    new = folder.parent / f".{uuid4().hex}.part"
    try:
        for name, text in files.items():
            write(new / name, text.encode(), replace=False)
        if folder.exists():
            old = folder.parent / f".{uuid4().hex}.old"
            folder.rename(old)
            shutil.rmtree(old, ignore_errors=True)
        if files:
            new.rename(folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _paths_below(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not is_hidden(one))
        for name in sorted(names):
            if not is_hidden(name):
                yield Path(parent) / name


def _stamp_of_folder(folder: Path) -> Stamp:
    facts = [(path.as_posix(), *_stamp(path.lstat())) for path in _paths_below(folder)]
    return (hash(tuple(facts)), len(facts), 0)


def _stamp(facts: os.stat_result) -> Stamp:
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


def _read(path: Path, most_bytes: int) -> str:
    if not stat.S_ISREG(path.stat().st_mode):  # to open a pipe would wait, with the lock held
        raise ValueError("it is no regular file")
    with path.open("rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise ValueError(f"the file has more than {most_bytes} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as exc:
        raise ValueError("the file is not UTF-8 text") from exc

"""The storage in a folder: each current workflow is a file ``name.py`` that people may write, edit and remove.

    workflows/
      fetch_json.py              the current version
      .library/
        history/fetch_json.json  every change, with who made it and when
        sources/<sha256>.py      the source of every version
        lock                     held while something is changed

What was changed by hand is recorded with the author `FILE` when the folder is loaded, and when the workflow is used.
"""

from __future__ import annotations

import asyncio
import errno
import os
import stat
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

import msgspec

from services.workflows.clock import utc_now
from services.workflows.library.versions import (
    MAX_ENTRIES,
    created,
    current_of,
    deleted,
    errors_of,
    file_problems,
    hash_of,
    make_version,
    with_entry,
)
from services.workflows.ports import Shelf
from shared.contracts.workflows.library import FileProblem, HistoryEntry, WorkflowHistory
from shared.errors import PermanentError, Unavailable
from shared.file_lock import open_locked
from shared.workflow_source.module import MAX_SOURCE_CHARS

FILE = "file"
"""The author of what was changed by hand."""
LIBRARY_FOLDER = ".library"
MAX_FILE_BYTES = 4 * MAX_SOURCE_CHARS
LOOK_EVERY_S = 2.0
"""Between two looks at every file: with thousands of them each takes some time."""
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}
ResultT = TypeVar("ResultT")
_Stamp = tuple[int, int, int]
"""Time of the last change in ns, size, inode."""
_Stamps = tuple[_Stamp | None, _Stamp | None]


class FolderStorage:
    """See :class:`services.workflows.ports.WorkflowStorage`.

    A folder that cannot be written is read-only: its files are workflows, and changes by hand are not recorded.
    """

    def __init__(
        self, folder: Path, now: Callable[[], datetime] = utc_now, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.folder = folder
        self._now, self._clock = now, clock
        self._files, self._next_look = 0, 0.0
        self._own = folder / LIBRARY_FOLDER
        self._histories, self._sources = self._own / "history", self._own / "sources"
        self._loaded: dict[str, tuple[_Stamps, WorkflowHistory, list[FileProblem]]] = {}
        """What the last `load` found; a file with the same stamp is not read again."""
        self._unrecorded: dict[str, str] = {}
        """Hash to name, of sources that could not be stored because the folder is read-only."""

    async def load(self) -> Shelf:
        return await self._locked(self._load)

    async def revision(self) -> str:
        """See the port. A file that is edited in place changes no folder, and is seen within `LOOK_EVERY_S`."""
        return await asyncio.to_thread(self._revision)

    def _revision(self) -> str:
        def stamp(folder: Path) -> int:
            try:
                return folder.stat().st_mtime_ns
            except OSError:
                return 0

        if (now := self._clock()) >= self._next_look:
            self._files = hash(frozenset(_stamps_in(self.folder, ".py").items()))
            self._next_look = now + LOOK_EVERY_S
        return f"{stamp(self.folder)}-{stamp(self._histories)}-{self._files}"

    async def history(self, name: str) -> WorkflowHistory:
        def read() -> WorkflowHistory:
            history, problems = self._sync(name)
            if problems:
                first = problems[0]
                raise PermanentError(f"{first.file}:{first.line}: {first.message}", code="workflow_unreadable")
            return history

        return await self._locked(read)

    async def source(self, hash: str) -> str | None:
        return await asyncio.to_thread(self._read_source, hash)

    async def append(self, name: str, entry: HistoryEntry, source: str) -> bool:
        def append() -> bool:
            try:
                return self._append(name, entry, source)
            except OSError as exc:
                raise _unwritable(self.folder, exc) from exc

        return await self._locked(append, writes=True)

    async def close(self) -> None:
        """Nothing is held open."""

    # --- with the lock held

    def _load(self) -> Shelf:
        before = self._stamps()
        histories: dict[str, WorkflowHistory] = {}
        problems: list[FileProblem] = []
        for name in sorted(before):
            known = self._loaded.get(name)
            history, wrong = known[1:] if known is not None and known[0] == before[name] else self._sync(name)
            problems += wrong
            if history.entries and not wrong:
                histories[name] = history
            self._loaded[name] = (before[name], history, wrong)
        return Shelf(histories, tuple(problems))

    def _stamps(self) -> dict[str, _Stamps]:
        """Return what changes when the file or the history of a name does, by name."""
        files, histories = _stamps_in(self.folder, ".py"), _stamps_in(self._histories, ".json")
        return {name: (files.get(name), histories.get(name)) for name in files.keys() | histories.keys()}

    def _sync(self, name: str) -> tuple[WorkflowHistory, list[FileProblem]]:
        """Return the history, after what was changed by hand was recorded; and what is wrong with the file."""
        path, history = self._path(name), self._read_history(name)
        current = current_of(history)
        try:
            source = _read_file(path)
        except FileNotFoundError:
            if current is not None:
                history = self._record(name, history, deleted(current, FILE, self._now()), None)
            return history, []
        except (OSError, ValueError) as exc:
            return history, [_unreadable(path.name, exc)]
        if current is not None and current.hash == hash_of(source):
            return history, []
        if errors := errors_of(source, name):
            return history, file_problems(_shown(path.name), errors)
        at = self._now()
        if current is not None:
            history = self._record(name, history, deleted(current, FILE, at), None)
        version = make_version(name, source, description="", author=FILE, at=at)
        history = self._record(name, history, created(version), source)
        if current_of(history) != version:
            message = (
                f"it was changed, and its history has {MAX_ENTRIES} entries, which is the most: give it another name"
            )
            return history, [FileProblem(file=_shown(path.name), line=0, message=message)]
        return history, []

    def _record(self, name: str, history: WorkflowHistory, entry: HistoryEntry, source: str | None) -> WorkflowHistory:
        """Return the history with the entry, and write both unless the folder is read-only."""
        changed = with_entry(history, entry)
        if changed is None:
            return history
        try:
            self._write_history(name, changed, entry, source)
        except OSError as exc:
            if exc.errno not in _READ_ONLY:
                raise
            self._unrecorded[entry.version.hash] = name
        return changed

    def _append(self, name: str, entry: HistoryEntry, source: str) -> bool:
        path = self._path(name)
        if entry.kind == "created" and path.exists():
            return False  # perhaps a file that is no workflow; it is not overwritten either
        history, problems = self._sync(name)
        changed = with_entry(history, entry)
        if changed is None or problems:
            return False
        if entry.kind == "created":
            self._write_history(name, changed, entry, source)
            # A new name, never a replacement: a file that somebody writes meanwhile is not lost.
            _write(path, source.encode(), replace=False)
        else:
            path.unlink()
            self._write_history(name, changed, entry, None)
        return True

    def _write_history(self, name: str, history: WorkflowHistory, entry: HistoryEntry, source: str | None) -> None:
        if source is not None:
            # Before the history that names it: a source that nothing names is harmless.
            _write(self._sources / f"{entry.version.hash}.py", source.encode(), replace=True)
        _write(self._histories / f"{name}.json", msgspec.json.encode(history), replace=True)

    def _read_history(self, name: str) -> WorkflowHistory:
        path = self._histories / f"{name}.json"
        try:
            return msgspec.json.decode(path.read_bytes(), type=WorkflowHistory)
        except FileNotFoundError:
            return WorkflowHistory()
        except msgspec.MsgspecError as exc:
            message = f"{path} is damaged ({exc}): restore it, or remove it to begin a new history of {name}"
            raise PermanentError(message, code="workflow_unreadable") from exc

    def _read_source(self, hash: str) -> str | None:
        try:
            source = (self._sources / f"{hash}.py").read_bytes().decode()
        except FileNotFoundError:
            return self._find_in_files(hash)
        if hash_of(source) != hash:
            raise PermanentError(f"the stored source {hash[:12]} was changed", code="workflow_unreadable")
        return source

    def _find_in_files(self, hash: str) -> str | None:
        """Return the source from its file: in a folder that is read-only it is stored nowhere else."""
        name = self._unrecorded.get(hash)
        with suppress(OSError, ValueError):
            if name is not None and hash_of(source := _read_file(self._path(name))) == hash:
                return source
        return None

    def _path(self, name: str) -> Path:
        path = self.folder / f"{name}.py"
        if path.parent != self.folder or name in {"", ".", ".."} or "\\" in name:
            raise PermanentError(f"{name!r} cannot be the name of a file", code="unsafe_name")
        return path

    async def _locked(self, work: Callable[[], ResultT], *, writes: bool = False) -> ResultT:
        def run() -> ResultT:
            with self._lock(writes=writes):
                return work()

        return await asyncio.to_thread(run)

    @contextmanager
    def _lock(self, *, writes: bool) -> Generator[None]:
        """Hold the lock of the folder over all processes. Nothing is locked for reading what cannot be written, or is
        not there: a mistyped name must not become a folder."""
        if not writes and not self.folder.is_dir():
            yield
            return
        try:
            self._own.mkdir(parents=True, exist_ok=True)
            descriptor = open_locked(self._own / "lock", create=True, wait=True)
        except OSError as exc:
            if not writes and exc.errno in _READ_ONLY:
                yield
                return
            raise _unwritable(self.folder, exc) from exc
        try:
            yield
        finally:
            os.close(descriptor)


def _unwritable(folder: Path, exc: OSError) -> Unavailable | PermanentError:
    message = f"the library in {folder} cannot be written: {exc.strerror or exc}"
    if exc.errno in _READ_ONLY:
        return PermanentError(message, code="cannot_write")
    return Unavailable(message, code="store_unavailable")


def _stamps_in(folder: Path, suffix: str) -> dict[str, _Stamp]:
    """Return the stamp of each file with this suffix, by its stem; none of names that begin with ``_`` or ``.``."""
    found: dict[str, _Stamp] = {}
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(suffix) and not entry.name.startswith(("_", ".")):
                with suppress(FileNotFoundError):  # removed meanwhile, or a link to nowhere
                    facts = entry.stat()
                    found[entry.name.removesuffix(suffix)] = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
    return found


def read_files(folder: Path) -> tuple[dict[str, str], list[FileProblem]]:
    """Return the texts of a folder's workflow files by name, and the files that cannot be read."""
    sources: dict[str, str] = {}
    problems: list[FileProblem] = []
    for name in sorted(_stamps_in(folder, ".py")):
        try:
            sources[name] = _read_file(folder / f"{name}.py")
        except (OSError, ValueError) as exc:
            problems.append(_unreadable(f"{name}.py", exc))
    return sources, problems


def _unreadable(file: str, exc: OSError | ValueError) -> FileProblem:
    return FileProblem(file=_shown(file), line=0, message=getattr(exc, "strerror", None) or str(exc))


def _shown(file: str) -> str:
    """Return the name of a file as a message can hold it: bytes that are not UTF-8 are escaped."""
    return os.fsencode(file).decode(errors="backslashreplace")


def _read_file(path: Path) -> str:
    """Return the text of a regular file. Raises OSError, and ValueError for another, a too large, or no UTF-8 one."""
    if not stat.S_ISREG(path.stat().st_mode):  # to open a pipe would wait, with the lock held
        raise ValueError("it is no regular file")
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"the file has more than {MAX_FILE_BYTES} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as exc:
        raise ValueError("the file is not UTF-8 text") from exc


def _write(path: Path, data: bytes, *, replace: bool) -> None:
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

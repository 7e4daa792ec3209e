"""The storage in a folder: each current workflow is a file ``name.py`` that people may write, edit and remove.

    workflows/
      fetch_json.py              the current version
      fetch_json.files/          its files, where it has any
      .library/
        history/fetch_json.json  every change, with who made it and when
        sources/<hash>.py        the source of every version, and in <hash>.files.json its files
        samples/<hash>           recorded samples, and sets of them, under their own hash
        writing/fetch_json       while a version with files is written: its hash
        lock                     held while something is changed

What was changed by hand is recorded with the author `FILE` when the folder is loaded, and when the workflow is used.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from services.workflows.clock import utc_now
from services.workflows.library.storage.text_files import (
    FILES_SUFFIX,
    BadFileError,
    Stamp,
    keep_bytes,
    kept_bytes,
    read_source,
    read_version_files,
    stamps_in,
    write,
    write_version_files,
)
from services.workflows.library.versions import (
    MAX_ENTRIES,
    created,
    current_of,
    deleted,
    errors_of,
    file_problems,
    hash_of,
    make_version,
    with_entries,
    with_entry,
)
from services.workflows.ports import Shelf
from shared.contracts.workflows.library import FileProblem, HistoryEntry, WorkflowHistory, WorkflowVersion
from shared.errors import PermanentError, Unavailable
from shared.file_lock import open_locked

FILE = "file"
"""The author of what was changed by hand."""
LIBRARY_FOLDER = ".library"
LOOK_EVERY_S = 2.0
"""Between two looks at every file: with thousands of them each takes some time."""
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}
ResultT = TypeVar("ResultT")
_Stamps = tuple[Stamp | None, Stamp | None, Stamp | None]
_Version = tuple[str, dict[str, str]]
"""Source and files."""


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
        self._writing, self._samples = self._own / "writing", self._own / "samples"
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
            found = (*stamps_in(self.folder, ".py").items(), *stamps_in(self.folder, FILES_SUFFIX).items())
            self._files = hash(frozenset(found))
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
        found = await asyncio.to_thread(self._read_version, hash)
        return None if found is None else found[0]

    async def files(self, hash: str) -> dict[str, str]:
        found = await asyncio.to_thread(self._read_version, hash)
        return {} if found is None else found[1]

    async def keep(self, sha256: str, data: bytes) -> None:
        try:
            await asyncio.to_thread(keep_bytes, self._samples / sha256, data)
        except OSError as exc:
            raise _unwritable(self.folder, exc) from exc

    async def kept(self, sha256: str) -> bytes | None:
        return await asyncio.to_thread(kept_bytes, self._samples / sha256)

    async def append(
        self, name: str, entries: Sequence[HistoryEntry], source: str = "", files: Mapping[str, str] | None = None
    ) -> bool:
        def append() -> bool:
            try:
                return self._append(name, entries, (source, dict(files or {})))
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
        sources, histories = stamps_in(self.folder, ".py"), stamps_in(self._histories, ".json")
        files = stamps_in(self.folder, FILES_SUFFIX)
        names = sources.keys() | histories.keys()
        return {name: (sources.get(name), histories.get(name), files.get(name)) for name in names}

    def _sync(self, name: str) -> tuple[WorkflowHistory, list[FileProblem]]:
        """Return the history, after what was changed by hand was recorded; and what is wrong with the file."""
        path, history = self._path(name), self._read_history(name)
        current = current_of(history)
        self._finish_writing(name, current)
        try:
            source, files = self._read_current(name)
        except FileNotFoundError:
            if current is not None:
                history = self._record(name, history, deleted(current, FILE, self._now()), None)
            return history, []
        except BadFileError as exc:
            return history, [_unreadable(f"{name}{FILES_SUFFIX}/{exc.file}", exc)]
        except (OSError, ValueError) as exc:
            return history, [_unreadable(path.name, exc)]
        if current is not None and current.hash == hash_of(source, files):
            return history, []
        if errors := errors_of(source, name, files):
            return history, file_problems(_shown(path.name), errors)
        at = self._now()
        if current is not None:
            history = self._record(name, history, deleted(current, FILE, at), None)
        version = make_version(name, source, files, description="", author=FILE, at=at)
        history = self._record(name, history, created(version), (source, files))
        if current_of(history) != version:
            message = (
                f"it was changed, and its history has {MAX_ENTRIES} entries, which is the most: give it another name"
            )
            return history, [FileProblem(file=_shown(path.name), line=0, message=message)]
        return history, []

    def _record(
        self, name: str, history: WorkflowHistory, entry: HistoryEntry, content: _Version | None
    ) -> WorkflowHistory:
        """Return the history with the entry, and write both unless the folder is read-only."""
        changed = with_entry(history, entry)
        if changed is None:
            return history
        try:
            self._write_history(name, changed, entry, content)
        except OSError as exc:
            if exc.errno not in _READ_ONLY:
                raise
            self._unrecorded[entry.version.hash] = name
        return changed

    def _append(self, name: str, entries: Sequence[HistoryEntry], content: _Version) -> bool:
        path, entry, replaces = self._path(name), entries[-1], len(entries) > 1
        if entry.kind == "created" and not replaces and path.exists():
            return False  # perhaps a file that is no workflow; it is not overwritten either
        history, problems = self._sync(name)
        changed = with_entries(history, entries)
        if changed is None or problems:
            return False
        if entry.kind == "created":
            if not replaces:
                self._remove_left_over(name, history)
            self._make_current(name, changed, entry, content, replaces=replaces)
        else:
            path.unlink()
            shutil.rmtree(self._files_of(name), ignore_errors=True)
            self._write_history(name, changed, entry, None)
        return True

    def _make_current(
        self, name: str, history: WorkflowHistory, entry: HistoryEntry, content: _Version, *, replaces: bool
    ) -> None:
        source, files = content
        is_one_file = not files and not replaces
        if not is_one_file:
            write(self._writing / name, entry.version.hash.encode(), replace=True)
        self._write_history(name, history, entry, content)
        if is_one_file:
            # A new name, never a replacement: a file that somebody writes meanwhile is not lost.
            write(self._path(name), source.encode(), replace=False)
        else:
            self._finish_writing(name, entry.version)

    def _finish_writing(self, name: str, current: WorkflowVersion | None) -> None:
        """Write the current version, if that was begun: a process that ends meanwhile leaves it half done."""
        mark = self._writing / name
        try:
            begun = mark.read_text("utf-8")
        except OSError:
            return
        try:
            if current is not None and current.hash == begun and (found := self._read_version(begun)) is not None:
                write_version_files(self._files_of(name), found[1])
                write(self._path(name), found[0].encode(), replace=True)
            mark.unlink()
        except OSError as exc:
            if exc.errno not in _READ_ONLY:
                raise

    def _remove_left_over(self, name: str, history: WorkflowHistory) -> None:
        """Remove the files of a workflow that is gone. Raises PermanentError for files that are kept nowhere else."""
        folder = self._files_of(name)
        if not folder.exists():
            return
        try:
            files = read_version_files(folder)
        except BadFileError:
            files = {"?": "?"}
        hashes = {entry.version.hash for entry in history.entries if entry.version.files}
        kept = [found[1] for hash in hashes if (found := self._read_version(hash)) is not None]
        if files and files not in kept:
            raise PermanentError(f"{folder} holds files of no workflow: remove it first", code="name_taken")
        shutil.rmtree(folder)

    def _write_history(
        self, name: str, history: WorkflowHistory, entry: HistoryEntry, content: _Version | None
    ) -> None:
        if content is not None:
            # Before the history that names it: a version that nothing names is harmless.
            source, files = content
            if files:
                write(self._sources / f"{entry.version.hash}.files.json", msgspec.json.encode(files), replace=True)
            write(self._sources / f"{entry.version.hash}.py", source.encode(), replace=True)
        write(self._histories / f"{name}.json", msgspec.json.encode(history), replace=True)

    def _read_history(self, name: str) -> WorkflowHistory:
        path = self._histories / f"{name}.json"
        try:
            return msgspec.json.decode(path.read_bytes(), type=WorkflowHistory)
        except FileNotFoundError:
            return WorkflowHistory()
        except msgspec.MsgspecError as exc:
            message = f"{path} is damaged ({exc}): restore it, or remove it to begin a new history of {name}"
            raise PermanentError(message, code="workflow_unreadable") from exc

    def _read_version(self, hash: str) -> _Version | None:
        path = self._sources / f"{hash}.py"
        files: dict[str, str] = {}
        try:
            source = path.read_bytes().decode()
            with suppress(FileNotFoundError):
                files = msgspec.json.decode(path.with_suffix(".files.json").read_bytes(), type=dict[str, str])
        except FileNotFoundError:
            return self._find_in_files(hash)
        except (UnicodeDecodeError, msgspec.MsgspecError) as exc:
            raise PermanentError(f"the stored version {hash[:12]} was changed", code="workflow_unreadable") from exc
        if hash_of(source, files) != hash:
            raise PermanentError(f"the stored source {hash[:12]} was changed", code="workflow_unreadable")
        return source, files

    def _find_in_files(self, hash: str) -> _Version | None:
        """Return the version from its files: in a folder that is read-only it is stored nowhere else."""
        name = self._unrecorded.get(hash)
        with suppress(OSError, ValueError):
            if name is not None and hash_of(*(found := self._read_current(name))) == hash:
                return found
        return None

    def _read_current(self, name: str) -> _Version:
        return read_source(self._path(name)), read_version_files(self._files_of(name))

    def _files_of(self, name: str) -> Path:
        return self.folder / f"{name}{FILES_SUFFIX}"

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


def read_versions(folder: Path) -> tuple[dict[str, _Version], list[FileProblem]]:
    """Return source and files of a folder's workflows by name, and the files that cannot be read."""
    found: dict[str, _Version] = {}
    problems: list[FileProblem] = []
    for name in sorted(stamps_in(folder, ".py")):
        try:
            files = read_version_files(folder / f"{name}{FILES_SUFFIX}")
            found[name] = read_source(folder / f"{name}.py"), files
        except BadFileError as exc:
            problems.append(_unreadable(f"{name}{FILES_SUFFIX}/{exc.file}", exc))
        except (OSError, ValueError) as exc:
            problems.append(_unreadable(f"{name}.py", exc))
    return found, problems


def _unreadable(file: str, exc: OSError | ValueError) -> FileProblem:
    return FileProblem(file=_shown(file), line=0, message=getattr(exc, "strerror", None) or str(exc))


def _shown(file: str) -> str:
    """Return the name of a file as a message can hold it: bytes that are not UTF-8 are escaped."""
    return os.fsencode(file).decode(errors="backslashreplace")

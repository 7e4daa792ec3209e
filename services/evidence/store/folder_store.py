"""The store in a local folder."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from pathlib import Path

from services.evidence.ports import OnBlocked, SpooledFile, ignore_blocked
from services.evidence.run_lock.file_locks import FileLocks, this_process
from services.evidence.run_lock.lock_owner import HELD_ELSEWHERE, parse_owner, refusal
from services.evidence.store.disk import (
    append_line,
    link_content,
    make_folders,
    move_into_place,
    on_disk,
    store_content,
    sync,
    sync_file,
    write_atomically,
)
from services.evidence.store.spool import Spool, spooled_file
from shared.errors import PolicyDenied, Unavailable
from shared.evidence_format.files.json_files import encode_file
from shared.s3.location import object_key

BIG_BYTES = 1_000_000
TRIED_BYTES = 4096
"""A full disk still takes a file of no bytes."""
SPOOL_FOLDER, LOCKS_FOLDER = ".spool", ".held"


class FolderStore:
    """See :class:`services.evidence.ports.Store`. Files are written under a temporary name and renamed; a name of
    captured bytes is a hard link, or a copy if the file system has no links.

    ``spool``: the folder in which files are prepared. None: a folder beside the runs. A store that is written to needs
    that, so that a file is moved by renaming.
    """

    def __init__(self, root: Path, on_blocked: OnBlocked = ignore_blocked, spool: Path | None = None) -> None:
        self._root = root.resolve()
        self._on_blocked = on_blocked
        self._spool = Spool(spool or self._root / SPOOL_FOLDER)
        self._locks = FileLocks(self._root / LOCKS_FOLDER)
        self._unsynced: dict[str, set[Path]] = defaultdict(set)
        """Of each run, folders with new names that were not synced yet."""

    def check_usable(self) -> None:
        """Raise Unavailable with the reason if nothing can be written."""
        with self._as_unavailable():
            self._write_and_remove()
            self._spool.clear_leftovers()

    def try_store(self) -> None:
        with self._as_unavailable():
            self._write_and_remove()

    def _write_and_remove(self) -> None:
        write_atomically(self._root / ".writable", bytes(TRIED_BYTES))
        (self._root / ".writable").unlink(missing_ok=True)

    @contextmanager
    def _as_unavailable(self) -> Generator[None]:
        try:
            yield
        except OSError as exc:
            message = f"evidence cannot be kept in {self._root}: {exc.strerror or exc}"
            raise Unavailable(message, code="store_unavailable") from exc

    def close(self) -> None:
        self._locks.close()
        self._spool.close()

    async def lock_run(self, run_id: str) -> bool:
        path = self._path(run_id)
        try:
            with on_disk(path, 0):
                return self._locks.take(run_id, encode_file(this_process()))
        except Unavailable as exc:
            if isinstance(exc.__cause__, BlockingIOError | PermissionError):
                message = refusal(str(path), parse_owner(self._locks.read(run_id)))
                exc = Unavailable(message, code=HELD_ELSEWHERE)
            await self._on_blocked(run_id, str(exc))
            raise exc from exc.__cause__

    async def unlock_run(self, run_id: str) -> None:
        with on_disk(self._path(run_id), 0):
            self._locks.release(run_id)

    async def write(self, key: str, data: bytes) -> None:
        path = self._path(key)
        await self._try_sized(key, path, len(data), lambda: write_atomically(path, data))

    async def append_line(self, key: str, line: bytes, alone: str) -> None:
        path = self._path(key)
        await self._try_sized(key, path, len(line), lambda: append_line(path, line))

    @property
    def spool(self) -> Path:
        return self._spool.folder

    def spooled_file(self, key: str) -> AbstractAsyncContextManager[SpooledFile]:
        return spooled_file(self._spool, key, self._on_blocked)

    async def store_captured(self, key: str, sha256: str, path: Path) -> None:
        target, run = self._path(key), key.split("/")[0]
        content = self._path(f"{run}/{object_key(sha256)}")

        def store() -> None:
            """Store the content before its name: a name must not exist without its bytes."""
            store_content(path, content)
            link_content(content, target)
            path.unlink()

        await self._try_in_thread(key, target, path.stat().st_size, store)
        self._unsynced[run].update((content.parent, content.parent.parent))

    async def write_file(self, key: str, path: Path) -> None:
        target = self._path(key)
        await self._try_in_thread(key, target, path.stat().st_size, lambda: move_into_place(path, target))

    @asynccontextmanager
    async def local_file(self, key: str) -> AsyncGenerator[Path | None]:
        path = self._path(key)
        yield path if path.is_file() else None

    async def read(self, key: str) -> bytes | None:
        path = self._path(key)
        with on_disk(path, 0):
            try:
                return path.read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                return None

    async def names(self, prefix: str) -> list[str]:
        path = self._path(prefix)
        with on_disk(path, 0):
            # Names with a leading dot are not evidence: the spool, locks, or a file that is being written.
            try:
                names = os.listdir(path)  # noqa: PTH208  a path for each of a thousand names takes a millisecond
                return sorted(name for name in names if not name.startswith("."))
            except (FileNotFoundError, NotADirectoryError):
                return []

    async def move(self, key: str, to: str) -> None:
        source, target = self._path(key), self._path(to)
        with on_disk(target, 0), suppress(FileNotFoundError):
            if source.is_dir() and not any(source.iterdir()):
                return  # an earlier try has moved all that was in it
            make_folders(target.parent)
            source.replace(target)

    async def remove(self, prefix: str) -> None:
        path = self._path(prefix)
        with on_disk(path, 0), suppress(FileNotFoundError):
            for entry in path.iterdir():
                entry.unlink()
            path.rmdir()

    async def make_file_durable(self, key: str) -> None:
        path = self._path(key)
        await self._try_in_thread(key, path, 0, lambda: sync_file(path, self._folders_above(path)))

    async def make_durable(self, prefix: str) -> None:
        path, run = self._path(prefix), prefix.split("/")[0]
        above = self._folders_above(path)
        unsynced = self._unsynced.pop(run, set[Path]())
        try:
            await self._try_in_thread(prefix, path, 0, lambda: sync(path, [*unsynced, *above]))
        except Unavailable:
            self._unsynced[run] |= unsynced
            raise

    def _folders_above(self, path: Path) -> list[Path]:
        return [folder for folder in path.parents if folder.is_relative_to(self._root)]

    def location(self, key: str) -> str:
        return str(self._path(key))

    async def _try_sized(self, key: str, path: Path, size_bytes: int, do: Callable[[], None]) -> None:
        """A small write costs less than a thread; a big one must not block the event loop."""
        await (self._try if size_bytes < BIG_BYTES else self._try_in_thread)(key, path, size_bytes, do)

    async def _try(self, key: str, path: Path, size_bytes: int, do: Callable[[], None]) -> None:
        try:
            with on_disk(path, size_bytes):
                do()
        except Unavailable as exc:
            await self._on_blocked(key, str(exc))
            raise

    async def _try_in_thread(self, key: str, path: Path, size_bytes: int, do: Callable[[], None]) -> None:
        """As `_try`, in a thread."""
        try:
            with on_disk(path, size_bytes):
                await asyncio.to_thread(do)
        except Unavailable as exc:
            await self._on_blocked(key, str(exc))
            raise

    def _path(self, key: str) -> Path:
        """Return where a key is. Every call comes here: the root is resolved already, so that only what lies below it
        is looked at."""
        root = str(self._root).rstrip("/")
        path = f"{root}/{key}".rstrip("/")
        if key.startswith("/") or ".." in key or _has_link(root, key):
            path = os.path.realpath(os.path.join(root, key))  # noqa: PTH118  as above
        if path != root and not path.startswith(f"{root}/"):
            raise PolicyDenied(f"{key!r} leads out of {self._root}", code="unsafe_name")
        return Path(path)


def _has_link(root: str, key: str) -> bool:
    """Whether a folder or file on the way to a key is a symbolic link."""
    at = root
    for part in key.split("/"):
        at = f"{at}/{part}"
        if os.path.islink(at):  # noqa: PTH114  as in `_path`
            return True
    return False

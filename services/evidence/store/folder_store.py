"""Evidence in a folder of this machine."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path

from services.evidence.ports import SpooledFile
from services.evidence.run_lock.file_locks import Holding, this_process
from services.evidence.run_lock.lock_owner import HELD_ELSEWHERE, holder_in, refusal
from services.evidence.store.atomic_files import keep_content, link_new, place, sync, write_whole
from services.evidence.store.disk_errors import Blocked, on_disk, say_nothing
from services.evidence.store.incoming_file import incoming
from services.evidence.store.spool import Spool
from shared.errors import PolicyDenied, Unavailable
from shared.evidence_format.files.base import encode_file
from shared.s3.location import object_key

BIG_BYTES = 1_000_000
SPOOL, HELD = ".spool", ".held"


class FolderStore:
    """See :class:`services.evidence.ports.Store`. Files are written beside their place and renamed into it; a name of
    captured bytes is a hard link, or a copy where the file system has none.

    ``spool``: where files are prepared; None: beside the runs, as it has to be where they are written, for then a file
    that is ready takes its place by its name alone."""

    def __init__(self, root: Path, on_blocked: Blocked = say_nothing, spool: Path | None = None) -> None:
        self._root = root.resolve()
        self._on_blocked = on_blocked
        self._spool = Spool(spool or self._root / SPOOL)
        self._holding = Holding(self._root / HELD)
        self._unsynced: dict[str, set[Path]] = defaultdict(set)
        """Of each run, folders that got a name since they were last made to outlive a power failure."""

    def must_be_usable(self) -> None:
        """Raises Unavailable, saying why, where nothing can be written: better now than in the middle of a run."""
        try:
            write_whole(self._root / ".writable", b"")
            (self._root / ".writable").unlink(missing_ok=True)
            self._spool.clear_leftovers()
        except OSError as exc:
            told = f"evidence cannot be kept in {self._root}: {exc.strerror or exc}"
            raise Unavailable(told, code="store_unavailable") from exc

    def close(self) -> None:
        self._holding.close()
        self._spool.close()

    async def hold(self, run_id: str) -> bool:
        path = self._path(run_id)
        try:
            with on_disk(path, 0):
                return self._holding.take(run_id, encode_file(this_process()))
        except Unavailable as exc:
            if isinstance(exc.__cause__, BlockingIOError | PermissionError):
                told = refusal(str(path), holder_in(self._holding.says(run_id)))
                exc = Unavailable(told, code=HELD_ELSEWHERE)
            await self._on_blocked(run_id, str(exc))
            raise exc from exc.__cause__

    async def release(self, run_id: str) -> None:
        with on_disk(self._path(run_id), 0):
            self._holding.release(run_id)

    async def write(self, key: str, data: bytes) -> None:
        path = self._path(key)
        # A small write costs less than a thread; a big one must not hold up the loop.
        if len(data) < BIG_BYTES:
            await self._tried(key, path, len(data), lambda: write_whole(path, data))
        else:
            await self._tried_aside(key, path, len(data), lambda: write_whole(path, data))

    @property
    def spool(self) -> Path:
        return self._spool.folder

    def incoming(self, key: str) -> AbstractAsyncContextManager[SpooledFile]:
        return incoming(self._spool, key, self._on_blocked)

    async def keep(self, key: str, sha256: str, path: Path) -> None:
        target, run = self._path(key), key.split("/")[0]
        lies = self._path(f"{run}/{object_key(sha256)}")

        def keep() -> None:
            """Content first, then its name: a name never stands for bytes that are not there."""
            keep_content(path, lies)
            link_new(lies, target)
            path.unlink()

        await self._tried_aside(key, target, path.stat().st_size, keep)
        self._unsynced[run].update((lies.parent, lies.parent.parent))

    async def write_file(self, key: str, path: Path) -> None:
        target = self._path(key)
        await self._tried_aside(key, target, path.stat().st_size, lambda: place(path, target))

    @asynccontextmanager
    async def local(self, key: str) -> AsyncGenerator[Path | None]:
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
            # A name with a dot in front is no evidence: the spool, or a file that is being written.
            found = (entry.name for entry in path.iterdir()) if path.is_dir() else ()
            return sorted(name for name in found if not name.startswith("."))

    async def move(self, key: str, to: str) -> None:
        source, target = self._path(key), self._path(to)
        with on_disk(target, 0), suppress(FileNotFoundError):
            target.parent.mkdir(parents=True, exist_ok=True)
            source.replace(target)

    async def remove(self, prefix: str) -> None:
        path = self._path(prefix)
        with on_disk(path, 0), suppress(FileNotFoundError):
            for entry in path.iterdir():
                entry.unlink()
            path.rmdir()

    async def secure(self, prefix: str) -> None:
        path, run = self._path(prefix), prefix.split("/")[0]
        above = [folder for folder in path.parents if folder == self._root or self._root in folder.parents]
        unsynced = self._unsynced.pop(run, set[Path]())
        try:
            await self._tried_aside(prefix, path, 0, lambda: sync(path, [*unsynced, *above]))
        except Unavailable:
            self._unsynced[run] |= unsynced
            raise

    def location(self, key: str) -> str:
        return str(self._path(key))

    async def _tried(self, key: str, path: Path, size_bytes: int, do: Callable[[], None]) -> None:
        try:
            with on_disk(path, size_bytes):
                do()
        except Unavailable as exc:
            await self._on_blocked(key, str(exc))
            raise

    async def _tried_aside(self, key: str, path: Path, size_bytes: int, do: Callable[[], None]) -> None:
        """As `_tried`, in a thread."""
        try:
            with on_disk(path, size_bytes):
                await asyncio.to_thread(do)
        except Unavailable as exc:
            await self._on_blocked(key, str(exc))
            raise

    def _path(self, key: str) -> Path:
        path = (self._root / key).resolve()
        if path != self._root and self._root not in path.parents:
            raise PolicyDenied(f"{key!r} leads out of {self._root}", code="unsafe_name")
        return path

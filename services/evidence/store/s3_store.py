"""The store in a bucket of an S3 server."""

from __future__ import annotations

import asyncio
import logging
import mimetypes
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from services.evidence.ports import NameTakenError, OnBlocked, SpooledFile, ignore_blocked
from services.evidence.run_lock.bucket_locks import BucketLocks
from services.evidence.run_lock.change_locks import locks_of
from services.evidence.store.disk import on_disk
from services.evidence.store.spool import Spool, spooled_file
from shared.errors import PermanentError, Unavailable
from shared.s3.bucket import S3Bucket
from shared.s3.client import AT_ONCE
from shared.s3.features import find_features, has_conditional_writes, prepare_bucket
from shared.s3.location import POINTER_TYPE, ObjectStat, Pointer, object_key, parse_pointer

log = logging.getLogger(__name__)

T = TypeVar("T")
ONE_PUT_BYTES = 5 * 1024 * 1024
"""Up to this size content is written by one request, in which the server checks the hash of the bytes."""
_PROBE_KEY = ".exhibit-asked"
LOCKS_FOLDER = "held"
"""Folder beside the spool with the file locks that show which processes of this machine live."""


@dataclass(frozen=True)
class Retention:
    """How long evidence cannot be removed. ``mode``: of S3, GOVERNANCE or COMPLIANCE."""

    mode: str
    days: int
    now: Callable[[], datetime]

    @property
    def until(self) -> datetime:
        return (self.now() + timedelta(days=self.days)).replace(microsecond=0)


class S3Store:
    """See :class:`services.evidence.ports.Store`. A name of captured bytes is a small pointer object, where a folder
    has a hard link. Calls of the client block, so each runs in a thread."""

    def __init__(
        self,
        bucket: S3Bucket,
        spool: Path,
        retention: Retention | None = None,
        on_blocked: OnBlocked = ignore_blocked,
        locks: BucketLocks | None = None,
    ) -> None:
        self._bucket, self._retention, self._on_blocked = bucket, retention, on_blocked
        self._locks = locks or BucketLocks(bucket, spool.with_name(LOCKS_FOLDER))
        self._spool = Spool(spool)
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="s3")
        self._conditional_writes = True

    def check_usable(self) -> None:
        """Make the bucket if it is missing. Raises Unavailable with the reason if nothing can be written, and
        PermanentError if evidence is to be retained and the bucket has no object lock."""
        self._spool.clear_leftovers()
        guards = prepare_bucket(self._bucket)
        self._conditional_writes = has_conditional_writes(self._bucket, _PROBE_KEY)
        where = f"{self._bucket.location} at {self._bucket.endpoint}"
        if self._retention is not None and not guards.object_lock:
            message = (
                f"{where} has no object lock, so nothing in it can be retained: name a bucket that has, or one to make"
            )
            raise PermanentError(f"{message}; or set EXHIBIT_S3_RETENTION_DAYS to 0", code="no_object_lock")
        if not guards.versioning:
            log.warning("%s keeps no versions: any user with write access can replace evidence without a trace", where)
        if not guards.object_lock:
            log.warning("%s has no object lock: any user who may delete objects there can remove evidence", where)
        if not self._conditional_writes:
            risk = "two processes that start on one run at the same moment may both write it"
            log.warning("%s has no conditional writes: %s", where, risk)

    def try_store(self) -> None:
        if find_features(self._bucket) is None:
            raise Unavailable(f"{self._bucket.location}: there is no such bucket", code="no_bucket")

    def close(self) -> None:
        self._locks.close()
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._spool.close()

    async def lock_run(self, run_id: str) -> bool:
        """A lock that was confirmed recently costs no request."""
        return not self._locks.is_confirmed(run_id) and await self._call(run_id, lambda: self._locks.take(run_id))

    async def unlock_run(self, run_id: str) -> None:
        if self._locks.has(run_id):
            await self._call(run_id, lambda: self._locks.release(run_id))

    async def write(self, key: str, data: bytes) -> None:
        await self._change(key, lambda: self._bucket.write(key, data, _media_type(key)))

    async def append_line(self, key: str, line: bytes, alone: str) -> None:
        await self.write(alone, line)

    @property
    def spool(self) -> Path:
        return self._spool.folder

    def spooled_file(self, key: str) -> AbstractAsyncContextManager[SpooledFile]:
        return spooled_file(self._spool, key, self._on_blocked)

    async def store_captured(self, key: str, sha256: str, path: Path) -> None:
        def store() -> None:
            """Store the content before its name: a name must not exist without its bytes."""
            pointer = Pointer(sha256, path.stat().st_size)
            self._write_content(_content_key(key, pointer), pointer, path)
            self._write_pointer(key, pointer)
            path.unlink()

        await self._change(key, store)

    async def write_file(self, key: str, path: Path) -> None:
        def write() -> None:
            self._bucket.write_file(key, path, _media_type(key))
            path.unlink()

        await self._change(key, write)

    @asynccontextmanager
    async def local_file(self, key: str) -> AsyncGenerator[Path | None]:
        path = self._spool.new_file()
        try:
            yield path if await self._call(key, lambda: self._download(key, path)) else None
        finally:
            path.unlink(missing_ok=True)

    async def read(self, key: str) -> bytes | None:
        return await self._call(key, lambda: self._read(key))

    async def names(self, prefix: str) -> list[str]:
        def names() -> list[str]:
            below = (one.key.rpartition("/")[2] for one in self._bucket.list_objects(prefix))
            return sorted(name for name in below if not name.startswith("."))

        return await self._call(prefix, names)

    async def move(self, key: str, to: str) -> None:
        def move() -> None:
            if self._bucket.copy(key, to):
                self._bucket.remove(key)

        await self._change(key, move)

    async def remove(self, prefix: str) -> None:
        """Remove all versions too, because the files are copies. Retained versions stay, but are not listed."""

        def remove() -> None:
            with suppress(Unavailable):  # no right to list versions
                for one in list(self._bucket.list_objects(prefix, versions=True)):
                    with suppress(Unavailable):
                        self._bucket.remove(one.key, one.version)
            for one in list(self._bucket.list_objects(prefix)):
                self._bucket.remove(one.key)

        await self._change(prefix, remove)

    async def make_durable(self, prefix: str) -> None:
        """Retain the objects, if that is configured. A write that the server confirmed is durable already."""
        if self._retention is None:
            return
        retention, until = self._retention, self._retention.until
        below = await self._call(
            prefix, lambda: [one.key for one in self._bucket.list_objects(prefix) if not one.is_folder]
        )
        retained = (self._call(key, lambda key=key: self._retain(key, retention.mode, until)) for key in below)
        await asyncio.gather(*retained)

    async def make_file_durable(self, key: str) -> None:
        if self._retention is not None:
            retention, until = self._retention, self._retention.until
            await self._call(key, lambda: self._retain(key, retention.mode, until))

    def location(self, key: str) -> str:
        return self._bucket.location.url_of(key)

    # --- called in a thread

    def _write_content(self, content: str, pointer: Pointer, path: Path) -> None:
        """Store the bytes under their hash. An object that exists is trusted only if it has the right size."""
        small = pointer.size_bytes <= ONE_PUT_BYTES
        if (
            small
            and self._may_be_new(content)
            and self._bucket.write_new(content, path.read_bytes(), sha256=pointer.sha256)
        ):
            return
        there = self._bucket.stat(content)
        if there is None and not small:
            self._bucket.write_file(content, path)
        elif there is None:
            raise self._being_written(content)
        elif there.size_bytes != pointer.size_bytes:
            message = f"{self.location(content)} is damaged: it has {there.size_bytes} bytes"
            raise PermanentError(f"{message}, and {pointer.size_bytes} go with its name", code="object_damaged")

    def _write_pointer(self, key: str, pointer: Pointer) -> None:
        if self._may_be_new(key) and self._bucket.write_new(key, pointer.text, POINTER_TYPE, pointer.metadata):
            return
        there = self._bucket.stat(key)
        if there is None:
            raise self._being_written(key)
        if parse_pointer(there.media_type, there.metadata) != pointer:
            raise NameTakenError(key.rpartition("/")[2])

    def _being_written(self, key: str) -> Unavailable:
        message = f"{self.location(key)} is just being written by another process"
        return Unavailable(message, code="store_unavailable")

    def _may_be_new(self, key: str) -> bool:
        """Whether writing a new object may succeed. A server without conditional writes is asked first."""
        return self._conditional_writes or self._bucket.stat(key) is None

    def _read(self, key: str) -> bytes | None:
        found = self._bucket.read(key)
        if found is None:
            return None
        stat, data = found
        pointer = parse_pointer(stat.media_type, stat.metadata)
        if pointer is None:
            return data
        content = self._bucket.read(_content_key(key, pointer))
        self._check_size(key, pointer, len(content[1]) if content else None)
        return content[1] if content else None

    def _download(self, key: str, path: Path) -> bool:
        stat = self._fetch(key, path)
        pointer = parse_pointer(stat.media_type, stat.metadata) if stat else None
        if pointer is not None:
            content = self._fetch(_content_key(key, pointer), path)
            self._check_size(key, pointer, content.size_bytes if content else None)
        return stat is not None

    def _fetch(self, key: str, path: Path) -> ObjectStat | None:
        with path.open("wb") as file:
            return self._bucket.fetch(key, file.write)

    def _check_size(self, key: str, pointer: Pointer, size_bytes: int | None) -> None:
        if size_bytes != pointer.size_bytes:
            there = "are gone" if size_bytes is None else f"are {size_bytes}"
            content = self.location(_content_key(key, pointer))
            message = f"{self.location(key)}: of its {pointer.size_bytes} bytes, at {content},"
            raise PermanentError(f"{message} there {there}", code="object_damaged")

    def _retain(self, key: str, mode: str, until: datetime) -> None:
        there = self._bucket.stat(key)
        if there is None:
            return
        pointer = parse_pointer(there.media_type, there.metadata)
        if pointer is not None:
            self._bucket.retain(_content_key(key, pointer), mode, until)
        self._bucket.retain(key, mode, until)

    async def _change(self, key: str, do: Callable[[], T]) -> T:
        """As `_call`, for a change. It is refused if another process has taken over a lock under which it is made."""

        def change() -> T:
            for name in locks_of(key):
                self._locks.require_lock(name)
            return do()

        return await self._call(key, change)

    async def _call(self, key: str, do: Callable[[], T]) -> T:
        """Call in a thread of the pool. An Unavailable error is reported to `OnBlocked` too."""
        try:
            with on_disk(self._spool.root, 0):
                return await asyncio.get_running_loop().run_in_executor(self._threads, do)
        except Unavailable as exc:
            await self._on_blocked(key, str(exc))
            raise


def _content_key(key: str, pointer: Pointer) -> str:
    """Return the key of the content. Equal bytes are stored once per run, because a run is removed as a whole."""
    return f"{key.split('/')[0]}/{object_key(pointer.sha256)}"


def _media_type(key: str) -> str:
    return mimetypes.guess_type(key)[0] or "application/octet-stream"

"""Evidence in a bucket of an S3 server."""

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

from services.evidence.ports import SpooledFile
from services.evidence.run_lock.bucket_locks import BucketHolding
from services.evidence.store.disk_errors import Blocked, on_disk, say_nothing
from services.evidence.store.incoming_file import incoming
from services.evidence.store.spool import Spool
from shared.errors import PermanentError, Unavailable
from shared.s3.bucket import AT_ONCE, S3Bucket
from shared.s3.location import POINTER_TYPE, Pointer, object_key, parse_pointer
from shared.s3.objects import ObjectStat
from shared.s3.preparing import has_conditional_writes, prepare_bucket

log = logging.getLogger(__name__)

T = TypeVar("T")
ONE_PUT_BYTES = 5 * 1024 * 1024
"""What is smaller travels in one request, whose bytes the server compares with their hash."""
_ASKED = ".exhibit-asked"
HELD = "held"
"""Beside the spool: what tells others of this machine which process of it lives."""


@dataclass(frozen=True)
class Retaining:
    """For how long nobody may remove evidence: ``mode`` as S3 has it, GOVERNANCE or COMPLIANCE."""

    mode: str
    days: int
    now: Callable[[], datetime]

    @property
    def until(self) -> datetime:
        return (self.now() + timedelta(days=self.days)).replace(microsecond=0)


class S3Store:
    """See :class:`services.evidence.ports.Store`. A name of captured bytes is a small object that says where they lie,
    where a folder has a link. Calls of the client block, so each goes to a thread."""

    def __init__(
        self,
        bucket: S3Bucket,
        spool: Path,
        retaining: Retaining | None = None,
        on_blocked: Blocked = say_nothing,
        holding: BucketHolding | None = None,
    ) -> None:
        self._bucket, self._retaining, self._on_blocked = bucket, retaining, on_blocked
        self._holding = holding or BucketHolding(bucket, spool.with_name(HELD))
        self._spool = Spool(spool)
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="s3")
        self._conditional_writes = True

    def must_be_usable(self) -> None:
        """Makes the bucket where there is none. Raises Unavailable, saying why, where nothing can be written; and
        PermanentError where evidence is to be retained and the bucket cannot."""
        self._spool.clear_leftovers()
        guards = prepare_bucket(self._bucket)
        self._conditional_writes = has_conditional_writes(self._bucket, _ASKED)
        where = f"{self._bucket.location} at {self._bucket.endpoint}"
        if self._retaining is not None and not guards.object_lock:
            told = (
                f"{where} has no object lock, so nothing in it can be retained: name a bucket that has, or one to make"
            )
            raise PermanentError(f"{told}; or set EXHIBIT_S3_RETENTION_DAYS to 0", code="no_object_lock")
        if not guards.versioning:
            log.warning("%s keeps no versions: whoever may write there can replace evidence unseen", where)
        if not guards.object_lock:
            log.warning("%s has no object lock: whoever may remove things there can remove evidence", where)
        if not self._conditional_writes:
            told = "two processes that begin with one run in the same moment may both file it"
            log.warning("%s knows no conditional writes: %s", where, told)

    def close(self) -> None:
        self._holding.close()
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._spool.close()

    async def hold(self, run_id: str) -> bool:
        """What was confirmed a moment ago costs no request."""
        return not self._holding.is_sure(run_id) and await self._call(run_id, lambda: self._holding.take(run_id))

    async def release(self, run_id: str) -> None:
        if self._holding.has(run_id):
            await self._call(run_id, lambda: self._holding.release(run_id))

    async def write(self, key: str, data: bytes) -> None:
        await self._change(key, lambda: self._bucket.write(key, data, _media_type(key)))

    @property
    def spool(self) -> Path:
        return self._spool.folder

    def incoming(self, key: str) -> AbstractAsyncContextManager[SpooledFile]:
        return incoming(self._spool, key, self._on_blocked)

    async def keep(self, key: str, sha256: str, path: Path) -> None:
        def keep() -> None:
            """Content first, then its name: a name never stands for bytes that are not there."""
            pointer = Pointer(sha256, path.stat().st_size)
            self._keep_content(_lies(key, pointer), pointer, path)
            self._name(key, pointer)
            path.unlink()

        await self._change(key, keep)

    async def write_file(self, key: str, path: Path) -> None:
        def write() -> None:
            self._bucket.write_file(key, path, _media_type(key))
            path.unlink()

        await self._change(key, write)

    @asynccontextmanager
    async def local(self, key: str) -> AsyncGenerator[Path | None]:
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
        """With all versions, for it stands elsewhere; what is retained is no longer seen."""

        def remove() -> None:
            with suppress(Unavailable):  # versions that cannot be listed
                for one in list(self._bucket.list_objects(prefix, versions=True)):
                    with suppress(Unavailable):
                        self._bucket.remove(one.key, one.version)
            for one in list(self._bucket.list_objects(prefix)):
                self._bucket.remove(one.key)

        await self._change(prefix, remove)

    async def secure(self, prefix: str) -> None:
        """What a server has said that it wrote outlives a power failure; here it is retained, where that is asked."""
        if self._retaining is None:
            return
        retaining, until = self._retaining, self._retaining.until
        below = await self._call(
            prefix, lambda: [one.key for one in self._bucket.list_objects(prefix) if not one.is_folder]
        )
        retained = (self._call(key, lambda key=key: self._retain(key, retaining.mode, until)) for key in below)
        await asyncio.gather(*retained)

    def location(self, key: str) -> str:
        return self._bucket.location.url_of(key)

    # --- what happens in a thread

    def _keep_content(self, lies: str, pointer: Pointer, path: Path) -> None:
        """An object with this name is trusted only where it has the size that goes with it."""
        small = pointer.size_bytes <= ONE_PUT_BYTES
        if small and self._first(lies) and self._bucket.write_new(lies, path.read_bytes(), sha256=pointer.sha256):
            return
        there = self._bucket.stat(lies)
        if there is None and not small:
            self._bucket.write_file(lies, path)
        elif there is None:
            raise self._being_written(lies)
        elif there.size_bytes != pointer.size_bytes:
            told = f"{self.location(lies)} is damaged: it has {there.size_bytes} bytes"
            raise PermanentError(f"{told}, and {pointer.size_bytes} go with its name", code="object_damaged")

    def _name(self, key: str, pointer: Pointer) -> None:
        if self._first(key) and self._bucket.write_new(key, pointer.text, POINTER_TYPE, pointer.metadata):
            return
        there = self._bucket.stat(key)
        if there is None:
            raise self._being_written(key)
        if parse_pointer(there.media_type, there.metadata) != pointer:
            told = f"{key.rpartition('/')[2]}: another file stands under this name, and evidence is never overwritten"
            raise PermanentError(told, code="name_taken")

    def _being_written(self, key: str) -> Unavailable:
        told = f"{self.location(key)} is just being written by another process"
        return Unavailable(told, code="store_unavailable")

    def _first(self, key: str) -> bool:
        """Whether a write of what is not there yet may be tried: a server without conditions is asked before."""
        return self._conditional_writes or self._bucket.stat(key) is None

    def _read(self, key: str) -> bytes | None:
        found = self._bucket.read(key)
        if found is None:
            return None
        stat, data = found
        pointer = parse_pointer(stat.media_type, stat.metadata)
        if pointer is None:
            return data
        content = self._bucket.read(_lies(key, pointer))
        self._must_be_all(key, pointer, len(content[1]) if content else None)
        return content[1] if content else None

    def _download(self, key: str, path: Path) -> bool:
        stat = self._fetch(key, path)
        pointer = parse_pointer(stat.media_type, stat.metadata) if stat else None
        if pointer is not None:
            content = self._fetch(_lies(key, pointer), path)
            self._must_be_all(key, pointer, content.size_bytes if content else None)
        return stat is not None

    def _fetch(self, key: str, path: Path) -> ObjectStat | None:
        with path.open("wb") as file:
            return self._bucket.fetch(key, file.write)

    def _must_be_all(self, key: str, pointer: Pointer, size_bytes: int | None) -> None:
        if size_bytes != pointer.size_bytes:
            there = "are gone" if size_bytes is None else f"are {size_bytes}"
            told = f"{self.location(key)}: of its {pointer.size_bytes} bytes, at {self.location(_lies(key, pointer))},"
            raise PermanentError(f"{told} there {there}", code="object_damaged")

    def _retain(self, key: str, mode: str, until: datetime) -> None:
        there = self._bucket.stat(key)
        if there is None:
            return
        pointer = parse_pointer(there.media_type, there.metadata)
        if pointer is not None:
            self._bucket.retain(_lies(key, pointer), mode, until)
        self._bucket.retain(key, mode, until)

    async def _change(self, key: str, do: Callable[[], T]) -> T:
        """Nothing is changed of a run that was taken over by another process while this one was not heard of."""

        def change() -> T:
            self._holding.must_be_ours(key.split("/")[0])
            return do()

        return await self._call(key, change)

    async def _call(self, key: str, do: Callable[[], T]) -> T:
        """In a thread of our own; what cannot be done now is said, whatever it was."""
        try:
            with on_disk(self._spool.root, 0):
                return await asyncio.get_running_loop().run_in_executor(self._threads, do)
        except Unavailable as exc:
            await self._on_blocked(key, str(exc))
            raise


def _lies(key: str, pointer: Pointer) -> str:
    """Equal bytes are kept once a run: a run is handed over, and removed, as a whole."""
    return f"{key.split('/')[0]}/{object_key(pointer.sha256)}"


def _media_type(key: str) -> str:
    return mimetypes.guess_type(key)[0] or "application/octet-stream"

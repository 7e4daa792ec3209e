"""One bucket of an S3 server, through the minio client. Calls block, and may be made from several threads at once.

Every call raises Unavailable, saying what to do, where the server does not do what was asked.
"""

# pyright: reportUnknownMemberType=false
# minio leaves the type arguments of some of its results open.
from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import cast

from minio.commonconfig import CopySource
from minio.datatypes import Object
from minio.error import S3Error
from minio.retention import Retention

from shared.errors import Unavailable
from shared.s3.client import Client
from shared.s3.failures import ABSENT, TAKEN, mapped
from shared.s3.place import Place
from shared.s3.told import META, Listed, Stat, stat_of

AT_ONCE = 16
"""Connections that are kept: as many calls go on side by side without waiting for each other."""
PIECE_BYTES = 1024 * 1024


class S3Bucket:
    """Keys are below the place's prefix. Open one with :func:`shared.s3.opening.open_bucket`."""

    def __init__(self, client: Client, place: Place, endpoint: str) -> None:
        self.client, self.place, self.endpoint = client, place, endpoint

    # --- reading

    def stat(self, key: str, version: str | None = None) -> Stat | None:
        """None where nothing lies there."""
        with self.mapped(f"look at {key}"):
            try:
                found = self.client.stat_object(self.place.bucket, self.place.name_of(key), version_id=version)
            except S3Error as exc:
                if exc.code in ABSENT:
                    return None
                raise
        return stat_of(found.metadata or {}, found.version_id)

    def read(self, key: str, version: str | None = None) -> tuple[Stat, bytes] | None:
        """None where nothing lies there."""
        whole = bytearray()
        stat = self.fetch(key, whole.extend, version)
        return None if stat is None else (stat, bytes(whole))

    def fetch(self, key: str, sink: Callable[[bytes], object], version: str | None = None) -> Stat | None:
        """Hands the bytes to ``sink`` piece by piece; None, and no piece, where nothing lies there. Unavailable where
        the connection breaks in the middle: what ``sink`` has by then is not all."""
        with self.mapped(f"read {key}"):
            try:
                answer = self.client.get_object(self.place.bucket, self.place.name_of(key), version_id=version)
            except S3Error as exc:
                if exc.code in ABSENT:
                    return None
                raise
            try:
                for piece in answer.stream(PIECE_BYTES):
                    sink(piece)
            finally:
                answer.close()
                answer.release_conn()
        return stat_of(dict(answer.headers), answer.headers.get("x-amz-version-id"))

    def listed(self, prefix: str = "", *, recursive: bool = False, versions: bool = False) -> Iterator[Listed]:
        """What lies below ``prefix``, in the order of its keys; with ``versions`` each of them, the latest first."""
        start, cut = self.start_of(prefix), len(self.start_of(""))
        with self.mapped(f"list {prefix or 'what lies there'}"):
            found = self.client.list_objects(self.place.bucket, start, recursive=recursive, include_version=versions)
            for one in self._read(found):
                name = cast("str", one.object_name)
                is_folder = name.endswith("/")
                if name == start:
                    continue  # what some programs put there so that a folder is seen
                yield Listed(
                    key=name[cut:].rstrip("/"),
                    is_folder=is_folder,
                    size_bytes=one.size or 0,
                    version=one.version_id,
                    is_latest=not versions or str(one.is_latest).lower() == "true",
                    deleted=bool(one.is_delete_marker),
                )

    def _read(self, found: Iterable[Object]) -> Iterator[Object]:
        """The client cannot read when VersityGW says that something was removed: to the nanosecond."""
        try:
            yield from found
        except ValueError as exc:
            told = f"{self.place} at {self.endpoint}: the list that the server sent cannot be read: {exc}"
            raise Unavailable(told, code="store_unavailable") from exc

    # --- writing

    def write(self, key: str, data: bytes, media_type: str = "application/octet-stream") -> None:
        """What was there is replaced."""
        with self.mapped(f"write {len(data)} bytes to {key}"):
            self._put(key, data, {"Content-Type": media_type})

    def write_new(
        self,
        key: str,
        data: bytes,
        media_type: str = "application/octet-stream",
        metadata: Mapping[str, str] | None = None,
        sha256: str | None = None,
    ) -> bool:
        """False, and nothing is changed, where something lies there already. A server that knows no conditional writes
        writes all the same: `preparing.keeps_first` tells. ``sha256``: what the server compares the bytes with."""
        headers = {f"{META}{name}": text for name, text in (metadata or {}).items()} | {"Content-Type": media_type}
        if sha256 is not None:
            headers["x-amz-checksum-sha256"] = b64encode(bytes.fromhex(sha256)).decode()
        return self._put_new(key, data, headers) is not None

    def swap(self, key: str, data: bytes, before: Stat | None, media_type: str) -> Stat | None:
        """Written where what stands there is still ``before``, or still nothing; None, and nothing is changed, where it
        is something else. A server that knows no conditional writes writes all the same."""
        headers = {"Content-Type": media_type}
        if before is None:
            return self._put_new(key, data, headers)
        return self._put_if(key, data, {**headers, "If-Match": f'"{before.etag}"'})

    def _put_new(self, key: str, data: bytes, headers: Mapping[str, str]) -> Stat | None:
        written = self._put_if(key, data, {**headers, "If-None-Match": "*"})
        if written is not None or self.stat(key) is not None:
            return written
        # Some servers take a version that says "removed" for an object that is there.
        with self.mapped(f"write {len(data)} bytes to {key}"):
            return self._put(key, data, headers)

    def _put_if(self, key: str, data: bytes, headers: Mapping[str, str]) -> Stat | None:
        """None where the condition among the headers is not met."""
        with self.mapped(f"write {len(data)} bytes to {key}"):
            try:
                return self._put(key, data, headers)
            except S3Error as exc:
                if exc.code in TAKEN or exc.code in ABSENT:
                    return None
                raise

    def _put(self, key: str, data: bytes, headers: Mapping[str, str]) -> Stat:
        written = self.client.put(self.place.bucket, self.place.name_of(key), data, headers)
        return Stat(len(data), headers["Content-Type"], written.version_id, etag=written.etag or "")

    def write_file(self, key: str, path: Path, media_type: str = "application/octet-stream") -> None:
        """In parts, so that no more than a few of them are ever held. What was there is replaced."""
        with self.mapped(f"write {path.stat().st_size} bytes to {key}"):
            self.client.fput_object(
                self.place.bucket, self.place.name_of(key), str(path), media_type, num_parallel_uploads=2
            )

    def copy(self, key: str, to: str) -> bool:
        """On the server, with media type and metadata. False where nothing lies there."""
        with self.mapped(f"copy {key} to {to}"):
            source = CopySource(self.place.bucket, self.place.name_of(key))
            try:
                self.client.copy_object(self.place.bucket, self.place.name_of(to), source)
            except S3Error as exc:
                if exc.code in ABSENT:
                    return False
                raise
        return True

    def remove(self, key: str, version: str | None = None) -> None:
        """Removing what is not there is no error. In a bucket with versions only the one that is named goes away."""
        with self.mapped(f"remove {key}"):
            self.client.remove_object(self.place.bucket, self.place.name_of(key), version)

    def erase(self, key: str) -> None:
        """The version of now is removed; where it may not be, it is no longer seen. Removing what is not there is no
        error."""
        there = self.stat(key)
        try:
            if there is not None:
                self.remove(key, there.version)
        except Unavailable:
            self.remove(key)

    def retain(self, key: str, mode: str, until: datetime) -> None:
        """Nobody removes the version of now before ``until``; GOVERNANCE: nobody without a right to do just that. What
        is retained for longer already stays so."""
        try:
            with self.mapped(f"retain {key} until {until:%Y-%m-%d}"):
                retention = Retention(mode, until)
                self.client.set_object_retention(self.place.bucket, self.place.name_of(key), retention)
        except Unavailable:
            before = self.retained(key)
            if before is None or before[1] < until:
                raise

    def retained(self, key: str, version: str | None = None) -> tuple[str, datetime] | None:
        """Mode and time (UTC), or None."""
        with self.mapped(f"ask until when {key} is retained"):
            found = self.client.get_object_retention(self.place.bucket, self.place.name_of(key), version)
        return None if found is None else (found.mode, found.retain_until_date)

    def start_of(self, prefix: str) -> str:
        """What the names of all objects below ``prefix`` begin with."""
        name = self.place.name_of(prefix)
        return f"{name}/" if name else ""

    def mapped(self, doing: str) -> AbstractContextManager[None]:
        """See :func:`shared.s3.failures.mapped`."""
        return mapped(self.endpoint, self.place, doing)

"""One bucket of an S3 server, through the minio client. Calls block; they may come from several threads at once.

Every call raises Unavailable, with what to do about it, when the server does not do what was asked.
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
from shared.s3.client import S3Client
from shared.s3.errors import ABSENT, TAKEN, map_s3_errors
from shared.s3.location import META, ListedObject, ObjectStat, S3Location, parse_stat

PIECE_BYTES = 1024 * 1024


class S3Bucket:
    """Keys are relative to the location's prefix. Open one with :func:`shared.s3.opening.open_bucket`."""

    def __init__(self, client: S3Client, location: S3Location, endpoint: str) -> None:
        self.client, self.location, self.endpoint = client, location, endpoint

    # --- reading

    def stat(self, key: str, version: str | None = None) -> ObjectStat | None:
        """Return the facts about an object, or None when there is none."""
        with self.map_errors(f"look at {key}"):
            try:
                found = self.client.stat_object(self.location.bucket, self.location.name_of(key), version_id=version)
            except S3Error as exc:
                if exc.code in ABSENT:
                    return None
                raise
        return parse_stat(found.metadata or {}, found.version_id)

    def read(self, key: str, version: str | None = None) -> tuple[ObjectStat, bytes] | None:
        """Return facts and bytes of an object, or None when there is none."""
        whole = bytearray()
        stat = self.fetch(key, whole.extend, version)
        return None if stat is None else (stat, bytes(whole))

    def fetch(self, key: str, sink: Callable[[bytes], object], version: str | None = None) -> ObjectStat | None:
        """Pass the bytes to ``sink`` in pieces and return the object's facts; None, and no piece, when there is none.

        Raises Unavailable when the connection breaks: ``sink`` has then received only a part.
        """
        with self.map_errors(f"read {key}"):
            try:
                answer = self.client.get_object(self.location.bucket, self.location.name_of(key), version_id=version)
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
        return parse_stat(dict(answer.headers), answer.headers.get("x-amz-version-id"))

    def list_objects(
        self, prefix: str = "", *, recursive: bool = False, versions: bool = False
    ) -> Iterator[ListedObject]:
        """Yield the objects below ``prefix`` in the order of their keys; all of their ``versions``, newest first."""
        start, cut = self.list_prefix(prefix), len(self.list_prefix(""))
        with self.map_errors(f"list {prefix or 'what lies there'}"):
            found = self.client.list_objects(self.location.bucket, start, recursive=recursive, include_version=versions)
            for one in self._read(found):
                name = cast("str", one.object_name)
                is_folder = name.endswith("/")
                if name == start:
                    continue  # a marker by which some programs show an empty folder
                yield ListedObject(
                    key=name[cut:].rstrip("/"),
                    is_folder=is_folder,
                    size_bytes=one.size or 0,
                    version=one.version_id,
                    is_latest=not versions or str(one.is_latest).lower() == "true",
                    deleted=bool(one.is_delete_marker),
                )

    def _read(self, found: Iterable[Object]) -> Iterator[Object]:
        """Raise Unavailable for a list that minio cannot parse, such as VersityGW's times with nanoseconds."""
        try:
            yield from found
        except ValueError as exc:
            told = f"{self.location} at {self.endpoint}: the list that the server sent cannot be read: {exc}"
            raise Unavailable(told, code="store_unavailable") from exc

    # --- writing

    def write(self, key: str, data: bytes, media_type: str = "application/octet-stream") -> None:
        """Store an object; one that was there is replaced."""
        with self.map_errors(f"write {len(data)} bytes to {key}"):
            self._put(key, data, {"Content-Type": media_type})

    def write_new(
        self,
        key: str,
        data: bytes,
        media_type: str = "application/octet-stream",
        metadata: Mapping[str, str] | None = None,
        sha256: str | None = None,
    ) -> bool:
        """Store an object unless there is one; return whether it was stored.

        A server without conditional writes stores it in any case (see `opening.has_conditional_writes`). ``sha256``:
        the server verifies the bytes against it.
        """
        headers = {f"{META}{name}": text for name, text in (metadata or {}).items()} | {"Content-Type": media_type}
        if sha256 is not None:
            headers["x-amz-checksum-sha256"] = b64encode(bytes.fromhex(sha256)).decode()
        return self._put_new(key, data, headers) is not None

    def swap(self, key: str, data: bytes, before: ObjectStat | None, media_type: str) -> ObjectStat | None:
        """Replace the object if it is still ``before`` (None: still absent); return None, with nothing changed, if not.

        A server without conditional writes stores it in any case.
        """
        headers = {"Content-Type": media_type}
        if before is None:
            return self._put_new(key, data, headers)
        return self._put_if(key, data, {**headers, "If-Match": f'"{before.etag}"'})

    def _put_new(self, key: str, data: bytes, headers: Mapping[str, str]) -> ObjectStat | None:
        written = self._put_if(key, data, {**headers, "If-None-Match": "*"})
        if written is not None or self.stat(key) is not None:
            return written
        # Some servers count a delete marker as an object that is there.
        with self.map_errors(f"write {len(data)} bytes to {key}"):
            return self._put(key, data, headers)

    def _put_if(self, key: str, data: bytes, headers: Mapping[str, str]) -> ObjectStat | None:
        """Return None when the condition in the headers is not met."""
        with self.map_errors(f"write {len(data)} bytes to {key}"):
            try:
                return self._put(key, data, headers)
            except S3Error as exc:
                if exc.code in TAKEN or exc.code in ABSENT:
                    return None
                raise

    def _put(self, key: str, data: bytes, headers: Mapping[str, str]) -> ObjectStat:
        written = self.client.put(self.location.bucket, self.location.name_of(key), data, headers)
        return ObjectStat(len(data), headers["Content-Type"], written.version_id, etag=written.etag or "")

    def write_file(self, key: str, path: Path, media_type: str = "application/octet-stream") -> None:
        """Store a file in parts, a few of them in memory at a time; an object that was there is replaced."""
        with self.map_errors(f"write {path.stat().st_size} bytes to {key}"):
            self.client.fput_object(
                self.location.bucket, self.location.name_of(key), str(path), media_type, num_parallel_uploads=2
            )

    def copy(self, key: str, to: str) -> bool:
        """Copy an object on the server, with media type and metadata. Return False when there is none."""
        with self.map_errors(f"copy {key} to {to}"):
            source = CopySource(self.location.bucket, self.location.name_of(key))
            try:
                self.client.copy_object(self.location.bucket, self.location.name_of(to), source)
            except S3Error as exc:
                if exc.code in ABSENT:
                    return False
                raise
        return True

    def remove(self, key: str, version: str | None = None) -> None:
        """Remove an object; idempotent. In a bucket with versions: only the version that is named."""
        with self.map_errors(f"remove {key}"):
            self.client.remove_object(self.location.bucket, self.location.name_of(key), version)

    def erase(self, key: str) -> None:
        """Remove the current version, or hide it behind a delete marker where it may not be removed; idempotent."""
        there = self.stat(key)
        try:
            if there is not None:
                self.remove(key, there.version)
        except Unavailable:
            self.remove(key)

    def retain(self, key: str, mode: str, until: datetime) -> None:
        """Retain the current version until ``until``; a longer retention that it has already stays.

        GOVERNANCE can be lifted by users with that right, COMPLIANCE by none.
        """
        try:
            with self.map_errors(f"retain {key} until {until:%Y-%m-%d}"):
                retention = Retention(mode, until)
                self.client.set_object_retention(self.location.bucket, self.location.name_of(key), retention)
        except Unavailable:
            before = self.retention(key)
            if before is None or before[1] < until:
                raise

    def retention(self, key: str, version: str | None = None) -> tuple[str, datetime] | None:
        """Return mode and time (UTC) of an object's retention, or None."""
        with self.map_errors(f"ask until when {key} is retained"):
            found = self.client.get_object_retention(self.location.bucket, self.location.name_of(key), version)
        return None if found is None else (found.mode, found.retain_until_date)

    def list_prefix(self, prefix: str) -> str:
        """Return the common prefix of the names of all objects below ``prefix``."""
        name = self.location.name_of(prefix)
        return f"{name}/" if name else ""

    def map_errors(self, doing: str) -> AbstractContextManager[None]:
        """See :func:`shared.s3.errors.map_s3_errors`."""
        return map_s3_errors(self.endpoint, self.location, doing)

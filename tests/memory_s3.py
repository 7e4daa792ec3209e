"""An S3 server in memory, behind the client that `S3Bucket` uses: versions, conditions, copies and retention.

bucket = MemoryS3().bucket("s3://evidence/prefix")
"""

from __future__ import annotations

import hashlib
import io
import threading
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from minio.commonconfig import ENABLED, CopySource
from minio.datatypes import Object
from minio.error import S3Error
from minio.helpers import ObjectWriteResult
from minio.retention import Retention
from minio.versioningconfig import VersioningConfig
from urllib3 import BaseHTTPResponse, HTTPHeaderDict, HTTPResponse

from shared.s3.bucket import S3Bucket
from shared.s3.client import S3Client
from shared.s3.location import parse_location


@dataclass
class _Version:
    data: bytes
    headers: dict[str, str]
    """As the object was written: content type and metadata."""
    id: str = field(default_factory=lambda: uuid4().hex)
    at: datetime = field(default_factory=lambda: datetime.now(UTC))  # clock: what a server says
    deleted: bool = False
    retention: Retention | None = None

    @property
    def etag(self) -> str:
        return hashlib.md5(self.data, usedforsecurity=False).hexdigest()

    @property
    def answer(self) -> dict[str, str]:
        times = {"Last-Modified": self.at, "Date": datetime.now(UTC)}  # clock: what a server says
        told = {name: format_datetime(at, usegmt=True) for name, at in times.items()}
        return {**self.headers, **told, "Content-Length": str(len(self.data)), "ETag": f'"{self.etag}"'}


class _Client:
    """The calls of minio's client that the product makes."""

    def __init__(self, *, versions: bool) -> None:
        self._versions = versions
        self._buckets: dict[str, dict[str, list[_Version]]] = {}
        self._versioned = set[str]()
        """Of the buckets those with versions, and with object lock."""
        self._lock = threading.RLock()

    # --- buckets

    def make_bucket(self, bucket: str, object_lock: bool = False) -> None:
        if object_lock and not self._versions:
            raise _error("NotImplemented")
        self._buckets.setdefault(bucket, defaultdict(list))
        self._versioned |= {bucket} if object_lock else set()

    def set_bucket_versioning(self, bucket: str, config: VersioningConfig) -> None:
        raise _error("NotImplemented")

    def get_bucket_versioning(self, bucket: str) -> VersioningConfig:
        return VersioningConfig(ENABLED if bucket in self._versioned else None)

    def has_object_lock(self, bucket: str) -> bool:
        return bucket in self._versioned

    def list_objects(
        self, bucket: str, prefix: str, *, recursive: bool = False, include_version: bool = False
    ) -> Iterator[Object]:
        with self._lock:
            found = sorted((name, list(all_)) for name, all_ in self._in(bucket).items() if name.startswith(prefix))
        folders = set[str]()
        for name, versions in found:
            head, slash, _ = name.removeprefix(prefix).partition("/")
            shown = versions[::-1] if include_version else [one for one in versions[-1:] if not one.deleted]
            if slash and not recursive:
                if shown and head not in folders:
                    folders.add(head)
                    yield Object(bucket, f"{prefix}{head}/")
                continue
            for one in shown:
                told: dict[str, Any] = {"version_id": one.id, "is_latest": str(one is versions[-1]).lower()}
                yield Object(bucket, name, size=len(one.data), is_delete_marker=one.deleted, **told)

    # --- objects

    def stat_object(self, bucket: str, name: str, version_id: str | None = None) -> Object:
        one = self._version(bucket, name, version_id)
        return Object(bucket, name, metadata=HTTPHeaderDict(one.answer), version_id=one.id)

    def get_object(self, bucket: str, name: str, version_id: str | None = None) -> HTTPResponse:
        one = self._version(bucket, name, version_id)
        headers = {**one.answer, "x-amz-version-id": one.id}
        return HTTPResponse(io.BytesIO(one.data), headers, 200, preload_content=False)

    def put(self, bucket: str, name: str, data: bytes, headers: Mapping[str, str]) -> ObjectWriteResult:
        with self._lock:
            there = next((one for one in self._in(bucket)[name][-1:] if not one.deleted), None)
            etag = f'"{there.etag}"' if there else None
            met = there is None if "If-None-Match" in headers else headers.get("If-Match", etag) == etag
            if not met:
                raise _error("PreconditionFailed" if there else "NoSuchKey")
            if (hashed := headers.get("x-amz-checksum-sha256")) and hashed != _base64_sha256(data):
                raise _error("BadDigest")
            own = ("content-type", "x-amz-meta")
            kept = {key: text for key, text in headers.items() if key.lower().startswith(own)}
            return self._add(bucket, name, _Version(data, kept))

    def fput_object(self, bucket: str, name: str, path: str, media_type: str, **_: Any) -> ObjectWriteResult:
        return self._add(bucket, name, _Version(Path(path).read_bytes(), {"Content-Type": media_type}))

    def copy_object(self, bucket: str, name: str, source: CopySource) -> ObjectWriteResult:
        one = self._version(source.bucket_name, source.object_name, None)
        return self._add(bucket, name, _Version(one.data, dict(one.headers)))

    def remove_object(self, bucket: str, name: str, version_id: str | None = None) -> None:
        with self._lock:
            versions = self._in(bucket)[name]
            if bucket not in self._versioned:
                versions.clear()
            elif version_id is None:
                versions.append(_Version(b"", {}, deleted=True))
            for one in [one for one in versions if one.id == version_id]:
                if one.retention is not None:
                    raise _error("AccessDenied")
                versions.remove(one)

    def set_object_retention(self, bucket: str, name: str, retention: Retention) -> None:
        one = self._version(bucket, name, None)
        if one.retention is not None and one.retention.retain_until_date > retention.retain_until_date:
            raise _error("AccessDenied")
        one.retention = retention

    def get_object_retention(self, bucket: str, name: str, version_id: str | None = None) -> Retention | None:
        return self._version(bucket, name, version_id).retention

    # ---

    def _in(self, bucket: str) -> dict[str, list[_Version]]:
        if bucket not in self._buckets:
            raise _error("NoSuchBucket")
        return self._buckets[bucket]

    def _version(self, bucket: str, name: str, version_id: str | None) -> _Version:
        with self._lock:
            versions = self._in(bucket)[name]
            found = [one for one in versions if one.id == version_id] if version_id else versions[-1:]
        if not found or found[0].deleted:
            raise _error("NoSuchKey")
        return found[0]

    def _add(self, bucket: str, name: str, one: _Version) -> ObjectWriteResult:
        with self._lock:
            versions = self._in(bucket)[name]
            if bucket not in self._versioned:
                one.id = "null"
                versions.clear()
            versions.append(one)
        return ObjectWriteResult(bucket, name, one.id, one.etag, HTTPHeaderDict())


def _base64_sha256(data: bytes) -> str:
    return b64encode(hashlib.sha256(data).digest()).decode()


def _error(code: str) -> S3Error:
    return S3Error(cast("BaseHTTPResponse", None), code, code, None, None, None)


class MemoryS3:
    """As `tests.s3_servers.S3Server`, where a test needs no process."""

    name = "memory"
    url = "http://memory.test"

    def __init__(self, *, versions: bool = True) -> None:
        self._client = _Client(versions=versions)

    def bucket(self, url: str) -> S3Bucket:
        return S3Bucket(cast("S3Client", self._client), parse_location(url), self.url)

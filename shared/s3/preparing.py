"""A bucket before anything is kept in it: made where there is none, and asked what it does for what lies in it.

Every call raises Unavailable, saying what to do, where the server does not do what was asked.
"""

# pyright: reportUnknownMemberType=false
# minio leaves the type arguments of some of its results open.
from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from minio.commonconfig import ENABLED
from minio.error import S3Error
from minio.versioningconfig import VersioningConfig

from shared.errors import Unavailable
from shared.s3.bucket import S3Bucket
from shared.s3.failures import LACKING


@dataclass(frozen=True)
class Guards:
    """What the bucket does for what lies in it."""

    versioning: bool
    object_lock: bool


def prepare(bucket: S3Bucket) -> Guards:
    """Makes the bucket where there is none, with versions and object lock where the server has them. One that is
    there already is left as it is. Unavailable where it cannot be used."""
    if not _is_there(bucket):
        _make(bucket)
    return Guards(_has_versions(bucket), _has_lock(bucket))


def keeps_first(bucket: S3Bucket, key: str) -> bool:
    """Whether the server knows conditional writes; it writes to ``key``, and removes what it wrote."""
    bucket.write_new(key, b"")
    kept = not bucket.write_new(key, b"")
    with suppress(Unavailable):  # one who may write and not remove leaves an empty object behind
        bucket.erase(key)
    return kept


def _is_there(bucket: S3Bucket) -> bool:
    name = bucket.place.bucket
    with bucket.mapped(f"look for the bucket {name}"):
        try:
            # The answer to a HEAD has no body, and so no reason why: a listing says whose fault it is.
            next(bucket.client.list_objects(name, bucket.start_of("")), None)
        except S3Error as exc:
            if exc.code == "NoSuchBucket":
                return False
            raise
    return True


def _make(bucket: S3Bucket) -> None:
    name = bucket.place.bucket
    with bucket.mapped(f"make the bucket {name}, which is not there"):
        try:
            bucket.client.make_bucket(name, object_lock=True)
        except S3Error as exc:
            if exc.code in ("BucketAlreadyOwnedByYou", "BucketAlreadyExists"):
                return  # another process was faster
            if exc.code not in LACKING:
                raise
            bucket.client.make_bucket(name)
    if not _has_versions(bucket):
        _tried(bucket, lambda: bucket.client.set_bucket_versioning(name, VersioningConfig(ENABLED)))


def _has_versions(bucket: S3Bucket) -> bool:
    config = _tried(bucket, lambda: bucket.client.get_bucket_versioning(bucket.place.bucket))
    return config is not None and config.status == ENABLED


def _has_lock(bucket: S3Bucket) -> bool:
    return bool(_tried(bucket, lambda: bucket.client.has_object_lock(bucket.place.bucket)))


def _tried(bucket: S3Bucket, ask: Callable[[], Any]) -> Any | None:
    """What a server may lack, or may not tell these credentials: None then."""
    with bucket.mapped("ask what the bucket keeps"):
        try:
            return ask()
        except S3Error as exc:
            if exc.code in (*LACKING, "ObjectLockConfigurationNotFoundError", "AccessDenied"):
                return None
            raise

"""What a bucket can do, and the bucket itself where there is none yet.

Every call raises Unavailable, with what to do about it, when the server does not do what was asked.
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
from shared.s3.errors import LACKING


@dataclass(frozen=True)
class BucketFeatures:
    """What the bucket protects its objects with."""

    versioning: bool
    object_lock: bool


def prepare_bucket(bucket: S3Bucket) -> BucketFeatures:
    """Create the bucket where there is none, with versions and object lock where the server has them.

    A bucket that exists is left as it is. Raises Unavailable when it cannot be used.
    """
    if not _exists(bucket):
        _create(bucket)
    return BucketFeatures(_has_versions(bucket), _has_lock(bucket))


def find_features(bucket: S3Bucket) -> BucketFeatures | None:
    """Return what the bucket has, None where there is none. Nothing is changed. Raises Unavailable."""
    return BucketFeatures(_has_versions(bucket), _has_lock(bucket)) if _exists(bucket) else None


def has_conditional_writes(bucket: S3Bucket, key: str) -> bool:
    """Whether the server has conditional writes: tried with an object at ``key``, which is removed again."""
    bucket.write_new(key, b"")
    kept = not bucket.write_new(key, b"")
    with suppress(Unavailable):  # credentials that may write but not remove leave an empty object behind
        bucket.erase(key)
    return kept


def _exists(bucket: S3Bucket) -> bool:
    name = bucket.location.bucket
    with bucket.map_errors(f"look for the bucket {name}"):
        try:
            # The answer to a HEAD has no body, and so no reason why: a listing says whose fault it is.
            next(bucket.client.list_objects(name, bucket.list_prefix("")), None)
        except S3Error as exc:
            if exc.code == "NoSuchBucket":
                return False
            raise
    return True


def _create(bucket: S3Bucket) -> None:
    name = bucket.location.bucket
    with bucket.map_errors(f"make the bucket {name}, which is not there"):
        try:
            bucket.client.make_bucket(name, object_lock=True)
        except S3Error as exc:
            if exc.code in ("BucketAlreadyOwnedByYou", "BucketAlreadyExists"):
                return  # another process was faster
            if exc.code not in LACKING:
                raise
            bucket.client.make_bucket(name)
    if not _has_versions(bucket):
        _ask_optional(bucket, lambda: bucket.client.set_bucket_versioning(name, VersioningConfig(ENABLED)))


def _has_versions(bucket: S3Bucket) -> bool:
    config = _ask_optional(bucket, lambda: bucket.client.get_bucket_versioning(bucket.location.bucket))
    return config is not None and config.status == ENABLED


def _has_lock(bucket: S3Bucket) -> bool:
    return bool(_ask_optional(bucket, lambda: bucket.client.has_object_lock(bucket.location.bucket)))


def _ask_optional(bucket: S3Bucket, ask: Callable[[], Any]) -> Any | None:
    """Return the answer, or None where the server lacks the call or these credentials may not make it."""
    with bucket.map_errors("ask what the bucket keeps"):
        try:
            return ask()
        except S3Error as exc:
            if exc.code in (*LACKING, "ObjectLockConfigurationNotFoundError", "AccessDenied"):
                return None
            raise

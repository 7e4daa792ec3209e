"""Opens the bucket that the settings name, creates it where there is none, and finds out what it can do.

Opening makes no request. Every other call raises Unavailable, with what to do about it, when the server does not do
what was asked.
"""

# pyright: reportUnknownMemberType=false
# minio leaves the type arguments of some of its results open.
from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import urllib3
from minio.commonconfig import ENABLED
from minio.credentials.providers import StaticProvider
from minio.error import S3Error
from minio.versioningconfig import VersioningConfig

from shared.errors import PermanentError, Unavailable
from shared.s3.bucket import AT_ONCE, S3Bucket, S3Client
from shared.s3.errors import LACKING
from shared.s3.location import parse_location
from shared.settings import Settings

CONNECT_BOUND_S, READ_BOUND_S = 5.0, 60.0


def open_bucket(settings: Settings, url: str | None = None) -> S3Bucket:
    """Return the bucket of the evidence, or that of ``url`` on the same server; no request is made yet.

    Raises PermanentError when ``url`` or the endpoint is not valid, Unavailable when there are no credentials.
    """
    location = parse_location(url or settings.evidence_bucket or "")
    endpoint = urlsplit(settings.s3_endpoint)
    if endpoint.scheme not in ("http", "https") or not endpoint.netloc or endpoint.path not in ("", "/"):
        told = f"EXHIBIT_S3_ENDPOINT is {settings.s3_endpoint!r}: it is to be http://host:port or https://host"
        raise PermanentError(told, code="bad_place")
    client = S3Client(
        endpoint.netloc,
        credentials=StaticProvider(*find_credentials(settings)),
        secure=endpoint.scheme == "https",
        region=settings.s3_region,
        http_client=_connections(settings.s3_ca),
    )
    return S3Bucket(client, location, settings.s3_endpoint)


def find_credentials(settings: Settings) -> tuple[str, str, str | None]:
    """Return access key, secret key and session token, from the settings or else from the usual AWS variables.

    Raises Unavailable (``store_credentials``) when there are none.
    """
    if settings.s3_access_key and settings.s3_secret_key:
        return settings.s3_access_key.get_secret_value(), settings.s3_secret_key.get_secret_value(), None
    access, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    if not access or not secret:
        told = "no credentials for the S3 server: set EXHIBIT_S3_ACCESS_KEY and EXHIBIT_S3_SECRET_KEY"
        raise Unavailable(told, code="store_credentials")
    return access, secret, os.environ.get("AWS_SESSION_TOKEN")


def make_duckdb_secret(settings: Settings) -> dict[str, str]:
    """Return the options of the secret with which DuckDB reads the bucket of the evidence, and no other."""
    server = urlsplit(settings.s3_endpoint)
    access, secret_key, token = find_credentials(settings)
    return {
        "KEY_ID": access,
        "SECRET": secret_key,
        **({"SESSION_TOKEN": token} if token else {}),
        "REGION": settings.s3_region,
        "ENDPOINT": server.netloc,
        "URL_STYLE": "path",
        "USE_SSL": "false" if server.scheme == "http" else "true",
        "SCOPE": f"s3://{parse_location(settings.evidence_bucket or '').bucket}/",
    }


def _connections(ca: Path | None) -> urllib3.PoolManager:
    """Without retries: the runner is the one layer that retries."""
    timeout = urllib3.Timeout(connect=CONNECT_BOUND_S, read=READ_BOUND_S)
    return urllib3.PoolManager(
        timeout=timeout,
        maxsize=AT_ONCE,
        retries=False,
        cert_reqs="CERT_REQUIRED",
        ca_certs=None if ca is None else str(ca),
    )


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

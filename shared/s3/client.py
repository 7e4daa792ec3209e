"""The client of an S3 server: minio's, with what it lacks, and with connections that do not retry."""

# pyright: reportUnknownMemberType=false
# minio leaves the type arguments of some of its results open.
from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import urllib3
from minio import Minio
from minio.credentials.providers import StaticProvider
from minio.helpers import ObjectWriteResult

AT_ONCE = 16
"""Connections in the pool: so many calls run at a time without waiting for each other."""
CONNECT_BOUND_S, READ_BOUND_S = 5.0, 60.0


class S3Client(Minio):
    """Adds writes with conditions, and a test for object lock that accepts the answers of all servers."""

    def put(self, bucket: str, name: str, data: bytes, headers: Mapping[str, str]) -> ObjectWriteResult:
        return self._put_object(bucket, name, data, dict(headers))

    def has_object_lock(self, bucket: str) -> bool:
        """Unlike minio's own call this accepts an answer with an empty rule, as some servers send it."""
        answer = self._execute("GET", bucket, query_params={"object-lock": ""})
        return b"<ObjectLockEnabled>Enabled<" in answer.data


def make_client(
    host: str, credentials: tuple[str, str, str | None], region: str, *, secure: bool, ca: Path | None
) -> S3Client:
    """Return a client; no request is made yet. ``credentials``: access key, secret key and session token."""
    return S3Client(
        host,
        credentials=StaticProvider(*credentials),
        secure=secure,
        region=region,
        http_client=_connections(ca),
    )


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

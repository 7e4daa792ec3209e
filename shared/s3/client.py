"""The minio client with two more calls."""

# pyright: reportUnknownMemberType=false
# minio leaves the type arguments of some of its results open.
from __future__ import annotations

from collections.abc import Mapping

from minio import Minio
from minio.helpers import ObjectWriteResult


class S3Client(Minio):
    """Adds writes with conditions, and a test for object lock that accepts the answers of all servers."""

    def put(self, bucket: str, name: str, data: bytes, headers: Mapping[str, str]) -> ObjectWriteResult:
        return self._put_object(bucket, name, data, dict(headers))

    def has_object_lock(self, bucket: str) -> bool:
        """Unlike minio's own call this accepts an answer with an empty rule, as some servers send it."""
        answer = self._execute("GET", bucket, query_params={"object-lock": ""})
        return b"<ObjectLockEnabled>Enabled<" in answer.data

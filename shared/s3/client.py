"""The minio client, with two calls as they are needed here."""

# pyright: reportUnknownMemberType=false
# minio leaves the type arguments of some of its results open.
from __future__ import annotations

from collections.abc import Mapping

from minio import Minio
from minio.helpers import ObjectWriteResult


class Client(Minio):
    """Its own write lets no condition through, and its own question about object lock cannot read every answer."""

    def put(self, bucket: str, name: str, data: bytes, headers: Mapping[str, str]) -> ObjectWriteResult:
        return self._put_object(bucket, name, data, dict(headers))

    def has_object_lock(self, bucket: str) -> bool:
        """Some servers send an empty rule along, which minio's own call stumbles over."""
        answer = self._execute("GET", bucket, query_params={"object-lock": ""})
        return b"<ObjectLockEnabled>Enabled<" in answer.data

"""S3 servers that tests of handlers share: one of each kind for a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.memory_s3 import MemoryS3
from tests.s3_servers import S3Server, s3_server

REAL = [
    pytest.param("versitygw", marks=pytest.mark.system),
    pytest.param("minio", marks=[pytest.mark.system, pytest.mark.long]),
]


@pytest.fixture(scope="session", params=REAL)
def real_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(request.param, tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(scope="session", params=["memory", *REAL])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server | MemoryS3]:
    """The first of them in memory: the same tests, without a process."""
    if request.param == "memory":
        yield MemoryS3()
        return
    with s3_server(request.param, tmp_path_factory.mktemp("s3")) as server:
        yield server

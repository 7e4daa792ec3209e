"""S3 servers for tests of handlers: in memory, and real ones."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.memory_s3 import MemoryS3
from tests.s3_servers import S3Server, s3_server

SYSTEM, LONG = pytest.mark.system, [pytest.mark.system, pytest.mark.long]
REAL = [pytest.param("versitygw", marks=SYSTEM), pytest.param("minio", marks=LONG)]


@contextmanager
def any_server(name: str, folder: Path) -> Generator[S3Server | MemoryS3]:
    """Yield a server by its name: ``memory`` or a real one, ``NAME without versions`` for one that keeps none."""
    kind, _, plain = name.partition(" ")
    if kind == "memory":
        yield MemoryS3(versions=not plain)
        return
    with s3_server(kind, folder, versions=not plain) as server:
        yield server


@pytest.fixture(scope="session", params=REAL)
def real_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(request.param, tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(scope="session", params=["memory", *REAL])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server | MemoryS3]:
    with any_server(request.param, tmp_path_factory.mktemp("s3")) as server:
        yield server

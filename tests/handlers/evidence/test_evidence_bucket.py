"""The bucket store: the common suite, retention, bytes that are gone, and servers that can do less."""

from __future__ import annotations

import asyncio
import logging
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from minio.credentials.providers import StaticProvider
from minio.minioadmin import MinioAdmin
from pydantic import SecretStr

from services.evidence.deps import EvidenceDeps
from services.evidence.outputs.make_products import blocking_reader
from services.evidence.read_api.samples import copy_artifact
from services.evidence.store.s3_store import Retention, S3Store
from shared.contracts.evidence import ArtifactMissing, ProvideArtifact
from shared.errors import PermanentError, Unavailable
from shared.s3.bucket import S3Bucket
from shared.s3.features import prepare_bucket
from shared.s3.opening import open_bucket
from shared.testing.bus import MemoryBus
from tests.handlers.conftest import REAL, any_server
from tests.handlers.evidence.store_suite import PNG, StoreSuite, kept, sha, spooled
from tests.memory_s3 import MemoryS3
from tests.s3_servers import S3Server, s3_server
from tests.typed import expect

NOW = datetime(2126, 3, 1, tzinfo=UTC)
"""So that what a server retains from here on is retained now."""
KEY = "run_1/A-1/01.png"
CONTENT = f"run_1/objects/{sha(PNG)[:2]}/{sha(PNG)}"


@pytest.fixture
def bucket(server: S3Server | MemoryS3) -> S3Bucket:
    return server.bucket(f"s3://evidence-{uuid4().hex[:12]}/below")


@pytest.fixture
async def store(bucket: S3Bucket, tmp_path: Path) -> AsyncIterator[S3Store]:
    store = S3Store(bucket, tmp_path / "spool")
    store.check_usable()
    yield store
    store.close()
    assert list(tmp_path.iterdir()) == []


class TestS3Store(StoreSuite):
    @pytest.fixture
    def stored_bytes(self, bucket: S3Bucket) -> Callable[[], int]:
        return lambda: sum(one.size_bytes for one in bucket.list_objects(recursive=True))


async def test_a_name_says_to_a_person_where_its_bytes_lie(store, bucket):
    await kept(store, KEY, PNG)
    stat, data = bucket.read(KEY)
    assert stat.media_type == "application/vnd.exhibit.pointer"
    assert data.decode() == f"The {len(PNG)} bytes of this name lie in {CONTENT.removeprefix('run_1/')} of this run.\n"
    assert store.location("run_1/A-1") == f"s3://{bucket.location.bucket}/below/run_1/A-1"


async def test_bytes_that_are_gone_are_told_to_whoever_reads_them_and_hold_up_no_run(store, bucket):
    await kept(store, KEY, PNG)
    await kept(store, "run_1/A-1/02.png", b"another")
    bucket.remove(CONTENT)
    with pytest.raises(PermanentError, match="are gone") as caught:
        await store.read(KEY)
    assert caught.value.code == "object_damaged"
    with pytest.raises(PermanentError, match="are gone"):
        async with store.local_file(KEY):
            pass
    asked = ProvideArtifact(run_id="run_1", sample_id="A-1", filename="01.png")
    answer = expect(await copy_artifact(EvidenceDeps(store, MemoryBus(), lambda: NOW), asked), ArtifactMissing)
    assert "are gone" in answer.message
    read = blocking_reader(store, "run_1", "A-1", asyncio.get_running_loop())
    assert await asyncio.to_thread(read, "01.png") is None
    assert await asyncio.to_thread(read, "02.png") == b"another"


async def test_what_somebody_removed_before_is_no_hindrance_to_removing_the_rest(store, bucket):
    for name in ("000001.json", "000002.json"):
        await store.write(f"run_1/A-1/_log/{name}", b"{}")
    bucket.remove("run_1/A-1/_log/000001.json")
    await store.remove("run_1/A-1/_log")
    assert await store.names("run_1/A-1/_log") == []


async def test_bytes_that_are_not_those_of_the_hash_are_not_kept(store):
    with pytest.raises(Unavailable):
        await store.store_captured(KEY, sha(b"others"), spooled(store, PNG))
    assert await store.names("run_1") == []


@pytest.mark.parametrize("mode", ["GOVERNANCE", "COMPLIANCE"])
async def test_what_is_secured_is_retained_with_the_bytes_it_names(bucket, tmp_path, mode):
    store = S3Store(bucket, tmp_path, Retention(mode, 30, lambda: NOW))
    store.check_usable()
    await kept(store, KEY, PNG)
    await store.write("run_1/A-1/result.json", b"{}")
    await store.write("run_1/A-2/result.json", b"{}")
    await store.make_durable("run_1/A-1")
    for key in (KEY, "run_1/A-1/result.json", CONTENT):
        assert bucket.retention(key) == (mode, NOW + timedelta(days=30))
    assert bucket.retention("run_1/A-2/result.json") is None
    await store.write("run_1/A-3/result.json", b"{}")
    await store.make_file_durable("run_1/A-3/result.json")
    assert bucket.retention("run_1/A-3/result.json") == (mode, NOW + timedelta(days=30))
    assert bucket.retention("run_1/A-2/result.json") is None
    if mode == "COMPLIANCE":
        with pytest.raises(Unavailable):
            bucket.remove(KEY, bucket.stat(KEY).version)
    # What comes later adds: the version that was sealed stays.
    await store.write("run_1/A-1/result.json", b'{"more": 1}')
    await store.move(KEY, "run_1/A-1/attempt_1/01.png")
    assert await store.read("run_1/A-1/attempt_1/01.png") == PNG
    sooner = S3Store(bucket, tmp_path, Retention(mode, 1, lambda: NOW))
    await sooner.make_durable("run_1/A-1/attempt_1")
    assert bucket.retention(CONTENT) == (mode, NOW + timedelta(days=30))
    store.close()
    sooner.close()


async def test_nothing_is_asked_to_be_retained_where_it_cannot_be(bucket, tmp_path, caplog):
    bucket.client.make_bucket(bucket.location.bucket)
    store = S3Store(bucket, tmp_path, Retention("GOVERNANCE", 30, lambda: NOW))
    with pytest.raises(PermanentError, match="no object lock") as caught:
        store.check_usable()
    assert caught.value.code == "no_object_lock"
    with caplog.at_level(logging.WARNING):
        plain = S3Store(bucket, tmp_path)
        plain.check_usable()
    store.close()
    plain.close()
    ours = [one.message for one in caplog.records if one.name == S3Store.__module__]
    assert ["keeps no versions" in one or "no object lock" in one for one in ours] == [True] * 2


@pytest.mark.parametrize("name", ["memory", pytest.param("versitygw", marks=pytest.mark.system)])
async def test_a_server_without_versions_and_lock_will_do(tmp_path, name):
    with any_server(f"{name} without versions", tmp_path) as server:
        store = S3Store(server.bucket("s3://plain"), tmp_path / "spool")
        store.check_usable()
        await kept(store, KEY, PNG)
        await store.move(KEY, "run_1/A-1/attempt_1/01.png")
        await kept(store, KEY, b"other")
        assert await store.read(KEY) == b"other"
        assert await store.read("run_1/A-1/attempt_1/01.png") == PNG
        store.close()


@pytest.fixture(params=REAL)
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[S3Server]:
    """With a file system of 40 MB of its own, in a mount namespace that ends with the server."""
    (tmp_path / "data").mkdir()
    mount = f'mount -t tmpfs -o size=40m none "{tmp_path}/data" && exec "$@"'
    around = ("unshare", "-m", "sh", "-c", mount, "sh")
    if subprocess.run([*around, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may not mount a file system")
    with s3_server(request.param, tmp_path, around) as server:
        yield server


async def test_a_server_whose_disk_is_full_says_so_and_goes_on_when_there_is_room(small, tmp_path):
    told: list[str] = []

    async def on_blocked(key: str, why: str) -> None:
        told.append(key)

    bucket = small.bucket("s3://small")
    store = S3Store(bucket, tmp_path / "spool", on_blocked=on_blocked)
    store.check_usable()
    large = bytes(12_000_000)
    for number in range(2):
        await kept(store, f"run_1/A-{number}/large.bin", large + bytes([number]))
    writes = (
        lambda: store.write_file("run_1/t.bin", spooled(store, large * 2)),
        lambda: kept(store, "run_1/A-9/x.bin", large * 2),
    )
    for refused in writes:
        with pytest.raises(Unavailable, match="disk is full") as caught:
            await refused()
        assert caught.value.code == "disk_full"
    assert told == ["run_1/t.bin", "run_1/A-9/x.bin"]
    assert await store.read("run_1/A-9/x.bin") is None
    for one in list(bucket.list_objects("run_1/objects", recursive=True, versions=True)):
        bucket.remove(one.key, one.version)
    await kept(store, "run_1/A-9/x.bin", PNG)
    assert await store.read("run_1/A-9/x.bin") == PNG
    store.close()


@pytest.mark.long
@pytest.mark.system
def test_who_may_not_make_the_bucket_is_told(tmp_path):
    """On MinIO, whose own interface makes users with few rights."""
    with s3_server("minio", tmp_path) as server:
        prepare_bucket(server.bucket("s3://theirs"))
        root = StaticProvider(server.access_key, server.secret_key)
        admin = MinioAdmin(endpoint=server.url.removeprefix("http://"), credentials=root, secure=False)
        admin.user_add("clerk", "a-long-secret")
        may = {"Effect": "Allow", "Action": ["s3:*"], "Resource": ["arn:aws:s3:::theirs", "arn:aws:s3:::theirs/*"]}
        admin.policy_add("theirs-only", policy={"Version": "2012-10-17", "Statement": [may]})
        admin.attach_policy(["theirs-only"], user="clerk")
        clerk: dict[str, Any] = {"s3_access_key": SecretStr("clerk"), "s3_secret_key": SecretStr("a-long-secret")}
        S3Store(open_bucket(server.settings("s3://theirs", **clerk)), tmp_path / "spool").check_usable()
        with pytest.raises(Unavailable, match="these credentials may not do that") as caught:
            S3Store(open_bucket(server.settings("s3://of-others", **clerk)), tmp_path / "spool").check_usable()
        assert caught.value.code == "store_denied"
        assert "s3://of-others" in str(caught.value)

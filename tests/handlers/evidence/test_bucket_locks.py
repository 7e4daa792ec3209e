"""The lock of a run in a bucket: one owner, renewed by a heartbeat, taken over after expiry.

Each `BucketLocks` with its own folder stands for a process on another machine. No test waits for an expiry: a takeover
has no patience.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from msgspec.structs import replace

from services.evidence.run_lock import bucket_locks
from services.evidence.run_lock.bucket_locks import BucketLocks
from services.evidence.run_lock.lock_owner import EXPIRES_S, LockOwner, parse_owner
from services.evidence.store.s3_store import S3Store
from shared.errors import Unavailable
from shared.evidence_format.files.json_files import encode_file
from shared.s3.bucket import S3Bucket
from shared.s3.features import prepare_bucket
from shared.s3.location import ObjectStat
from tests.handlers.conftest import LONG, REAL, any_server
from tests.memory_s3 import MemoryS3
from tests.s3_servers import S3Server
from tests.typed import expect

IMPATIENT_S = -1.0
KEY = ".held/run_1"
Machine = Callable[..., BucketLocks]


@pytest.fixture(
    scope="module",
    params=["memory", "memory without versions", *REAL, pytest.param("versitygw without versions", marks=LONG)],
)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server | MemoryS3]:
    with any_server(request.param, tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture
def bucket(server: S3Server | MemoryS3) -> S3Bucket:
    bucket = server.bucket(f"s3://held-{uuid4().hex[:12]}/below")
    prepare_bucket(bucket)
    return bucket


@pytest.fixture
def machine(bucket: S3Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setattr(bucket_locks, "RENEW_INTERVAL_S", 3600.0)  # these tests say when
    made: list[BucketLocks] = []

    def machine(name: str, expires_s: float = EXPIRES_S) -> BucketLocks:
        made.append(BucketLocks(bucket, tmp_path / name, expires_s))
        return made[-1]

    yield machine
    for one in made:
        one.close()
    assert list(bucket.list_objects(".held")) == []


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    now = [1000.0]

    def later(by_s: float) -> None:
        now[0] += by_s

    monkeypatch.setattr(bucket_locks, "_elapsed_s", lambda: now[0])
    return later


def refused(holding: BucketLocks) -> str:
    with pytest.raises(Unavailable) as caught:
        holding.take("run_1")
    assert caught.value.code == "run_held"
    return str(caught.value)


def test_another_machine_is_refused_for_as_long_as_the_first_says_that_it_lives(machine: Machine, bucket: S3Bucket):
    first, second = machine("a"), machine("b")
    assert first.take("run_1") is True
    assert first.take("run_1") is False, "it was ours before"
    told = refused(second)
    assert f"another process writes {bucket.location}/run_1: process " in told
    assert "or has not renewed its lock for 60 s (last " in told
    assert second.take("run_2") is True, "another run is another thing"
    first.release("run_1")
    assert second.take("run_1") is True


def test_one_that_is_heard_of_no_more_is_followed(machine: Machine, bucket: S3Bucket, clock):
    first, second = machine("a"), machine("b", IMPATIENT_S)
    first.take("run_1")
    assert second.take("run_1") is True
    first.require_lock("run_1")  # it was heard of a moment ago, as far as it knows
    clock(EXPIRES_S / 2)
    with pytest.raises(Unavailable, match="another process writes") as caught:
        first.require_lock("run_1")
    assert caught.value.code == "run_held"
    refused(first)
    first.release("run_1")
    assert bucket.stat(KEY) is not None, "what is of the second stays"
    second.renew()
    second.release("run_1")
    assert first.take("run_1") is True, "another one wrote it meanwhile, so it is read anew"


def test_whoever_stood_still_and_was_not_followed_goes_on(machine: Machine, clock):
    first = machine("a")
    first.take("run_1")
    clock(100 * EXPIRES_S)
    first.require_lock("run_1")
    assert first.take("run_1") is False


def test_a_renewal_is_news_of_the_holder_and_leaves_nothing_behind(machine: Machine, bucket: S3Bucket):
    first = machine("a")
    first.take("run_1")
    before = bucket.stat(KEY)
    for _ in range(3):
        first.renew()
    assert before is not None
    assert expect(bucket.stat(KEY), ObjectStat).etag != before.etag
    assert [one.key for one in bucket.list_objects(".held", versions=True)] == [KEY]
    first.release("run_1")
    assert list(bucket.list_objects(".held", versions=True)) == []


def test_a_renewal_whose_answer_was_lost_is_no_loss(machine: Machine, bucket: S3Bucket, clock):
    first = machine("a")
    first.take("run_1")
    with not_answered(bucket):
        first.renew()
    clock(EXPIRES_S)
    assert first.take("run_1") is False
    assert [one.key for one in bucket.list_objects(".held", versions=True)] == [KEY]


def test_whoever_lets_go_right_after_a_lost_answer_leaves_nothing(machine: Machine, bucket: S3Bucket):
    first = machine("a")
    first.take("run_1")
    with not_answered(bucket):
        first.renew()
    assert not first.is_confirmed("run_1"), "something is there that it has not heard of"
    first.release("run_1")
    assert list(bucket.list_objects(".held", versions=True)) == []


@contextmanager
def not_answered(bucket: S3Bucket) -> Generator[None]:
    """What is written is heard, and nobody hears that it was."""
    swap = bucket.swap

    def heard(*given: Any) -> None:
        swap(*given)
        raise Unavailable("the connection broke")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bucket, "swap", heard)
        yield


def test_of_many_that_take_it_at_once_one_has_it(machine: Machine):
    for round_ in range(3):
        machines = [machine(f"{round_}-{number}") for number in range(6)]
        with ThreadPoolExecutor(6) as pool:
            took = list(pool.map(lambda one: _taken(one, f"run_{round_}"), machines))  # noqa: B023
        assert sum(took) == 1


def test_of_many_that_follow_a_dead_one_at_once_one_has_it(bucket: S3Bucket):
    bucket.write("lock", b"of the dead", "text/plain")
    there = bucket.stat("lock")
    with ThreadPoolExecutor(6) as pool:
        wrote = list(pool.map(lambda number: bucket.swap("lock", b"%d" % number, there, "text/plain"), range(6)))
    assert len([one for one in wrote if one is not None]) == 1


def test_of_two_that_a_server_without_conditions_lets_through_the_last_one_has_it(
    machine: Machine, bucket: S3Bucket, monkeypatch: pytest.MonkeyPatch
):
    swap = bucket.swap

    def followed(key: str, data: bytes, *given: Any) -> ObjectStat | None:
        now = swap(key, data, *given)
        bucket.write(key, encode_file(replace(expect(parse_owner(data), LockOwner), keeper="another")))
        return now

    with monkeypatch.context() as patch:
        patch.setattr(bucket, "swap", followed)
        refused(machine("a"))
    while bucket.stat(KEY) is not None:
        bucket.erase(KEY)


def _taken(holding: BucketLocks, run_id: str) -> bool:
    try:
        return holding.take(run_id)
    except Unavailable as exc:
        return exc.code != "run_held"


def test_one_of_this_machine_that_died_is_followed_at_once(machine: Machine):
    dead = machine("a")
    dead.take("run_1")
    dead._keepers.abandon(dead._keeper_file("run_1"))  # as the system does it
    assert refused(machine("b"))
    assert machine("a").take("run_1") is True


def test_a_lock_that_nobody_can_read_holds_until_it_is_old(machine: Machine, bucket: S3Bucket):
    bucket.write(KEY, b"\xff not ours")
    assert f"another process writes {bucket.location}/run_1; end it, or wait" in refused(machine("a"))
    assert machine("b", IMPATIENT_S).take("run_1") is True


def test_a_lock_that_a_person_removed_is_free(machine: Machine, bucket: S3Bucket, clock):
    first, second = machine("a"), machine("b")
    first.take("run_1")
    bucket.remove(KEY)
    assert second.take("run_1") is True
    clock(EXPIRES_S)
    refused(first)


def test_while_the_server_is_gone_nothing_is_lost(
    machine: Machine, bucket: S3Bucket, clock, caplog, monkeypatch: pytest.MonkeyPatch
):
    def refused(*_: object, **__: object) -> None:
        raise ConnectionRefusedError

    first = machine("a")
    first.take("run_1")
    with monkeypatch.context() as gone:
        for call in ("put", "get_object", "stat_object"):
            gone.setattr(bucket.client, call, refused)
        first.renew()
        clock(EXPIRES_S)
        with pytest.raises(Unavailable) as caught:
            first.require_lock("run_1")
        assert caught.value.code == "store_unavailable"
        with caplog.at_level(logging.WARNING):
            first.close()
        assert "stays until it expires" in caplog.text
    assert machine("a").take("run_1") is True, "the process is gone, so another of this machine need not wait"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("run_1.review", "run_1/review.rounds/1/000001.json"),
        ("run_1.tags", "run.tags/run_1.json"),
        ("a.csv.artifact", "library.artifacts/a.csv/entry.json"),
    ],
)
async def test_who_was_followed_at_a_change_beside_the_run_does_not_write_it(
    machine: Machine, bucket: S3Bucket, tmp_path: Path, clock, name: str, key: str
):
    store = S3Store(bucket, tmp_path / "spool", locks=machine("a"))
    assert await store.lock_run(name) is True
    await store.write(key, b"mine")
    machine("b", IMPATIENT_S).take(name)
    clock(EXPIRES_S)
    with pytest.raises(Unavailable) as caught:
        await store.write(key, b"late")
    assert caught.value.code == "run_held"
    assert await store.read(key) == b"mine"
    store.close()


async def test_who_was_followed_changes_nothing_of_the_run(machine: Machine, bucket: S3Bucket, tmp_path: Path, clock):
    store = S3Store(bucket, tmp_path / "spool", locks=machine("a"))
    assert await store.lock_run("run_1") is True
    await store.write("run_1/x", b"mine")
    machine("b", IMPATIENT_S).take("run_1")
    clock(EXPIRES_S)
    for change in (
        lambda: store.write("run_1/x", b"late"),
        lambda: store.move("run_1/x", "run_1/y"),
        lambda: store.remove("run_1"),
    ):
        with pytest.raises(Unavailable) as caught:
            await change()
        assert caught.value.code == "run_held"
    assert await store.read("run_1/x") == b"mine"
    assert await store.names("run_1") == ["x"]
    await store.write("run_2/x", b"of another run")
    store.close()


def test_a_person_can_read_who_it_is(machine: Machine, bucket: S3Bucket):
    machine("a").take("run_1")
    found = bucket.read(KEY)
    assert found is not None
    stat, data = found
    assert stat.media_type == "application/json"
    assert set(json.loads(data)) == {"host", "pid", "since", "keeper", "renewal"}
    assert stat.age_s is not None
    assert 0 <= stat.age_s < EXPIRES_S

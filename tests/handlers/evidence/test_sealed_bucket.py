"""A run in a bucket is sealed, verified and exported like one in a folder, on two different servers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from minio.error import S3Error
from typer.testing import CliRunner

from services.console.cli import app
from services.evidence.store.s3_store import S3Store
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.zip import ZipSource
from shared.evidence_format.verify.run import RunCheck, check_run
from shared.s3.bucket import S3Bucket
from shared.s3.opening import open_bucket
from shared.settings import Settings
from tests.handlers.evidence.evidence_desk import KEY, Desk
from tests.handlers.evidence.sealed_rounds import rounds, told
from tests.s3_servers import SERVERS, S3Server, s3_server


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(request.param, tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture
def settings(server: S3Server) -> Settings:
    return server.settings(f"s3://evidence-{uuid4().hex[:12]}/below")


@pytest.fixture
def bucket(settings: Settings) -> S3Bucket:
    return open_bucket(settings)


@pytest.fixture
async def run(settings: Settings, bucket: S3Bucket, tmp_path: Path) -> str:
    """Where a run of two rounds lies in a bucket."""
    desk = Desk(tmp_path / "unused")
    store = S3Store(bucket, tmp_path / "spool")
    store.check_usable()
    desk.deps = replace(desk.deps, store=store)
    await rounds(desk)
    store.close()
    return f"{settings.evidence_bucket}/run_1"


def check(settings: Settings, run: str) -> RunCheck:
    with open_source(settings, run) as medium:
        return check_run(medium, KEY.public)


async def test_a_run_in_a_bucket_is_whole(settings: Settings, run: str, bucket: S3Bucket):
    checked = check(settings, run)
    assert checked.problems == []
    assert checked.stands
    assert any(one.key.startswith("run_1/objects/") for one in bucket.list_objects("run_1", recursive=True))


def object_of(text: bytes) -> str:
    sha256 = hashlib.sha256(text * 20).hexdigest()
    return f"run_1/objects/{sha256[:2]}/{sha256}"


def renamed_in_words(bucket: S3Bucket, key: str) -> None:
    """The name still leads to its bytes; a person who opens it is told of others."""
    stat = bucket.stat(key)
    assert stat is not None
    bucket.remove(key)
    assert bucket.write_new(key, b"The bytes of this name lie elsewhere.\n", stat.media_type, stat.metadata)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda b: b.write("run_1/A-3/result.json", b"{}"), {("A-3/result.json", "changed")}),
        (lambda b: b.remove("run_1/A-3/sample.json"), {("A-3/sample.json", "missing")}),
        (lambda b: b.write("run_1/A-3/more.txt", b""), {("A-3/more.txt", "added")}),
        (lambda b: b.write(object_of(b"picture of A-1, 1"), b"forged"), {("A-1/01_t.png", "changed")}),
        (
            lambda b: b.remove(object_of(b"picture of A-3, 1")),
            {("A-3/01_t.png", "unreadable"), (object_of(b"picture of A-3, 1").removeprefix("run_1/"), "missing")},
        ),
        (lambda b: b.write("run_1/A-1/01_t.png", b"no name of anything"), {("A-1/01_t.png", "changed")}),
        (lambda b: renamed_in_words(b, "run_1/A-1/01_t.png"), {("A-1/01_t.png", "unreadable")}),
        (lambda b: b.write("run_1/objects/evil.html", b""), {("objects/evil.html", "added")}),
        (lambda b: b.write(object_of(b"nobody's"), b""), {(object_of(b"nobody's").removeprefix("run_1/"), "added")}),
        (lambda b: b.remove("run_1/seal.json"), {("seal.json", "missing")}),
    ],
)
async def test_what_was_done_to_it_is_found(
    settings: Settings, run: str, bucket: S3Bucket, change: Callable[[S3Bucket], Any], found: set[tuple[str, str]]
):
    change(bucket)
    assert told(check(settings, run)) == found


async def test_bytes_under_a_name_that_marks_a_folder_are_found(settings: Settings, run: str, bucket: S3Bucket):
    """One of the servers takes them; the other refuses to."""
    client = bucket.client
    client.put(bucket.location.bucket, bucket.location.name_of("run_1/A-3") + "/", b"", {})
    assert check(settings, run).stands, "some programs put an empty one where a folder is"
    try:
        client.put(bucket.location.bucket, bucket.location.name_of("run_1/A-3/evil") + "/", b"hidden", {})
    except S3Error as exc:
        assert exc.code == "DirectoryObjectContainsData"  # noqa: PT017
        return
    assert told(check(settings, run)) == {("A-3/evil/", "added")}


async def test_it_is_exported_as_a_zip_that_is_whole(settings: Settings, server: S3Server, run: str, tmp_path: Path):
    (tmp_path / "key.pem").write_text(KEY.public.pem)
    given = ["export", run, "--out", str(tmp_path / "run.zip"), "--key", str(tmp_path / "key.pem")]
    made = CliRunner().invoke(app, given, env=server.environment(settings.evidence_bucket or ""))
    assert made.exit_code == 0, made.output
    medium = ZipSource(tmp_path / "run.zip")
    assert check_run(medium, KEY.public).stands
    medium.close()


async def test_a_bucket_that_is_not_there_is_said(server: S3Server, tmp_path: Path):
    (tmp_path / "key.pem").write_text(KEY.public.pem)
    given = ["verify", f"s3://nothing-{uuid4().hex}/run_1", "--key", str(tmp_path / "key.pem")]
    made = CliRunner().invoke(app, given, env=server.environment("s3://unused"))
    assert made.exit_code == 2
    assert "no such bucket" in made.output

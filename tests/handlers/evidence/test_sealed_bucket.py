"""A run in a bucket is sealed, verified and exported like one in a folder."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from minio.error import S3Error
from typer.testing import CliRunner

from services.console.cli import app
from services.evidence.store.s3_store import S3Store
from services.evidence.timestamps.asking import Timestamps
from shared.evidence_format.seals.transparency import SealList
from shared.evidence_format.sources.bucket import BucketSource
from shared.evidence_format.sources.zip import ZipSource
from shared.evidence_format.verify.verify_run import RunCheck, check_run
from shared.s3.bucket import S3Bucket
from tests.handlers.evidence.evidence_desk import KEY, Desk
from tests.handlers.evidence.sealed_rounds import rounds, told
from tests.memory_s3 import MemoryS3
from tests.s3_servers import S3Server
from tests.time_stamping import OpensslTsa


async def run_in(bucket: S3Bucket, folder: Path) -> None:
    """File a run of two rounds."""
    desk, store = Desk(folder / "unused"), S3Store(bucket, folder / "spool")
    store.check_usable()
    desk.deps = replace(desk.deps, store=store)
    await rounds(desk)
    store.close()


@pytest.fixture
async def run(server: S3Server | MemoryS3, tmp_path: Path) -> S3Bucket:
    """A bucket that is opened at a run."""
    place = f"s3://evidence-{uuid4().hex[:12]}/below"
    await run_in(server.bucket(place), tmp_path)
    return server.bucket(f"{place}/run_1")


def check(run: S3Bucket) -> RunCheck:
    return check_run(BucketSource(run), KEY.public)


def object_of(text: bytes) -> str:
    sha256 = hashlib.sha256(text * 20).hexdigest()
    return f"objects/{sha256[:2]}/{sha256}"


async def test_a_run_in_a_bucket_is_whole_and_whatever_is_done_to_it_is_found(run: S3Bucket):
    checked = check(run)
    assert checked.problems == []
    assert checked.stands
    assert any(one.key.startswith("objects/") for one in run.list_objects(recursive=True))
    run.write("A-3/result.json", b"{}")
    run.remove("A-3/sample.json")
    run.write("A-3/more.txt", b"")
    run.write(object_of(b"picture of A-1, 1"), b"forged")
    run.remove(object_of(b"picture of A-3, 1"))
    run.write("objects/evil.html", b"")
    run.write(object_of(b"nobody's"), b"")
    assert told(check(run)) == {
        ("A-3/result.json", "changed"),
        ("A-3/sample.json", "missing"),
        ("A-3/more.txt", "added"),
        ("A-1/01_t.png", "changed"),
        ("A-3/01_t.png", "unreadable"),
        (object_of(b"picture of A-3, 1"), "missing"),
        ("objects/evil.html", "added"),
        (object_of(b"nobody's"), "added"),
    }


async def test_a_name_that_leads_elsewhere_and_a_seal_that_is_gone_are_found(run: S3Bucket):
    run.write("A-1/01_t.png", b"no name of anything")
    # This name still leads to its bytes; a person who opens it is told of others.
    stat = run.stat("A-3/01_t.png")
    assert stat is not None
    run.remove("A-3/01_t.png")
    assert run.write_new("A-3/01_t.png", b"The bytes lie elsewhere.\n", stat.media_type, stat.metadata)
    assert told(check(run)) == {("A-1/01_t.png", "changed"), ("A-3/01_t.png", "unreadable")}
    run.remove("seal.json")
    assert ("seal.json", "missing") in told(check(run))


async def test_bytes_under_a_name_that_marks_a_folder_are_found(run: S3Bucket):
    """Some servers take them; others refuse to."""
    bucket = run.location.bucket
    run.client.put(bucket, run.location.name_of("A-3") + "/", b"", {})
    assert check(run).stands, "some programs put an empty one where a folder is"
    try:
        run.client.put(bucket, run.location.name_of("A-3/evil") + "/", b"hidden", {})
    except S3Error as exc:
        assert exc.code == "DirectoryObjectContainsData"  # noqa: PT017
        return
    assert told(check(run)) == {("A-3/evil/", "added")}


async def test_it_is_exported_as_a_zip_that_is_whole(real_server: S3Server, tmp_path: Path):
    place = f"s3://evidence-{uuid4().hex[:12]}/below"
    await run_in(real_server.bucket(place), tmp_path)
    (tmp_path / "key.pem").write_text(KEY.public.pem)
    given = ["export", f"{place}/run_1", "--out", str(tmp_path / "run.zip"), "--key", str(tmp_path / "key.pem")]
    made = CliRunner().invoke(app, given, env=real_server.environment(place))
    assert made.exit_code == 0, made.output
    medium = ZipSource(tmp_path / "run.zip")
    assert check_run(medium, KEY.public).stands
    medium.close()


async def test_its_seals_get_tokens_and_are_listed(real_server: S3Server, tmp_path: Path):
    place = f"s3://evidence-{uuid4().hex[:12]}/below"
    await run_in(real_server.bucket(place), tmp_path)
    store, tsa = S3Store(real_server.bucket(place), tmp_path / "spool"), OpensslTsa(tmp_path / "tsa")
    stamps = Timestamps(store, tsa, tsa.authority, "", first_pause_s=3600.0, longest_s=60.0)
    await stamps.recall()
    assert await stamps.ask_for_open()
    store.close()
    checked = check_run(BucketSource(real_server.bucket(f"{place}/run_1")), KEY.public, authority=tsa.authority)
    assert (checked.problems, list(checked.timestamps)) == ([], [2])
    given = ["seals", "--out", str(tmp_path / "seals.jsonl")]
    made = CliRunner().invoke(app, given, env=real_server.environment(place))
    assert made.exit_code == 0, made.output
    listed = SealList.parse((tmp_path / "seals.jsonl").read_bytes())
    assert [(one.run_id, one.round) for one in listed.seals] == [("run_1", 1), ("run_1", 2)]


async def test_a_bucket_that_is_not_there_is_said(real_server: S3Server, tmp_path: Path):
    (tmp_path / "key.pem").write_text(KEY.public.pem)
    given = ["verify", f"s3://nothing-{uuid4().hex}/run_1", "--key", str(tmp_path / "key.pem")]
    made = CliRunner().invoke(app, given, env=real_server.environment("s3://unused"))
    assert made.exit_code == 2
    assert "no such bucket" in made.output

"""Re-performance of a run in a bucket and of an exported zip; nothing is written there."""

from __future__ import annotations

import asyncio
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from practice.tickets import server
from practice.tickets.data import ground_truth
from shared.host.services import run_embedded
from shared.s3.bucket import S3Bucket
from shared.s3.opening import open_bucket
from shared.settings import Settings
from tests.end_to_end.conftest import ROOT, Cli
from tests.s3_servers import SERVERS, S3Server, s3_server

SPEC = json.loads((ROOT / "task_specs/practice_tickets.json").read_text())
FIRST, SECOND = [ticket.number for ticket in ground_truth() if ticket.assignee and ticket.due_date][:2]
PLACE = "s3://evidence-to-reperform/2026"


@pytest.fixture(scope="module")
def minio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(SERVERS[0], tmp_path_factory.mktemp("s3")) as running:
        yield running


@pytest.fixture(scope="module")
def location(minio: S3Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of a run of three tickets, one of which is not there. The site is gone by now."""
    settings = Settings(state_dir=tmp_path_factory.mktemp("state"), nats_url=None, planner="rules")

    async def collect() -> str:
        async with server.serve(latency_ms=0) as url, run_embedded(minio.settings(PLACE, settings)) as client:
            rows = [{"ticket_number": n, "url": f"{url}/tickets/{n}"} for n in (FIRST, SECOND, "TCK-9001")]
            accepted = await client.submit(SPEC, rows=rows)
            return (await client.result(accepted.run_id)).location

    return asyncio.run(collect())


@pytest.fixture
def cli(cli: Cli, minio: S3Server) -> Cli:
    cli.env |= minio.environment(PLACE)
    del cli.env["EXHIBIT_EVIDENCE_BUCKET"]
    return cli


def reperformed(cli: Cli, run: str, *options: str, code: int = 0) -> dict[str, Any]:
    ended = cli.run("reperform", run, "--json", *options)
    assert ended.returncode == code, ended.stdout + ended.stderr
    return json.loads(ended.stdout)


def lying(bucket: S3Bucket) -> dict[str, str | None]:
    return {one.key: one.version for one in bucket.list_objects(recursive=True, versions=True)}


def version(bucket: S3Bucket, key: str) -> str | None:
    stat = bucket.stat(key)
    assert stat is not None, key
    return stat.version


def test_a_run_in_a_bucket_is_extracted_again_and_the_bucket_stays_as_it_was(cli, minio, location, tmp_path):
    bucket = open_bucket(minio.settings(PLACE))
    before = lying(bucket)
    told = reperformed(cli, "last", "--evidence", PLACE)
    assert told["run_id"] == location.rpartition("/")[2]
    assert told["counts"]["values"] == {"same": 6}
    assert told["same"] is True
    assert [one["identity"] for one in told["samples"]] == ["proven", "proven", "not_stored"]
    assert lying(bucket) == before
    assert not list((tmp_path / "state").glob("*.pem"))
    nothing = cli.run("reperform", "last", "--evidence", f"{PLACE}/of-another-year")
    assert (nothing.returncode, f"there is no run in {PLACE}/of-another-year" in nothing.stderr) == (2, True)
    # by its id, and one of its pages replaced by whoever may write there
    folder, run_id = location.rsplit("/", 1)
    stored = bucket.read(f"{run_id}/{FIRST}/result.json")
    assert stored is not None
    result = json.loads(stored[1])
    sha256 = result["fields"]["assignee"]["source"]["page_sha256"]
    name = next(one["filename"] for one in result["artifacts"] if one["sha256"] == sha256)
    was = version(bucket, f"{run_id}/{FIRST}/{name}")
    bucket.write(f"{run_id}/{FIRST}/{name}", b"another page", "application/zstd")
    changed = reperformed(cli, run_id, "--evidence", folder, "--sample", FIRST, code=1)
    assert {value["verdict"] for value in changed["samples"][0]["values"]} == {"altered"}
    bucket.remove(f"{run_id}/{FIRST}/{name}", version(bucket, f"{run_id}/{FIRST}/{name}"))
    assert version(bucket, f"{run_id}/{FIRST}/{name}") == was


def test_a_bucket_that_is_not_there_is_said_and_not_made(cli, minio, location):
    mistyped = location.replace("s3://evidence-to", "s3://evidance-to")
    ended = cli.run("reperform", mistyped)
    assert ended.returncode == 3
    assert "there is no such bucket" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "exception was never retrieved" not in ended.stderr
    assert cli.run("reperform", mistyped).returncode == 3  # the first did not make it
    no_run = cli.run("reperform", location.rsplit("/", 1)[0] + "/run_x")
    assert (no_run.returncode, "no run 'run_x'" in no_run.stderr) == (2, True)


def test_the_zip_of_a_run_is_extracted_again(cli, location, tmp_path):
    packed, temporary = tmp_path / "handed over.zip", tmp_path / "temporary"
    temporary.mkdir()
    assert cli.run("export", location, "--out", str(packed), "--broken").returncode in (0, 1)
    cli.env["TMPDIR"] = str(temporary)
    told = reperformed(cli, str(packed), "--sample", FIRST)
    assert told["run_id"] == location.rsplit("/", 1)[1]
    assert told["counts"]["values"] == {"same": 3}
    assert told["same"] is True
    assert list(temporary.iterdir()) == []
    elsewhere = cli.run("reperform", str(packed), "--nats", "nats://127.0.0.1:1")
    assert (elsewhere.returncode, "by its id" in elsewhere.stderr) == (2, True)
    with zipfile.ZipFile(packed, "a") as more:
        more.writestr("../../outside.json", "{}")
    refused = cli.run("reperform", str(packed))
    assert refused.returncode == 2
    assert "could lead out of the folder" in refused.stderr
    assert "exhibit verify" in refused.stderr
    assert not list(tmp_path.rglob("outside.json"))
    (tmp_path / "no.zip").write_bytes(b"PK no zip")
    none = cli.run("reperform", str(tmp_path / "no.zip"))
    assert (none.returncode, "it is no zip" in none.stderr) == (2, True)

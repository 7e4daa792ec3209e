"""A run into a bucket of a real S3 server: the same evidence as in a folder, also across an outage."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from practice.tickets.data import ground_truth
from practice.tickets.demo import compare, demo_numbers, write_input
from services.console.commands.explain.sample_files import read_story
from services.evidence.store.setup_checks import check_place
from shared.contracts.evidence import EvidenceBlocked, RunFinished
from shared.contracts.planner import SampleFinished
from shared.evidence_format.sources.opening import open_source
from shared.host.services import run_embedded
from shared.s3.bucket import S3Bucket
from shared.s3.location import ObjectStat, parse_pointer
from shared.s3.opening import open_bucket
from shared.settings import Settings
from tests.s3_servers import SERVERS, S3Server, s3_server

SOME = 5
OF_THE_MOMENT = {
    "run_id",
    "snapshot_id",
    "size_bytes",
    "usage",
    "timestamp",
    "planner_id",
    "session_id",
    "started_at",
    "finished_at",
    "captured_at",
}


@pytest.fixture(scope="module")
def minio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(SERVERS[0], tmp_path_factory.mktemp("s3")) as server:
        yield server


class Evidence:
    """What lies below a run, whatever it lies in."""

    def __init__(self, bucket: S3Bucket, run_id: str) -> None:
        self.bucket, self.run_id = bucket, run_id

    def all_keys(self) -> set[str]:
        return {
            one.key.removeprefix(f"{self.run_id}/") for one in self.bucket.list_objects(self.run_id, recursive=True)
        }

    def read(self, key: str) -> bytes:
        stat, data = self._object(key)
        pointer = parse_pointer(stat.media_type, stat.metadata)
        return data if pointer is None else self._object(pointer.key)[1]

    def _object(self, key: str) -> tuple[ObjectStat, bytes]:
        found = self.bucket.read(f"{self.run_id}/{key}")
        assert found is not None, key
        return found


async def run_of(settings: Settings, spec: dict[str, Any], samples: Path) -> RunFinished:
    async with run_embedded(settings) as client:
        accepted = await client.submit(spec, file=(samples.name, samples.read_bytes()))
        return await client.result(accepted.run_id)


def some_tickets(folder: Path, url: str, many: int) -> Path:
    whole = folder / "tickets.csv"
    write_input(whole, url, ground_truth())
    lines = whole.read_text(encoding="utf-8").splitlines()
    whole.write_text("\n".join(lines[: many + 1]) + "\n", encoding="utf-8")
    return whole


def names_of(keys: set[str]) -> set[str]:
    """But for names that are hashes."""
    return {key for key in keys if not key.startswith("objects/")}


def of_the_moment(key: str) -> bool:
    return key in OF_THE_MOMENT or key.endswith("sha256")


def plain(value: Any) -> Any:
    """What does not depend on the moment."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if not of_the_moment(key)}
    return [plain(one) for one in value] if isinstance(value, list) else value


async def test_a_run_leaves_the_same_in_a_bucket_as_in_a_folder(settings, ticket_spec, tickets_url, tmp_path, minio):
    samples = some_tickets(tmp_path, tickets_url, SOME)
    in_folder = await run_of(settings, ticket_spec, samples)
    url = "s3://evidence-of-audits/2026/first"
    in_bucket = await run_of(minio.settings(url, settings, s3_retention_days=1), ticket_spec, samples)

    assert in_bucket.location == f"{url}/{in_bucket.run_id}"
    assert in_bucket.outcomes == in_folder.outcomes
    folder = Path(in_folder.location)
    bucket = Evidence(open_bucket(minio.settings(url)), in_bucket.run_id)
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert names_of(bucket.all_keys()) == names_of(files)
    for number in demo_numbers(ground_truth())[:SOME]:
        ours, theirs = (json.loads(read) for read in (bucket.read(f"{number}/result.json"), _in(folder, number)))
        assert plain(ours) == plain(theirs)
        for artifact in ours["artifacts"]:
            data = bucket.read(f"{number}/{artifact['filename']}")
            assert hashlib.sha256(data).hexdigest() == artifact["sha256"]
    (tmp_path / "combined.csv").write_bytes(bucket.read("combined.csv"))
    numbers = set(demo_numbers(ground_truth())[:SOME])
    assert [one for one in compare(tmp_path / "combined.csv", ground_truth()) if one.sample in numbers] == []
    assert {key for key in bucket.all_keys() if bucket.bucket.retention(f"{bucket.run_id}/{key}") is None} == set()
    assert not (tmp_path / "state" / "spool").exists()
    for number in demo_numbers(ground_truth())[:2]:
        stories = [_told(minio.settings(url, settings), place, number) for place in (folder, in_bucket.location)]
        assert stories[0] == stories[1]
    found = await check_place(minio.settings(url, settings, s3_retention_days=1))
    assert (found.state, "has versions and object lock" in found.found) == ("ok", True)
    nowhere = await check_place(minio.settings("s3://evidence-of-nobody", settings))
    assert (nowhere.state, "there is no such bucket" in nowhere.found) == ("warning", True)


def _told(settings: Settings, place: Path | str, number: str) -> Any:
    """What `exhibit explain` tells of a sample, without what depends on the moment."""
    with open_source(settings, place) as source:
        story = plain(msgspec.to_builtins(read_story(source, number)))
    steps = [(step["words"], step["outcome"], step["decider"]) for step in story["steps"]]
    return steps, [(one["field"], one["state"], one.get("value")) for one in story["values"]], story["artifacts"]


def _in(folder: Path, number: str) -> bytes:
    return (folder / number / "result.json").read_bytes()


async def test_the_server_may_be_gone_for_a_while(settings, ticket_spec, tickets_url, tmp_path, minio):
    """It is stopped when the first sample is done, and starts again once evidence has said that it waits."""
    samples = some_tickets(tmp_path, tickets_url, 8)
    url = "s3://evidence-with-a-gap"
    blocked: list[EvidenceBlocked] = []
    async with run_embedded(minio.settings(url, settings)) as client:
        accepted = await client.submit(ticket_spec, file=(samples.name, samples.read_bytes()), concurrency=2)
        stopped = False
        async with aclosing(client.watch(accepted.run_id)) as events:
            async for event in events:
                if isinstance(event, SampleFinished) and not stopped:
                    stopped = True
                    minio.stop(kill=True)
                if isinstance(event, EvidenceBlocked):
                    blocked.append(event)
                    minio.start()  # not in a thread: it would end with it
                if isinstance(event, RunFinished):
                    break
    assert len(blocked) == 1
    assert "does not answer" in blocked[0].message
    evidence = Evidence(open_bucket(minio.settings(url)), accepted.run_id)
    rows = list(csv.DictReader(io.StringIO(evidence.read("combined.csv").decode())))
    assert {row["sample_id"] for row in rows} == set(demo_numbers(ground_truth())[:8])
    assert {row["status"] for row in rows if row["reason"] != "not_found"} == {"done"}
    for row in rows:
        result = json.loads(evidence.read(f"{row['sample_id']}/result.json"))
        for artifact in result["artifacts"]:
            data = evidence.read(f"{row['sample_id']}/{artifact['filename']}")
            assert hashlib.sha256(data).hexdigest() == artifact["sha256"]


def test_wrong_credentials_end_the_command_with_words(cli, ticket_spec, tickets_url, tmp_path, minio):
    samples = some_tickets(tmp_path, tickets_url, 1)
    cli.env |= minio.environment("s3://evidence-of-nobody") | {"EXHIBIT_S3_SECRET_KEY": "this-is-not-the-key"}
    ended = cli.run("run", "task_specs/practice_tickets.json", "--input", str(samples))
    assert ended.returncode == 3
    assert "EXHIBIT_S3_SECRET_KEY" in ended.stderr
    assert "this-is-not-the-key" not in ended.stderr + ended.stdout
    assert "Traceback" not in ended.stderr

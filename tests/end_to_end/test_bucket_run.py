"""A run into a bucket of a real S3 server: the same evidence as in a folder, also across an outage."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from practice.tickets.demo import compare, demo_numbers
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
from tests.end_to_end.conftest import Cli
from tests.end_to_end.finished_runs import outcomes_of, results_of
from tests.end_to_end.tickets import SOME, rows_of_demo
from tests.s3_servers import SERVERS, S3Server, s3_server

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
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(SERVERS[0], tmp_path_factory.mktemp("s3")) as running:
        yield running


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


async def run_through_an_outage(settings: Settings, server: S3Server, spec: dict[str, Any], url: str) -> RunFinished:
    """The server is killed when the first sample is done, and starts again once evidence has said that it waits."""
    blocked: list[EvidenceBlocked] = []
    async with run_embedded(settings) as client:
        accepted = await client.submit(spec, rows=rows_of_demo(url, SOME), concurrency=2)
        stopped = False
        async with aclosing(client.watch(accepted.run_id)) as events:
            async for event in events:
                if isinstance(event, SampleFinished) and not stopped:
                    stopped = True
                    server.stop(kill=True)
                if isinstance(event, EvidenceBlocked):
                    blocked.append(event)
                    server.start()  # not in a thread: it would end with it
                if isinstance(event, RunFinished):
                    break
        finished = await client.result(accepted.run_id)
    assert len(blocked) == 1
    assert "does not answer" in blocked[0].message
    return finished


async def test_a_run_leaves_the_same_in_a_bucket_as_in_a_folder_though_the_server_was_gone_for_a_while(
    settings: Settings, ticket_spec: dict[str, Any], tickets_url: str, tickets_run: RunFinished, server: S3Server,
    tmp_path: Path,
):  # fmt: skip
    url = "s3://evidence-of-audits/2026/first"
    kept = server.settings(url, settings, s3_retention_days=1)
    in_bucket = await run_through_an_outage(kept, server, ticket_spec, tickets_url)

    assert in_bucket.location == f"{url}/{in_bucket.run_id}"
    assert outcomes_of(in_bucket) == outcomes_of(tickets_run)
    folder = Path(tickets_run.location)
    bucket = Evidence(open_bucket(server.settings(url)), in_bucket.run_id)
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert names_of(bucket.all_keys()) == names_of(files)
    for number, theirs in results_of(tickets_run).items():
        ours = json.loads(bucket.read(f"{number}/result.json"))
        assert plain(ours) == plain(theirs)
        for artifact in ours["artifacts"]:
            data = bucket.read(f"{number}/{artifact['filename']}")
            assert hashlib.sha256(data).hexdigest() == artifact["sha256"]
    (tmp_path / "combined.csv").write_bytes(bucket.read("combined.csv"))
    assert compare(tmp_path / "combined.csv", SOME) == []
    assert {key for key in bucket.all_keys() if bucket.bucket.retention(f"{bucket.run_id}/{key}") is None} == set()
    assert not (tmp_path / "state" / "spool").exists()
    for number in demo_numbers(SOME)[:2]:
        stories = [_told(server.settings(url, settings), place, number) for place in (folder, in_bucket.location)]
        assert stories[0] == stories[1]
    found = await check_place(kept)
    assert (found.state, "has versions and object lock" in found.found) == ("ok", True)
    nowhere = await check_place(server.settings("s3://evidence-of-nobody", settings))
    assert (nowhere.state, "there is no such bucket" in nowhere.found) == ("warning", True)


def _told(settings: Settings, place: Path | str, number: str) -> Any:
    """What `exhibit explain` tells of a sample, without what depends on the moment."""
    with open_source(settings, place) as source:
        story = plain(msgspec.to_builtins(read_story(source, number)))
    steps = [(step["words"], step["outcome"], step["driver"]) for step in story["steps"]]
    return steps, [(one["field"], one["state"], one.get("value")) for one in story["values"]], story["artifacts"]


def test_wrong_credentials_end_the_command_with_words(cli: Cli, tmp_path: Path, server: S3Server):
    (tmp_path / "tickets.csv").write_text("ticket_number,url\nTCK-1001,http://127.0.0.1:9/tickets/TCK-1001\n")
    cli.env |= server.environment("s3://evidence-of-nobody") | {"EXHIBIT_S3_SECRET_KEY": "this-is-not-the-key"}
    ended = cli.run("run", "task_specs/practice_tickets.json", "--input", str(tmp_path / "tickets.csv"))
    assert ended.returncode == 3
    assert "EXHIBIT_S3_SECRET_KEY" in ended.stderr
    assert "this-is-not-the-key" not in ended.stderr + ended.stdout
    assert "Traceback" not in ended.stderr

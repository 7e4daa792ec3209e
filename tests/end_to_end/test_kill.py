"""SIGKILL of any service during a run: nothing is lost, nothing counts twice."""

from __future__ import annotations

import hashlib
import json
from contextlib import aclosing
from pathlib import Path

import pytest

from practice.tickets.data import ground_truth
from shared.client import Client, connect
from shared.contracts.planner import SampleFinished
from shared.evidence_format.refused_events import read_refused
from shared.host.nats_server import nats_server
from shared.settings import Settings
from tests.end_to_end.conftest import Cli
from tests.end_to_end.fleet import Fleet

SAMPLES = 10


@pytest.mark.parametrize("victim", ["planner", "browser_pool", "evidence", "discovery"])
async def test_a_service_that_is_killed_and_started_again_costs_time_and_nothing_else(
    victim: str, cli: Cli, tickets_url: str, ticket_spec: dict, tmp_path: Path
):
    numbers = [ticket.number for ticket in ground_truth()[:SAMPLES]]
    rows = [{"ticket_number": n, "url": f"{tickets_url}/tickets/{n}"} for n in numbers]
    async with nats_server(tmp_path / "jetstream") as url, connect(url) as client:
        fleet = Fleet(cli, url, tmp_path / "evidence")
        for name in ("evidence", "browser_pool", "planner", "discovery"):
            fleet.start(name)
        accepted = await client.submit(ticket_spec, rows=rows, concurrency=2)
        await first_results(client, accepted.run_id, 2)
        fleet.kill(victim)
        fleet.start(victim)
        finished = await client.result(accepted.run_id)
    assert {(o.status, o.samples) for o in finished.outcomes} == {("done", SAMPLES)}
    folder = Path(finished.location)
    # A planner that is killed between its result and the mark that says so has its sample worked on again, in vain.
    assert {one.code for one in read_refused(Settings(), folder)} <= {"sample_ended"}, "all of it is signed"
    results = [json.loads(path.read_text()) for path in folder.glob("*/result.json")]
    for result in results:
        steps = json.loads((folder / result["sample_id"] / "action_log.json").read_text())
        assert {step["planner_id"] for step in steps} == {result["planner_id"]}
        assert {step["session_id"] for step in steps} == {result["session_id"]}
    assert len({result["planner_id"] for result in results}) == (2 if victim == "planner" else 1)
    assert sorted(result["sample_id"] for result in results) == sorted(numbers)
    for result in results:
        for artifact in result["artifacts"]:
            data = (Path(finished.location) / result["sample_id"] / artifact["filename"]).read_bytes()
            assert hashlib.sha256(data).hexdigest() == artifact["sha256"]
    assert len(Path(finished.table).read_text().splitlines()) == SAMPLES + 1


async def first_results(client: Client, run_id: str, wanted: int) -> None:
    async with aclosing(client.watch(run_id)) as events:
        async for event in events:
            wanted -= isinstance(event, SampleFinished)
            if wanted == 0:
                return

"""SIGKILL of any service during a run: nothing is lost, nothing counts twice."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path

import pytest

from shared.client import connect
from shared.evidence_format.refused_events import read_refused
from shared.host.nats_server import nats_server
from shared.host.services import run_services
from shared.settings import Settings
from tests.end_to_end.conftest import Cli
from tests.end_to_end.fleet import Fleet
from tests.end_to_end.held_site import HeldSite, owners_in, run_with_result
from tests.end_to_end.owner_tasks import owner_spec

SERVICES = ("evidence", "browser_pool", "planner", "discovery")
NUMBERS = ["A", "B", "C"]


@pytest.mark.parametrize("victims", [("planner", "evidence"), ("browser_pool", "discovery")])
async def test_services_that_are_killed_and_started_again_cost_time_and_nothing_else(
    victims: tuple[str, str], cli: Cli, settings: Settings
):
    """One after the other, when one sample is done and the site holds back the page of another."""
    others, evidence = [name for name in SERVICES if name not in victims], Path(settings.evidence_dir)
    with HeldSite(held=["B"]) as site:
        async with nats_server(cli.folder / "jetstream") as url, run_services(settings, url, others):
            fleet = Fleet(cli, url, evidence)
            for victim in victims:
                await asyncio.to_thread(fleet.start, victim)
            async with connect(url) as client:
                spec = owner_spec("held", f"{site.url}/records")
                accepted = await client.submit(spec, rows=[{"number": n} for n in NUMBERS], concurrency=2)
                await asyncio.to_thread(run_with_result, evidence, "A")
                await asyncio.to_thread(site.wait_until_asked, "B")
                for victim in victims:
                    fleet.kill(victim)
                    await asyncio.to_thread(fleet.start, victim)
                site.let_go()
                finished = await client.result(accepted.run_id)
    assert {(o.status, o.samples) for o in finished.outcomes} == {("done", len(NUMBERS))}
    folder = Path(finished.location)
    assert owners_in(folder) == {number: f"Ann {number}" for number in NUMBERS}
    # A planner that is killed between its result and the mark that says so has its sample worked on again, in vain.
    assert {one.code for one in read_refused(Settings(), folder)} <= {"sample_ended"}, "all of it is signed"
    results = [json.loads(path.read_text()) for path in folder.glob("*/result.json")]
    for result in results:
        sample = folder / result["sample_id"]
        steps = json.loads((sample / "action_log.json").read_text())
        assert {step["planner_id"] for step in steps} == {result["planner_id"]}
        assert {step["session_id"] for step in steps} == {result["session_id"]}
        for artifact in result["artifacts"]:
            assert hashlib.sha256((sample / artifact["filename"]).read_bytes()).hexdigest() == artifact["sha256"]
    assert len({result["planner_id"] for result in results}) == (2 if "planner" in victims else 1)
    assert len(Path(finished.table).read_text().splitlines()) == len(NUMBERS) + 1

"""Nothing is lost and nothing counts twice: a browser killed, a run interrupted, a run resumed."""

from __future__ import annotations

import json
from contextlib import aclosing
from pathlib import Path

import psutil
import pytest

from practice.tickets.data import ground_truth
from shared.client import RunRejectedError
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import StepTaken
from shared.host.services import run_embedded
from tests.processes import command


def numbers(count: int) -> list[str]:
    return [ticket.number for ticket in ground_truth()[:count]]


def rows(url: str, count: int) -> list[dict[str, str]]:
    return [{"ticket_number": n, "url": f"{url}/tickets/{n}"} for n in numbers(count)]


def browsers() -> list[psutil.Process]:
    """The browsers' own processes below us, not their children."""
    said = {child: " ".join(command(child)) for child in psutil.Process().children(recursive=True)}
    return [child for child, words in said.items() if "--headless" in words and "--type=" not in words]


async def test_a_browser_that_dies_costs_its_samples_one_retry(settings, ticket_spec, tickets_url):
    killed, others = set[psutil.Process](), set(browsers())
    async with run_embedded(settings) as client:
        accepted = await client.submit(ticket_spec, rows=rows(tickets_url, 8))
        results: dict[str, SampleFinished] = {}
        async with aclosing(client.watch(accepted.run_id)) as events:
            async for event in events:
                if isinstance(event, StepTaken) and not killed:
                    killed = set(browsers()) - others
                    for process in killed:
                        process.kill()
                if isinstance(event, SampleFinished):
                    assert event.sample_id not in results
                    results[event.sample_id] = event
                if len(results) == 8:
                    break
        finished = await client.result(accepted.run_id)
    told = {key: (one.status, one.reason, one.message, one.attempt) for key, one in results.items()}
    assert killed
    assert {o.status: o.samples for o in finished.outcomes} == {"done": 8}, told
    assert any(result.attempt > 1 for result in results.values()), told


async def test_an_interrupted_run_goes_on_where_it_was(settings, ticket_spec, tickets_url):
    async with run_embedded(settings) as client:
        accepted = await client.submit(ticket_spec, rows=rows(tickets_url, 12), concurrency=2)
        done = 0
        async with aclosing(client.watch(accepted.run_id)) as events:
            async for event in events:
                done += isinstance(event, SampleFinished)
                if done == 3:
                    break
    run = settings.evidence_dir / accepted.run_id
    before = {path: path.read_bytes() for path in run.glob("*/result.json")}
    assert 3 <= len(before) < 12

    async with run_embedded(settings) as client:
        resumed = await client.submit(resume=accepted.run_id)
        assert (resumed.run_id, resumed.already_done, resumed.samples) == (
            accepted.run_id,
            len(before),
            12 - len(before),
        )
        finished = await client.result(resumed.run_id, attempt_base=resumed.attempt_base)

    assert {o.status: o.samples for o in finished.outcomes} == {"done": 12}
    assert {path: path.read_bytes() for path in before} == before
    results = [json.loads(path.read_text()) for path in run.glob("*/result.json")]
    assert sorted(result["sample_id"] for result in results) == sorted(numbers(12))
    assert len((run / "combined.csv").read_text().splitlines()) == 13


async def test_resuming_a_finished_run_changes_nothing(settings, ticket_spec, tickets_url):
    async with run_embedded(settings) as client:
        accepted = await client.submit(ticket_spec, rows=rows(tickets_url, 2))
        first = await client.result(accepted.run_id)
        table = Path(first.table).read_bytes()
        resumed = await client.submit(resume=accepted.run_id)
        assert (resumed.samples, resumed.already_done) == (0, 2)
        again = await client.result(accepted.run_id, attempt_base=resumed.attempt_base)
    assert Path(again.table).read_bytes() == table


async def test_a_run_nobody_knows_is_said_so(settings):
    async with run_embedded(settings) as client:
        with pytest.raises(RunRejectedError, match="run_2020-01-01_000000"):
            await client.submit(resume="run_2020-01-01_000000")

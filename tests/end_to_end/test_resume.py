"""Nothing is lost and nothing counts twice: a browser killed, a run interrupted, a run resumed."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path
from typing import Any

import psutil

from practice.comparing import rows_of
from shared.client import Client
from shared.contracts.evidence import RunFinished
from shared.contracts.planner import SampleFinished
from shared.host.services import run_embedded
from shared.settings import Settings
from tests.end_to_end.finished_runs import outcomes_of, results_of, run
from tests.end_to_end.held_tickets import held_tickets
from tests.end_to_end.tickets import FULL, rows
from tests.processes import command

FIRST, SECOND, THIRD = (ticket.number for ticket in FULL[:3])


def browsers() -> set[psutil.Process]:
    """The browsers' own processes below us, not their children."""
    said = {child: " ".join(command(child)) for child in psutil.Process().children(recursive=True)}
    return {child for child, words in said.items() if "--headless" in words and "--type=" not in words}


async def test_a_browser_that_dies_costs_its_samples_one_retry(settings: Settings, ticket_spec: dict[str, Any]):
    others = browsers()
    async with held_tickets(FIRST) as (site, url), run_embedded(settings) as client:
        accepted = await client.submit(ticket_spec, rows=rows(url, FULL[:2]))
        await site.asked()
        killed = browsers() - others
        for process in killed:
            process.kill()
        psutil.wait_procs(killed)
        site.release()
        results: list[SampleFinished] = []
        async with aclosing(client.watch(accepted.run_id)) as events:
            async for event in events:
                if isinstance(event, SampleFinished):
                    results.append(event)
                if isinstance(event, RunFinished):
                    break
    assert killed
    assert sorted((one.sample_id, one.status) for one in results) == [(FIRST, "done"), (SECOND, "done")]
    assert next(one for one in results if one.sample_id == FIRST).attempt > 1


async def test_an_interrupted_run_goes_on_where_it_was(settings: Settings, ticket_spec: dict[str, Any]):
    async with held_tickets(SECOND) as (site, url):
        async with run_embedded(settings) as client:
            accepted = await client.submit(ticket_spec, rows=rows(url, FULL[:3]), concurrency=1)
            await site.asked()
        folder = settings.evidence_dir / accepted.run_id
        before = {path: path.read_bytes() for path in folder.glob("*/result.json")}
        assert [path.parent.name for path in before] == [FIRST]
        site.release()

        async with run_embedded(settings) as client:
            resumed = await client.submit(resume=accepted.run_id)
            assert (resumed.run_id, resumed.already_done, resumed.samples) == (accepted.run_id, 1, 2)
            finished = await client.result(resumed.run_id, attempt_base=resumed.attempt_base)
    assert outcomes_of(finished) == {("done", ""): 3}
    assert {path: path.read_bytes() for path in before} == before
    assert {result["sample_id"] for result in results_of(finished).values()} == {FIRST, SECOND, THIRD}
    assert len(rows_of(folder / "combined.csv")) == 3


async def test_resuming_a_finished_run_changes_nothing(client: Client, ticket_spec: dict[str, Any], tickets_url: str):
    first = await run(client, ticket_spec, rows(tickets_url, FULL[:1]))
    table = Path(first.table).read_bytes()
    resumed = await client.submit(resume=first.run_id)
    assert (resumed.samples, resumed.already_done) == (0, 1)
    again = await client.result(first.run_id, attempt_base=resumed.attempt_base)
    assert Path(again.table).read_bytes() == table

"""Nothing is lost and nothing counts twice: a browser killed, a run interrupted, a run resumed."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import psutil

from practice.comparing import rows_of
from shared.client import Client
from shared.contracts.evidence import RunFinished
from shared.contracts.planner import SampleFinished
from shared.host.services import run_embedded
from shared.settings import Settings
from tests.end_to_end.finished_runs import outcomes_of, results_of, run
from tests.end_to_end.held_site import HeldSite
from tests.end_to_end.owner_tasks import owner_spec
from tests.processes import command

FIRST, SECOND, THIRD = NUMBERS = ("A-1", "A-2", "A-3")
ROWS = [{"number": number} for number in NUMBERS]


def browsers() -> set[psutil.Process]:
    """The browsers' own processes below us, not their children."""
    said = {child: " ".join(command(child)) for child in psutil.Process().children(recursive=True)}
    return {child for child, words in said.items() if "--headless" in words and "--type=" not in words}


async def test_a_browser_that_dies_costs_its_samples_one_retry(settings: Settings):
    others = browsers()
    with HeldSite(held=[FIRST]) as site:
        async with run_embedded(settings) as client:
            accepted = await client.submit(owner_spec("records", f"{site.url}/records"), rows=ROWS[:2])
            await asyncio.to_thread(site.wait_until_asked, FIRST)
            killed = browsers() - others
            for process in killed:
                process.kill()
            site.let_go()
            results: dict[str, SampleFinished] = {}
            async with aclosing(client.watch(accepted.run_id)) as events:
                async for event in events:
                    if isinstance(event, SampleFinished):
                        assert event.sample_id not in results
                        results[event.sample_id] = event
                    if isinstance(event, RunFinished):
                        break
    assert killed
    assert {key: one.status for key, one in results.items()} == {FIRST: "done", SECOND: "done"}
    assert results[FIRST].attempt > 1


async def test_an_interrupted_run_goes_on_where_it_was(settings: Settings):
    with HeldSite(held=[SECOND]) as site:
        async with run_embedded(settings) as client:
            spec = owner_spec("records", f"{site.url}/records")
            accepted = await client.submit(spec, rows=ROWS, concurrency=1)
            await asyncio.to_thread(site.wait_until_asked, SECOND)
        folder = settings.evidence_dir / accepted.run_id
        before = {path: path.read_bytes() for path in folder.glob("*/result.json")}
        assert [path.parent.name for path in before] == [FIRST]
        site.let_go()

        async with run_embedded(settings) as client:
            resumed = await client.submit(resume=accepted.run_id)
            assert (resumed.run_id, resumed.already_done, resumed.samples) == (accepted.run_id, 1, 2)
            finished = await client.result(resumed.run_id, attempt_base=resumed.attempt_base)
    assert outcomes_of(finished) == {("done", ""): 3}
    assert {path: path.read_bytes() for path in before} == before
    assert {result["sample_id"] for result in results_of(finished).values()} == set(NUMBERS)
    assert len(rows_of(folder / "combined.csv")) == 3


async def test_resuming_a_finished_run_changes_nothing(client: Client):
    with HeldSite() as site:
        first = await run(client, owner_spec("records", f"{site.url}/records"), ROWS[:1])
        table = Path(first.table).read_bytes()
        resumed = await client.submit(resume=first.run_id)
        assert (resumed.samples, resumed.already_done) == (0, 1)
        again = await client.result(first.run_id, attempt_base=resumed.attempt_base)
    assert Path(again.table).read_bytes() == table

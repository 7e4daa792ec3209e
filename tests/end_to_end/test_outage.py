"""A site that fails in the middle of a run: the run pauses once, goes on when it works again, and lost nothing."""

from __future__ import annotations

import json
from contextlib import aclosing
from pathlib import Path

from services.console.text.session_lines import status_lines
from shared.client import Client
from shared.contracts.sessions.control import PauseRun, RunControlled
from shared.contracts.sessions.status import RunStatus
from tests.end_to_end.finished_runs import outcomes_of
from tests.end_to_end.held_site import owners_in
from tests.end_to_end.owner_tasks import owner_spec
from tests.end_to_end.small_site import Answers, SmallSite
from tests.typed import expect

NUMBERS = [f"A-{number}" for number in range(1, 7)]


class FailingSite(SmallSite):
    """``/records/NUMBER`` has the owner of a record, and HTTP 500 while ``down``."""

    def __init__(self) -> None:
        super().__init__(Records)
        self.down = True


class Records(Answers):
    def do_GET(self) -> None:
        number = self.path.rpartition("/")[2]
        if expect(self.server, FailingSite).down:
            return self.answer("<title>Error</title><h1>Internal error</h1>", status=500)
        record = f"<h1>{number}</h1><dl><dt>Number</dt><dd>{number}</dd><dt>Owner</dt><dd>Ann {number}</dd></dl>"
        return self.answer(f"<!doctype html><title>{number}</title>{record}")


async def test_a_run_whose_site_fails_pauses_says_why_and_goes_on_when_it_works_again(client: Client):
    with FailingSite() as site:
        task = {**owner_spec("outage", f"{site.url}/records"), "outage": {"samples": 3}}
        run_id = (await client.submit(task, rows=[{"number": n} for n in NUMBERS], concurrency=2)).run_id
        told: list[RunControlled] = []
        async with aclosing(client.watch(run_id)) as events:
            async for event in events:
                if isinstance(event, RunControlled):
                    told.append(event)
                    break
        status = expect(await client.status(run_id), RunStatus)
        site.down = False
        finished = await client.result(run_id)
    host = site.url.removeprefix("http://")
    (pause,) = told
    outage = expect(pause.control, PauseRun).outage
    assert outage is not None
    assert (outage.kind, outage.where, outage.code, outage.samples) == ("site", host, "http_error", 3)
    assert (status.paused, status.outage, status.samples) == (True, outage, ())
    assert any(f"with `exhibit runs resume {run_id}`" in line for line in status_lines(status))

    assert outcomes_of(finished) == {("done", ""): 6}
    folder = Path(finished.location)
    assert owners_in(folder) == {number: f"Ann {number}" for number in NUMBERS}
    (kept,) = json.loads((folder / "run.json").read_text())["pauses"]
    assert (kept["outage"]["code"], kept["ended_by"]) == ("http_error", "planner")
    assert finished.pauses[0].ended_at is not None
    assert f"the site {host} failed 3 samples in a row (http_error)" in (folder / "report.html").read_text()
    assert expect(await client.status(run_id), RunStatus).outage is None

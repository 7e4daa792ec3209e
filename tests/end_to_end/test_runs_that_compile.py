"""A run of a task without a flow: two samples by the planner, the flow is compiled of them, it does the others."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from practice.tickets.demo import ABSENT, compare
from shared.client import Client, connect
from shared.client.workflow_calls import get_workflow
from shared.contracts.evidence import SqlRefused
from shared.contracts.workflows.library import WorkflowShown
from shared.contracts.workflows.run_flows import RunFlow
from shared.errors import RunRejectedError
from shared.host.nats_server import nats_server
from shared.streams import RUN_FLOWS
from tests.end_to_end.conftest import Cli
from tests.end_to_end.finished_runs import results_of, run
from tests.end_to_end.fleet import Fleet
from tests.end_to_end.tickets import FULL, row, rows, rows_of_demo, wrong_cells

IS_LEARNER = "the flow of this run is compiled from it"
TICKETS, LATER = FULL[:4], FULL[4:5]
WORKED = {("rules",): 2, ("flow",): len(TICKETS) - 2, ("flow", "rules"): len(ABSENT)}
"""What says that there is no such record is not for the flow to tell: the planner ends it."""


async def test_two_samples_by_the_planner_and_the_others_on_their_flow(
    client: Client, ticket_spec: dict[str, Any], tickets_url: str
):
    spec, asked = {**ticket_spec, "task_id": "tickets_in_auto"}, rows_of_demo(tickets_url, TICKETS)
    with pytest.raises(RunRejectedError, match="the library has no flow 'tickets_in_auto'"):
        await run(client, spec, asked, mode="flow")
    first = await run(client, spec, asked, mode="auto")
    shown = await get_workflow(client.bus, "tickets_in_auto")
    again = await run(client, spec, [*rows(tickets_url, LATER), row(tickets_url, ABSENT[0])], mode="flow")
    told = await client.sql("SELECT drivers, count(*) AS n FROM samples GROUP BY drivers", [first.run_id])
    assert compare(Path(first.table), TICKETS) == []
    assert wrong_cells(again.table, LATER) == []
    assert isinstance(shown, WorkflowShown)
    assert shown.workflow.source_run == first.run_id
    assert {one.drivers: one.samples for one in first.worked} == WORKED
    rules = next(one for one in first.worked if one.drivers == ("rules",))
    assert [why.text for why in rules.reasons] == [IS_LEARNER]
    assert {one.drivers: one.samples for one in again.worked} == {("flow",): 1, ("flow", "rules"): 1}
    assert (first.llm_calls, again.llm_calls) == (0, 0)
    assert {one["decided_by"] for one in results_of(again).values()} == {"flow", "rules"}
    assert not isinstance(told, SqlRefused)
    assert {tuple(one["drivers"]): one["n"] for one in json.loads(told[1])} == WORKED


@pytest.mark.long
async def test_a_library_that_is_killed_while_it_compiles_compiles_again(
    cli: Cli, ticket_spec: dict[str, Any], tickets_url: str, tmp_path: Path
):
    cli.env |= {"EXHIBIT_TOOLS_DIR": str(tmp_path / "tools")}
    async with nats_server(tmp_path / "jetstream") as url, connect(url) as client:
        fleet = Fleet(cli, url, tmp_path / "evidence")
        for name in ("evidence", "browser_pool", "workflows", "planner", "discovery"):
            fleet.start(name)
        ended, begun = asyncio.Event(), asyncio.Event()

        def look(_: str, record: RunFlow) -> None:
            if record.done:
                ended.set()
            if record.tries:
                begun.set()

        await client.bus.watch(RUN_FLOWS, RunFlow, look)
        asked = rows_of_demo(tickets_url, TICKETS)
        accepted = await client.submit(ticket_spec, rows=asked, concurrency=3, mode="auto")
        await ended.wait()
        # What has been recorded is not given to the library before it is killed.
        evidence = fleet.running["evidence"]
        evidence.send_signal(signal.SIGSTOP)
        await begun.wait()
        fleet.kill("workflows")
        evidence.send_signal(signal.SIGCONT)
        fleet.start("workflows")
        finished = await client.result(accepted.run_id)
        record = await client.bus.read(RUN_FLOWS, accepted.run_id, RunFlow)
    assert record is not None
    assert (record.state, record.tries) == ("compiled", 2)
    assert compare(Path(finished.table), TICKETS) == []
    assert {one.drivers: one.samples for one in finished.worked} == WORKED

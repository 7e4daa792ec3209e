"""A run of a task without a flow: two samples by the planner, the flow is compiled of them, it does the others."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from practice.tickets.data import ground_truth
from practice.tickets.demo import ABSENT, compare, write_input
from shared.client import Client, RunRejectedError, connect
from shared.client.workflow_calls import get_workflow
from shared.contracts.evidence import RunFinished, SqlRefused
from shared.contracts.workflows.library import WorkflowShown
from shared.contracts.workflows.run_flows import RunFlow
from shared.host.nats_server import nats_server
from shared.host.services import run_embedded
from shared.settings import Settings
from shared.streams import RUN_FLOWS
from tests.end_to_end.fleet import Fleet

IS_LEARNER = "the flow of this run is compiled from it"
TICKETS = [one for one in ground_truth() if one.assignee is not None and one.due_date is not None][:12]


@pytest.fixture
def library(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"workflows_dir": tmp_path / "workflows", "tools_dir": tmp_path / "tools"})


async def run(client: Client, spec: dict[str, Any], file: Path, **options: Any) -> RunFinished:
    accepted = await client.submit(spec, file=(file.name, file.read_bytes()), **options)
    return await client.result(accepted.run_id)


def results_of(finished: RunFinished) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in Path(finished.location).glob("*/result.json")]


async def test_two_samples_by_the_planner_and_the_others_on_their_flow(library, ticket_spec, tickets_url, tmp_path):
    samples = tmp_path / "tickets.csv"
    write_input(samples, tickets_url, TICKETS)
    async with run_embedded(library) as client:
        with pytest.raises(RunRejectedError, match="the library has no flow 'practice_tickets'"):
            await run(client, ticket_spec, samples, mode="flow")
        first = await run(client, ticket_spec, samples, mode="auto")
        shown = await get_workflow(client.bus, "practice_tickets")
        again = await run(client, ticket_spec, samples, mode="flow")
        told = await client.sql("SELECT way, count(*) AS n FROM samples GROUP BY way ORDER BY n, way", [first.run_id])
    for finished in (first, again):
        assert compare(Path(finished.table), TICKETS) == []
    assert isinstance(shown, WorkflowShown)
    assert shown.workflow.source_run == first.run_id
    # What says that there is no such record is not for the flow to tell: the planner ends it.
    assert {one.way: one.samples for one in first.ways} == {"flow": 10, "agent": 2, "flow_then_agent": len(ABSENT)}
    agent = next(one for one in first.ways if one.way == "agent")
    assert [why.text for why in agent.reasons] == [IS_LEARNER]
    assert {one.way: one.samples for one in again.ways} == {"flow": len(TICKETS) + len(ABSENT)}
    assert (first.llm_calls, again.llm_calls) == (0, 0)
    assert {one["decided_by"] for one in results_of(again)} == {"flow"}
    assert not isinstance(told, SqlRefused)
    assert json.loads(told[1]) == [
        {"way": "agent", "n": 2},
        {"way": "flow_then_agent", "n": 2},
        {"way": "flow", "n": 10},
    ]


async def test_a_library_that_is_killed_while_it_compiles_compiles_again(cli, ticket_spec, tickets_url, tmp_path):
    cli.env |= {"EXHIBIT_WORKFLOWS_DIR": str(tmp_path / "workflows"), "EXHIBIT_TOOLS_DIR": str(tmp_path / "tools")}
    samples = tmp_path / "tickets.csv"
    write_input(samples, tickets_url, TICKETS[:6])
    async with nats_server(tmp_path / "jetstream") as url, connect(url) as client:
        fleet = Fleet(cli, url, tmp_path / "evidence")
        for name in ("evidence", "browser_pool", "workflows", "planner", "discovery"):
            fleet.start(name)
        begun = asyncio.Event()

        def look(_: str, record: RunFlow) -> None:
            if record.tries:
                begun.set()

        await client.bus.watch(RUN_FLOWS, RunFlow, look)
        file = (samples.name, samples.read_bytes())
        accepted = await client.submit(ticket_spec, file=file, concurrency=3, mode="auto")
        await begun.wait()
        fleet.kill("workflows")
        fleet.start("workflows")
        finished = await client.result(accepted.run_id)
        record = await client.bus.read(RUN_FLOWS, accepted.run_id, RunFlow)
    assert record is not None
    assert (record.state, record.tries) == ("compiled", 2)
    assert compare(Path(finished.table), TICKETS[:6]) == []
    assert {one.way: one.samples for one in finished.ways} == {"flow": 4, "agent": 2, "flow_then_agent": 2}

"""A run that is done by a workflow of the library, in a real browser: the workflow proposes, the gates decide."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from shared.client import connect
from shared.client.workflow_calls import create_workflow, delete_workflow
from shared.contracts.evidence import RunFinished
from shared.contracts.workflows.library import WorkflowCreated
from tests.end_to_end.conftest import ROOT, Cli, System
from tests.end_to_end.finished_runs import logs_of, run
from tests.end_to_end.tickets import FULL, UNASSIGNED, rows, wrong_cells

EXAMPLE = ROOT / "examples/workflows/ticket_evidence/workflows"
USE = {"name": "read_ticket", "arguments": {"ticket_url": "{url}"}}
TICKETS = [FULL[0], UNASSIGNED[0]]


async def run_on_example(url: str, spec: dict[str, Any], site: str) -> RunFinished:
    """Run the tickets while the example is in the library."""
    names = ("close_cookie_banner", "read_ticket")
    async with connect(url) as client:
        for name in names:
            created = await create_workflow(client.bus, name, (EXAMPLE / f"{name}.py").read_text())
            assert isinstance(created, WorkflowCreated), created
        finished = await run(client, {**spec, "workflow": USE}, rows(site, TICKETS))
        for name in reversed(names):
            await delete_workflow(client.bus, name)
    return finished


def test_a_batch_is_done_by_the_workflow_that_its_spec_names(
    system: System, ticket_spec: dict[str, Any], tickets_url: str, online: Cli
):
    finished = asyncio.run(run_on_example(system.url, ticket_spec, tickets_url))
    assert wrong_cells(finished.table, TICKETS) == []
    assert finished.llm_calls == 0
    for sample_id, log in logs_of(finished).items():
        assert [entry["action"] for entry in log] == ["use_workflow", "screenshot", "done"]
        first = log[0]
        assert first["params"]["name"] == "read_ticket"
        assert first["params"]["arguments"] == {"ticket_url": f"{tickets_url}/tickets/{sample_id}"}
        assert first["workflow"]["value"]["ticket_number"] == sample_id
        used = {one["name"]: one["hash"] for one in first["workflow"]["used"]}
        assert set(used) == {"read_ticket", "close_cookie_banner"}
        assert used["read_ticket"] == first["params"]["hash"]
        assert len(used["close_cookie_banner"]) == 64
    verified = online.run("verify", finished.run_id)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    query = "select count(*) as n from steps where action = 'use_workflow'"
    asked = online.run("sql", finished.run_id, query, "--format", "json")
    assert json.loads(asked.stdout) == [{"n": len(TICKETS)}], asked.stderr

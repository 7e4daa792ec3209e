"""Runs that are done by a workflow of the library, in real browsers: the workflow proposes, the gates decide."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from practice.tickets.data import ground_truth
from practice.tickets.demo import ABSENT, compare, write_input
from shared.contracts.evidence import RunFinished
from shared.host.services import run_embedded
from shared.settings import Settings
from tests.end_to_end.conftest import ROOT, Cli

EXAMPLE = ROOT / "examples/workflows/ticket_evidence/workflows"
USE = {"name": "read_ticket", "arguments": {"ticket_url": "{url}"}}
TICKETS = ground_truth()[:8]


@pytest.fixture
def library(settings: Settings, tmp_path: Path) -> Settings:
    """The settings with a copy of the example as the library."""
    shutil.copytree(EXAMPLE, tmp_path / "workflows", ignore=shutil.ignore_patterns(".library"))
    return settings.model_copy(update={"workflows_dir": tmp_path / "workflows", "tools_dir": tmp_path / "tools"})


async def run(settings: Settings, spec: dict[str, Any], url: str, folder: Path) -> RunFinished:
    samples = folder / "tickets.csv"
    write_input(samples, url, TICKETS)
    async with run_embedded(settings) as client:
        accepted = await client.submit(spec, file=(samples.name, samples.read_bytes()))
        return await client.result(accepted.run_id)


def logs_of(finished: RunFinished) -> dict[str, list[dict[str, Any]]]:
    return {
        path.parent.name: json.loads(path.read_text()) for path in Path(finished.location).glob("TCK-*/action_log.json")
    }


async def test_a_batch_is_done_by_the_workflow_that_its_spec_names(library, ticket_spec, tickets_url, tmp_path):
    finished = await run(library, {**ticket_spec, "workflow": USE}, tickets_url, tmp_path)
    assert compare(Path(finished.table), TICKETS) == []
    assert finished.llm_calls == 0
    for sample_id, log in logs_of(finished).items():
        if sample_id in ABSENT:
            continue
        assert [entry["action"] for entry in log] == ["use_workflow", "screenshot", "done"]
        first = log[0]
        assert first["params"]["name"] == "read_ticket"
        assert first["params"]["arguments"] == {"ticket_url": f"{tickets_url}/tickets/{sample_id}"}
        assert first["workflow"]["value"]["ticket_number"] == sample_id
        used = {one["name"]: one["hash"] for one in first["workflow"]["used"]}
        assert used == {
            "read_ticket": first["params"]["hash"],
            "close_cookie_banner": used["close_cookie_banner"],
        }
        assert len(used["close_cookie_banner"]) == 64


async def test_a_workflow_that_returns_what_the_page_does_not_show_makes_nothing_done(
    library, ticket_spec, tickets_url, tmp_path
):
    source = (library.workflows_dir / "read_ticket.py").read_text()
    lying = source.replace("    return found\n", "    found['assignee'] = 'Nobody Atall'\n    return found\n")
    assert lying != source
    (library.workflows_dir / "read_ticket.py").write_text(lying)
    finished = await run(library, {**ticket_spec, "workflow": USE}, tickets_url, tmp_path)
    assert compare(Path(finished.table), TICKETS) == []
    for log in logs_of(finished).values():
        reports = [entry for entry in log if entry["action"] == "done" and entry["decided_by"] == "workflow"]
        assert all(entry["refused"] for entry in reports)


async def test_a_run_on_a_workflow_verifies_and_answers_sql(library, ticket_spec, tickets_url, tmp_path, cli: Cli):
    finished = await run(library, {**ticket_spec, "workflow": USE}, tickets_url, tmp_path)
    verified = cli.run("verify", finished.location)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    query = "select count(*) as n from steps where action = 'use_workflow'"
    asked = cli.run("sql", finished.location, query, "--format", "json")
    assert json.loads(asked.stdout) == [{"n": len(logs_of(finished))}], asked.stderr

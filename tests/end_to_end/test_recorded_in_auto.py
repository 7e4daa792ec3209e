"""A model in auto: its recorded decisions do two samples of a batch, and the flow of these two does the others."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from practice.comparing import rows_of
from practice.hr_portal import demo as hr
from practice.hr_portal import server as hr_portal
from practice.hr_portal.data import ground_truth as employees_of
from services.console.text.tally import driver_lines
from shared.contracts.evidence import RunFinished
from shared.settings import Settings
from shared.testing.cassette import Player
from tests.end_to_end.family_runs import spec_of, submissions
from tests.end_to_end.recorded_families import recorded_model
from tests.end_to_end.tickets import FULL, UNASSIGNED, rows

Rows = list[dict[str, str]]


@pytest.fixture
def library(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"workflows_dir": tmp_path / "workflows", "tools_dir": tmp_path / "tools"})


async def run_in_auto(
    family: str, spec: dict[str, Any], asked: Rows, url: str, settings: Settings
) -> tuple[RunFinished, Player]:
    """Run the rows one by one, so that the recorded answers are played in their order."""
    async with recorded_model(family, url, settings) as (client, player):
        accepted = await client.submit(spec, rows=asked, planner="anthropic", concurrency=1, mode="auto")
        finished = await client.result(accepted.run_id)
    return finished, player


def check_drivers(finished: RunFinished, player: Player, *, on_flow: int) -> None:
    """Two samples by the model, with all calls and all of the cost; the others by the flow, with none."""
    assert player.unexpected == []
    worked = {one.drivers: one for one in finished.worked}
    assert {drivers: one.samples for drivers, one in worked.items()} == {("model",): 2, ("flow",): on_flow}
    assert (worked["flow",].llm_calls, worked["flow",].cost_usd) == (0, 0.0)
    assert worked["model",].llm_calls == finished.llm_calls == sum(player.played.values())
    assert worked["model",].cost_usd == pytest.approx(finished.cost_usd)
    assert finished.cost_usd > 0
    lines = "\n".join(driver_lines(finished))
    assert f"flow: {on_flow} samples, 0 calls, $0.0000" in lines
    assert f"model: 2 samples, {finished.llm_calls} calls, ${finished.cost_usd:.4f}" in lines
    for path in Path(finished.location).glob("*/result.json"):
        result = json.loads(path.read_text(encoding="utf-8"))
        assert (result["llm_calls"] == 0) is (result["drivers"] == ["flow"])


async def test_tickets_on_the_flow_of_two_that_a_model_did(library, tickets_url, ticket_spec):
    recorded = [FULL[0], UNASSIGNED[0]]
    chosen = sorted([*recorded, FULL[1], FULL[2], UNASSIGNED[1]], key=lambda one: one not in recorded)
    finished, player = await run_in_auto("tickets", ticket_spec, rows(tickets_url, chosen), tickets_url, library)
    check_drivers(finished, player, on_flow=3)
    got = {row["ticket_number"]: row for row in rows_of(Path(finished.table))}
    for one in chosen:
        expected = {"status": "done", "assignee": one.assignee or "", "due_date": str(one.due_date or "")}
        assert {name: got[one.number][name] for name in expected} == expected


@pytest.mark.long
async def test_requests_on_the_flow_of_two_that_a_model_sent_are_sent_once(library):
    employees = employees_of()
    asked = hr.input_rows(employees)[:4]
    async with hr_portal.serve() as url:
        spec = spec_of("practice_hr_request", url)
        finished, player = await run_in_auto("hr requests", spec, asked, url, library)
        sent = await asyncio.to_thread(submissions, url)
    check_drivers(finished, player, on_flow=2)
    for got in rows_of(Path(finished.table)):
        expected = hr.expected_cells(asked[int(got["row"]) - 1], employees)
        assert {name: got[name] for name in expected} == expected
    assert len(sent) == len(asked)

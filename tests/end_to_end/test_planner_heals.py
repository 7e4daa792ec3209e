"""A site is redesigned: the link that a flow follows has nothing in common with the recorded one. A model is asked once
for the whole run. Its answer is a true one, recorded (tests/recordings/planner/README.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scripts.families import with_model
from shared.contracts.evidence import RunFinished
from shared.contracts.workflows.heals import LEAST_HEALED
from shared.host.services import run_embedded
from shared.settings import Settings
from shared.testing.cassette import Cassette, Player, playback_server
from shared.testing.settings import library_settings
from tests.drift.flows import Subject, compile_on_plain_site
from tests.end_to_end.finished_runs import logs_of, results_of, run
from tests.end_to_end.redesigned_site import InvoiceSite, due_of, total_of

NUMBERS = (33, *range(34, 34 + LEAST_HEALED))
"""Of the invoices after the redesign. The recorded answer is about the first."""
RECORDING = Path(__file__).parents[1] / "recordings" / "planner" / "chosen_element.json"
SPEC: dict[str, Any] = {
    "task_id": "invoices",
    "goal": "Open the invoice, follow the link to its details, take a screenshot of them, and report the number, the "
    "total and the due date.",
    "start_url": "{url}",
    "allowed_hosts": ["127.0.0.1"],
    "sample_id": "{number}",
    "input_schema": {"number": "string", "url": "string"},
    "output_schema": {"number": "string", "total": "string", "due_date": "date"},
    "required_fields": ["number", "total", "due_date"],
    "required_artifacts": ["screenshot:invoice"],
    "identity": {"number": "{number}"},
    "route": [{"follow": "Details"}, {"screenshot": "invoice"}, {"read": ["number", "total", "due_date"]}],
    "memory": "off",
    "vision": "off",
    "max_time_s": 0,
}


def rows(site: InvoiceSite, *numbers: int) -> list[dict[str, str]]:
    return [{"number": f"INV-{one}", "url": f"{site.url}/i/{one}"} for one in numbers]


async def run_redesigned(settings: Settings, site: InvoiceSite) -> RunFinished:
    """Compile a flow on the old pages, and run it on the new ones."""
    async with run_embedded(settings) as client:
        await compile_on_plain_site(client, Subject("invoices", SPEC, rows(site, 11, 12, 13), (), ()))
        site.redesigned = True
        healing = {**SPEC, "heal": "planner"}
        return await run(client, healing, rows(site, *NUMBERS), planner="anthropic", concurrency=1)


async def test_one_question_heals_the_run(tmp_path: Path):
    cassette = Cassette.read(RECORDING)
    with InvoiceSite() as site:
        player = Player(cassette, dict.fromkeys(cassette.origins, site.url))
        async with playback_server(player) as url:
            finished = await run_redesigned(with_model(library_settings(tmp_path, planner="rules"), url), site)
    assert player.unexpected == []
    assert (finished.llm_calls, player.played) == (1, {"choose_element": 1})
    worked = {one.drivers: one.samples for one in finished.worked}
    assert worked == {("flow",): len(NUMBERS) - 1, ("flow", "model"): 1}
    results = results_of(finished)
    assert {one["status"] for one in results.values()} == {"done"}
    found = {key: {name: cell["value"] for name, cell in one["fields"].items()} for key, one in results.items()}
    assert found == {
        f"INV-{at}": {"number": f"INV-{at}", "total": total_of(at), "due_date": due_of(at)} for at in NUMBERS
    }
    clicks = [[step for step in log if step["action"] in ("expect", "click")] for log in logs_of(finished).values()]
    # Before a version with the new name is published, the planner's choice is used; afterwards the flow has it.
    by_choice = [one for one in clicks if [step["action"] for step in one] == ["expect", "click"]]
    assert len(by_choice) >= LEAST_HEALED
    assert {one[1]["heals"][0]["rung"] for one in by_choice} == {"planner"}
    assert all(one[0]["ended_at"] <= one[1]["started_at"] for one in by_choice)
    by_version = [one for one in clicks if one not in by_choice]
    assert {one[0]["heals"][0]["rung"] for one in by_version} <= {"agreeing"}

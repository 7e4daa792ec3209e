"""Two tasks with one library: the first is worked out by a model and saved, the second finds and uses what was saved.

    python -m scripts.workflow_runs --record CASSETTE --upstream http://127.0.0.1:8765
    python -m scripts.workflow_runs --play CASSETTE

The site is the practice directory of people. With --record every answer of the Messages endpoint is kept.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import practice.people.server
from practice.people import demo
from practice.people.data import ground_truth
from scripts.families import with_model
from shared.client import Client
from shared.client.workflow_calls import list_workflows
from shared.contracts.evidence import RunFinished
from shared.contracts.workflows.library import WorkflowVersion
from shared.host.services import run_embedded
from shared.settings import Settings
from shared.testing.cassette import Cassette, Player, playback_server, recording_server
from shared.testing.settings import library_settings

COMMON: dict[str, Any] = {
    "start_url": "{site}/",
    "input_schema": {"name": "string", "company": "string"},
    "sample_id": "{name}",
    "required_artifacts": ["screenshot:profile"],
    "identity": {"name": "{name}"},
    "max_steps": 20,
    "max_actions_per_turn": 1,
    "memory": "off",
    "vision": "off",
}
COMPANY = {"type": "string | null", "not_present": ["Not currently employed"]}
TENURE = {"type": "string | null", "not_present": ["—"]}
FIRST_TASK: dict[str, Any] = {
    **COMMON,
    "task_id": "profile_by_search",
    "goal": "Search the directory for the person of this name at this company, open the profile, take one screenshot "
    'labelled "profile" of it, and report the name, the current company and the tenure there, as the section "At a '
    'glance" shows them.',
    "output_schema": {"name": "string", "current_company": COMPANY, "tenure": TENURE},
    "required_fields": ["name", "current_company", "tenure"],
    "save_workflow": True,
}
SECOND_TASK: dict[str, Any] = {
    **COMMON,
    "task_id": "employer_review",
    "goal": "For everybody on the list find out where they work now and for how long, by way of the search of the "
    'directory; keep a picture of the profile page, labelled "profile".',
    "output_schema": {"name": "string", "current_company": COMPANY, "tenure": TENURE},
    "required_fields": ["name", "current_company", "tenure"],
}
"""Another task of the same kind, in other words."""


def chosen_rows() -> list[dict[str, str]]:
    """Return people whom the search finds without a doubt."""
    everybody = ground_truth()
    sure = [row for row in demo.input_rows(everybody) if set(demo.accepted(everybody, row)) == {("done", "")}]
    return [{name: row[name] for name in ("name", "company")} for row in sure[:4]]


@dataclass(frozen=True)
class TwoRuns:
    """Both runs, and the library afterwards."""

    first: RunFinished
    second: RunFinished
    library: tuple[WorkflowVersion, ...]


async def run_both(settings: Settings, site: str) -> TwoRuns:
    """Run one sample at a time, so that answers are recorded and played in their order."""
    async with run_embedded(settings) as client:
        rows = chosen_rows()
        first = await _run(client, FIRST_TASK, site, rows[:1])
        second = await _run(client, SECOND_TASK, site, rows[1:])
        library, _ = await list_workflows(client.bus)
    return TwoRuns(first, second, library)


async def _run(client: Client, task: dict[str, Any], site: str, rows: list[dict[str, str]]) -> RunFinished:
    # Without a time limit: a person who answers in the model's place takes minutes.
    spec = {**task, "start_url": task["start_url"].replace("{site}", site), "max_time_s": 0}
    accepted = await client.submit(spec, rows=rows, planner="anthropic", concurrency=1)
    return await client.result(accepted.run_id)


async def play_both(cassette: Cassette, settings: Settings, site: str) -> tuple[TwoRuns, Player]:
    """Run both with the answers of a cassette."""
    player = Player(cassette, dict(zip(cassette.origins, [site], strict=True)))
    async with playback_server(player) as url:
        return await run_both(with_model(settings, url), site), player


def report(runs: TwoRuns) -> str:
    names = ", ".join(f"{one.name} ({one.hash[:12]}, by {one.author})" for one in runs.library)
    return "\n".join(
        [
            f"first task: {runs.first.samples} sample, {runs.first.llm_calls} calls of a model",
            f"library: {names or 'empty'}",
            f"second task: {runs.second.samples} samples, {runs.second.llm_calls} calls of a model",
        ]
    )


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.workflow_runs", description=__doc__)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--play", type=Path)
    parser.add_argument("--upstream", help="a live Messages endpoint")
    parser.add_argument("--about", default="", help="how the recording came to be")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="exhibit-workflow-runs-"))
    settings = library_settings(folder)
    async with practice.people.server.serve() as site:
        if options.play:
            runs, player = await play_both(Cassette.read(options.play), settings, site)
            print(report(runs), *player.unexpected, sep="\n")
            return
        async with AsyncExitStack() as stack:
            cassette = Cassette(options.about, [site])
            url = await stack.enter_async_context(recording_server(cassette, options.upstream))
            try:
                print(report(await run_both(with_model(settings, url), site)), folder, sep="\n")
            finally:
                if options.record:
                    cassette.write(options.record)


if __name__ == "__main__":
    asyncio.run(main())

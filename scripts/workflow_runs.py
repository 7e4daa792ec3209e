"""Two tasks with one library: the second finds and uses what the first has brought into it.

    python -m scripts.workflow_runs --record CASSETTE --upstream http://127.0.0.1:8765
    python -m scripts.workflow_runs --play CASSETTE
    python -m scripts.workflow_runs --composed --record CASSETTE --upstream http://127.0.0.1:8765

The first task is worked out by a model and saved. With --composed the library has two workflows that people have
written, and the model composes them. The site is the practice directory of people. With --record every answer of the
Messages endpoint is kept.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import practice.people.server
from practice.people import demo
from practice.people.data import ground_truth
from scripts.families import with_model
from shared.client import Client
from shared.client.workflow_calls import create_workflow, list_workflows
from shared.contracts.evidence import RunFinished
from shared.contracts.workflows.library import WorkflowCreated, WorkflowVersion
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
OPEN_PROFILE = '''
"""Open the profile of a person in a directory, by its search for name and company."""


def run(name: str, company: str, start_url: str) -> dict:
    """Search for a person, and open the one profile that is found.

    Args:
        name: as the directory spells it
        company: where the person works or has worked
        start_url: address of the page with the search

    Returns:
        The address of the profile, as `profile_url`.

    Raises:
        LookupError: nobody is found, or more than one
    """
    tools.browser.goto(url=start_url)
    for role, label, text in (("combobox", "Name", name), ("textbox", "Company", company)):
        tools.browser.type(target=str(element(role, label)["ref"]), text=text)
    tools.browser.click(target=str(element("button", "Search")["ref"]))
    opened = tools.browser.click(target=str(element("link", name)["ref"]))
    return {"profile_url": opened["url"]}


def element(role: str, name: str) -> dict:
    found = [one for one in tools.browser.observe()["elements"] if (one["role"], one["name"]) == (role, name)]
    if len(found) != 1:
        raise LookupError(f"{len(found)} elements are {role} {name!r}")
    return found[0]
'''
READ_GLANCE = '''
"""Read who somebody is, where they work now and for how long, from the profile that is open in the browser."""


def run() -> dict:
    """Read the section "At a glance" of the open profile.

    Returns:
        `name`, `current_company` and `tenure`, in the words of the page; what it does not show is left out.

    Raises:
        LookupError: the page that is open shows none of them
    """
    labels = {"Name": "name", "Current company": "current_company", "Tenure": "tenure"}
    elements = tools.browser.observe()["elements"]
    beside = [one for one in elements if one["role"] == "definition" and one.get("header") in labels]
    if not beside:
        raise LookupError("no profile is open")
    return {labels[one["header"]]: one["name"] for one in beside}
'''


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


async def run_composed(settings: Settings, site: str) -> TwoRuns:
    """Run two tasks with a library in which no workflow does the first alone."""
    async with run_embedded(settings) as client:
        for name, source in (("open_profile_by_search", OPEN_PROFILE), ("read_glance_of_profile", READ_GLANCE)):
            created = await create_workflow(client.bus, name, source, author="people")
            assert isinstance(created, WorkflowCreated), created
        rows = chosen_rows()
        first = await _run(client, FIRST_TASK, site, rows[:2])
        second = await _run(client, SECOND_TASK, site, rows[2:])
        library, _ = await list_workflows(client.bus)
    return TwoRuns(first, second, library)


async def _run(client: Client, task: dict[str, Any], site: str, rows: list[dict[str, str]]) -> RunFinished:
    # Without a time limit: a person who answers in the model's place takes minutes.
    spec = {**task, "start_url": task["start_url"].replace("{site}", site), "max_time_s": 0}
    accepted = await client.submit(spec, rows=rows, planner="anthropic", concurrency=1)
    return await client.result(accepted.run_id)


Runs = Callable[[Settings, str], Awaitable[TwoRuns]]


async def play_both(cassette: Cassette, settings: Settings, site: str, runs: Runs = run_both) -> tuple[TwoRuns, Player]:
    """Run both with the answers of a cassette."""
    player = Player(cassette, dict(zip(cassette.origins, [site], strict=True)))
    async with playback_server(player) as url:
        return await runs(with_model(settings, url), site), player


def report(runs: TwoRuns) -> str:
    names = ", ".join(f"{one.name} ({one.hash[:12]}, by {one.author})" for one in runs.library)
    return "\n".join(
        [
            f"first task: {runs.first.samples} samples, {runs.first.llm_calls} calls of a model",
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
    parser.add_argument("--composed", action="store_true", help="from a library that has parts of the task")
    options = parser.parse_args()
    both: Runs = run_composed if options.composed else run_both
    folder = Path(tempfile.mkdtemp(prefix="exhibit-workflow-runs-"))
    settings = library_settings(folder)
    async with practice.people.server.serve() as site:
        if options.play:
            runs, player = await play_both(Cassette.read(options.play), settings, site, both)
            print(report(runs), *player.unexpected, sep="\n")
            return
        async with AsyncExitStack() as stack:
            cassette = Cassette(options.about, [site])
            url = await stack.enter_async_context(recording_server(cassette, options.upstream))
            try:
                print(report(await both(with_model(settings, url), site)), folder, sep="\n")
            finally:
                if options.record:
                    cassette.write(options.record)


if __name__ == "__main__":
    asyncio.run(main())

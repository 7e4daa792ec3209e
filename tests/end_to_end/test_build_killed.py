"""SIGKILL of the service that has a build session: the same command goes on with it in another process."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from practice.tickets.data import ground_truth
from shared.flows.building.folder import read_events
from shared.flows.building.state import replayed
from shared.flows.workspace import read_samples
from shared.host.nats_server import nats_server
from shared.host.services import run_services
from shared.settings import Settings
from tests.end_to_end.conftest import ROOT, Cli
from tests.end_to_end.fleet import Fleet

SPEC = ROOT / "task_specs/practice_tickets.json"


@pytest.mark.long
async def test_a_session_outlives_the_process_that_has_it(cli: Cli, settings: Settings, tickets_url: str):
    ticket = next(one for one in ground_truth() if one.assignee and one.due_date)
    workspace = cli.folder / "built"
    async with nats_server(cli.folder / "jetstream") as url, run_services(settings, url, ["browser_pool"]):
        fleet = Fleet(cli, url, Path(settings.evidence_dir))
        await asyncio.to_thread(fleet.start, "workflows")
        given = [
            "build", str(SPEC), "--row", f"ticket_number={ticket.number}", "--row",
            f"url={tickets_url}/tickets/{ticket.number}", "--out", str(workspace), "--nats", url,
        ]  # fmt: skip
        first = await asyncio.to_thread(_work_until_killed, cli, fleet, given)
        assert "the same command goes on with it" in first
        before = replayed(read_events(workspace))
        assert [one.state for one in before.todos] == ["done", "open", "open"]
        for path in (workspace / "samples").glob("*.zst"):
            path.unlink()  # what the bus has is fetched again

        await asyncio.to_thread(fleet.start, "workflows")
        reads = [f'read {name} beside "{label}"' for name, label in LABELS]
        lines = "".join(f"{one}\n" for one in ("answer 1", *reads, "done", "close"))
        ended = await asyncio.to_thread(cli.run, *given, stdin=lines)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    state = replayed(read_events(workspace))
    assert [one.state for one in state.todos] == ["done", "done", "open"]
    [sample] = read_samples(workspace)
    assert {one.field: one.shown for one in sample.values}["assignee"] == ticket.assignee


LABELS = (("ticket_number", "Ticket number"), ("assignee", "Assignee"), ("due_date", "Due date"))


def _work_until_killed(cli: Cli, fleet: Fleet, given: list[str]) -> str:
    """Do the first TODO, kill the service, and return what the client says then."""
    process = cli.start(*given, stdin="")
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write('open\nclick "Reject all"\ndone\n')
    process.stdin.flush()
    while "scratch_work/01" not in (line := process.stdout.readline()):
        assert line, process.stderr.read()
    fleet.kill("workflows")
    told, errors = process.communicate("done\n")
    assert process.returncode != 0
    return told + errors

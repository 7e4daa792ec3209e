"""SIGKILL of a planner while a model works on a sample: the next one asks for nothing that is in the step log."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path

from shared.client import connect
from shared.host.nats_server import nats_server
from shared.host.services import run_services
from shared.settings import Settings
from tests.end_to_end.conftest import Cli
from tests.end_to_end.fleet import Fleet
from tests.end_to_end.held_site import HeldSite
from tests.end_to_end.owner_tasks import owner_spec
from tests.end_to_end.small_site import Answers
from tests.handlers.planner.messages_server import endpoint, tool_call
from tests.typed import expect

RECORD = "<h1>A</h1><dl><dt>Number</dt><dd>A</dd><dt>Owner</dt><dd>Ann</dd></dl>"


class Record(Answers):
    """A record, and its notes, which are held back."""

    def do_GET(self) -> None:
        site = expect(self.server, NotedSite)
        if self.path.endswith("/notes"):
            site.asked.append("notes")
            site.wait_for_release()
        with suppress(BrokenPipeError, ConnectionResetError):
            self.answer(f"<!doctype html><title>A</title>{RECORD}")


class NotedSite(HeldSite):
    def __init__(self) -> None:
        super().__init__()
        self.RequestHandlerClass = Record


async def test_a_planner_that_is_killed_has_its_answers_taken_again_by_the_next(cli: Cli, settings: Settings):
    evidence = Path(settings.evidence_dir)
    with NotedSite() as site:
        said = [
            tool_call("save_progress", {"values": {"number": "A"}, "refs": {}, "reason": "It is the record."}),
            tool_call("save_progress", {"values": {"owner": "Ann"}, "refs": {}, "reason": "The owner stands there."}),
            *[tool_call("goto", {"url": f"{site.url}/records/A/notes", "reason": "There may be notes."})] * 2,
            tool_call("done", {"values": {"number": "A", "owner": "Ann"}, "refs": {}, "reason": "All is read."}),
        ]
        async with endpoint(*said) as model:
            cli.env |= {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": model.url}
            others = ("evidence", "browser_pool", "discovery")
            async with nats_server(cli.folder / "jetstream") as url, run_services(settings, url, others):
                fleet = Fleet(cli, url, evidence)
                await asyncio.to_thread(fleet.start, "planner")
                async with connect(url) as client:
                    spec = {**owner_spec("noted", f"{site.url}/records"), "memory": "off", "vision": "off"}
                    rows = [{"number": "A"}]
                    accepted = await client.submit(spec, rows=rows, planner="anthropic", mode="agent")
                    await asyncio.to_thread(site.wait_until_asked, "notes")
                    fleet.kill("planner")
                    await asyncio.to_thread(fleet.start, "planner")
                    site.let_go()
                    finished = await client.result(accepted.run_id)
    assert {(one.status, one.samples) for one in finished.outcomes} == {("done", 1)}
    folder = Path(finished.location) / "A"
    result, log = (json.loads((folder / name).read_text()) for name in ("result.json", "action_log.json"))
    assert result["extracted"] == {"number": "A", "owner": "Ann"}
    assert [(step["action"], step.get("decided_in", 0)) for step in log] == [
        ("goto", 1), ("save_progress", 1), ("save_progress", 1), ("goto", 0), ("done", 0),
    ]  # fmt: skip
    assert len(model.requests) == 5, "the answer that was on its way to the log is asked for again, and no other"
    assert result["llm_calls"] == 4, "what the result has cost, in whichever attempt"
    assert result["attempt"] == 2

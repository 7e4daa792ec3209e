"""A run that a person follows and steers: paused, resumed, interrupted, and gone on with in a new round."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import Any

from shared.client import Client, connect
from shared.contracts.planner import SampleFinished
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.sessions.events import EventsLoaded, LoggedEvent
from shared.contracts.sessions.status import RunStatus
from shared.contracts.steps import StepTaken
from tests.end_to_end.conftest import Cli, System
from tests.end_to_end.finished_runs import outcomes_of
from tests.end_to_end.held_site import HeldSite
from tests.end_to_end.owner_tasks import owner_spec
from tests.typed import expect


def task_of(site: HeldSite) -> dict[str, Any]:
    return owner_spec("records", f"{site.url}/records")


async def test_a_run_is_followed_paused_resumed_interrupted_and_gone_on_with(client: Client):
    rows = [{"number": number} for number in ("A-1", "A-2", "A-3")]
    with HeldSite(held=["A-2"]) as site:
        run_id = (await client.submit(task_of(site), rows=rows, concurrency=1)).run_id
        paused = ""
        async with aclosing(client.watch(run_id)) as events:
            async for event in events:
                if isinstance(event, SampleFinished) and not paused:
                    paused = (await client.pause(run_id, by="ann")).paused_key
                    status = expect(await client.status(run_id), RunStatus)
                    assert (status.in_progress, status.success) == (True, None)
                    assert (status.paused, status.paused_key) == (True, paused)
                    asked = await client.ask_user(run_id, [Question(text="Go on?", options=("yes", "no"))])
                    await client.answer(run_id, asked.paused_key, [QuestionAnswer(question="Go on?", chosen=("yes",))])
                    await client.message(run_id, "Take care.", by="ann")
                    await client.resume(run_id, paused)
                    await client.interrupt(run_id)
                    site.let_go()
                    break
        finished = await client.result(run_id)
        assert {outcome.reason: outcome.samples for outcome in finished.outcomes} == {"": 1, "interrupted": 2}
        status = expect(await client.status(run_id), RunStatus)
        assert (status.in_progress, status.success, status.paused) == (False, False, False)

        log: list[LoggedEvent] = []
        since = 0
        while True:
            part = expect(await client.events(run_id, since, limit=7), EventsLoaded)
            log += part.events
            since = part.next_index
            if not part.more:
                break
        names = [entry.event for entry in log]
        assert names[0] == "RunStarted"
        assert names[-1] == "RunCompleted"
        assert [name for name in names if name in ("FlowPaused", "AskUserQuestion", "FlowResumed")] == [
            "FlowPaused", "AskUserQuestion", "FlowResumed",
        ]  # fmt: skip
        assert {entry.tool for entry in log if entry.event == "ToolCallCompleted"} >= {"goto", "done"}

        again = await client.submit(resume=run_id)
        finished = await client.result(run_id, attempt_base=again.attempt_base)
        assert outcomes_of(finished) == {("done", ""): 3}
        assert expect(await client.status(run_id), RunStatus).success is True


def test_a_run_is_steered_and_followed_on_the_command_line(system: System, online: Cli):
    def exhibit(*words: str, code: int = 0) -> str:
        done = online.run("runs", *words)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    async def begin(site: HeldSite) -> tuple[str, str]:
        """Pause a run whose sample is on its way to its page, and return once it has come there."""
        async with connect(system.url) as client:
            run_id = (await client.submit(task_of(site), rows=[{"number": "A-1"}])).run_id
            await asyncio.to_thread(site.wait_until_asked, "A-1")
            paused = (await client.pause(run_id)).paused_key
            site.let_go()
            async with aclosing(client.watch(run_id)) as events:
                async for event in events:
                    if isinstance(event, StepTaken):
                        return run_id, paused
        raise AssertionError("the run has ended without a step")

    with HeldSite(held=["A-1"]) as site:
        run_id, paused = asyncio.run(begin(site))
        assert f"waits for {paused}" in exhibit("status", run_id)
        assert "told" in exhibit("message", run_id, "Take care.")
        assert "paused by another pause" in exhibit("resume", run_id, "--key", "other", code=3)
        assert f"resumed {paused}" in exhibit("resume", run_id, "--key", paused)
        shown = exhibit("events", run_id, "--follow")
    for told in ("RunStarted", "FlowPaused", "Take care.", "FlowResumed", "RunCompleted"):
        assert told in shown
    first = json.loads(exhibit("events", run_id, "--limit", "2", "--json"))
    assert (len(first["events"]), first["more"]) == (2, True)
    assert "has ended" in exhibit("interrupt", run_id, code=3)
    del online.env["EXHIBIT_NATS_URL"]
    assert json.loads(exhibit("status", run_id, "--json"))["success"] is True

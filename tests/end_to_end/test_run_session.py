"""A run that a person follows and steers: paused, resumed, interrupted, and gone on with in a new round."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing

from practice.tickets.data import ground_truth
from shared.contracts.planner import SampleFinished
from shared.contracts.sessions.events import EventsLoaded, LoggedEvent
from shared.contracts.sessions.questions import Question, QuestionAnswer
from shared.contracts.sessions.status import RunStatus
from shared.host.services import run_embedded
from tests.typed import expect


async def test_a_run_is_followed_paused_resumed_interrupted_and_gone_on_with(settings, ticket_spec, tickets_url):
    numbers = [ticket.number for ticket in ground_truth()[:6]]
    rows = [{"ticket_number": number, "url": f"{tickets_url}/tickets/{number}"} for number in numbers]
    async with run_embedded(settings) as client:
        run_id = (await client.submit(ticket_spec, rows=rows, concurrency=1)).run_id
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
                    break
        finished = await client.result(run_id)
        reasons = {outcome.reason: outcome.samples for outcome in finished.outcomes}
        assert reasons["interrupted"] >= 3
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
        assert {outcome.status: outcome.samples for outcome in finished.outcomes} == {"done": 6}
        assert expect(await client.status(run_id), RunStatus).success is True


async def test_a_run_is_steered_and_followed_on_the_command_line(settings, ticket_spec, tickets_url, cli):
    number = ground_truth()[0].number
    async with run_embedded(settings) as client:
        url = client.bus.nc.connected_url
        assert url is not None
        nats = ("--nats", url.geturl())

        async def exhibit(*words: str, code: int = 0) -> str:
            done = await asyncio.to_thread(cli.run, "runs", *words, *nats)
            assert done.returncode == code, done.stderr
            return done.stdout + done.stderr

        rows = [{"ticket_number": number, "url": f"{tickets_url}/tickets/{number}"}]
        run_id = (await client.submit(ticket_spec, rows=rows)).run_id
        paused = (await client.pause(run_id)).paused_key
        assert f"waits for {paused}" in await exhibit("status", run_id)
        assert "told" in await exhibit("message", run_id, "Take care.")
        assert "paused by another pause" in await exhibit("resume", run_id, "--key", "other", code=3)
        assert f"resumed {paused}" in await exhibit("resume", run_id, "--key", paused)
        shown = await exhibit("events", run_id, "--follow")
        for told in ("RunStarted", "FlowPaused", "Take care.", "FlowResumed", "RunCompleted"):
            assert told in shown
        first = json.loads(await exhibit("events", run_id, "--limit", "2", "--json"))
        assert (len(first["events"]), first["more"]) == (2, True)
        assert "has ended" in await exhibit("interrupt", run_id, code=3)
    done = cli.run("runs", "status", run_id, "--evidence", str(settings.evidence_dir), "--json")
    assert json.loads(done.stdout)["success"] is True

"""Several operators on one real bus: an operator with an open question gets no other."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import msgspec
import pytest

from services.console.commands.operate import next_question
from shared.bus.nats_bus import connect_bus
from shared.bus.wire import flush
from shared.contracts.operator import DecisionAsked, DecisionGiven
from shared.errors import Unavailable
from shared.subjects import DECIDE


def asked(sample_id: str) -> DecisionAsked:
    return DecisionAsked(
        run_id="r", sample_id=sample_id, attempt=1, step=2, task_id="t", goal="g", fields={}, url="http://x", title="",
        http_status=200, text="", steps_left=3, tools=(),
    )  # fmt: skip


async def test_each_question_goes_to_one_who_is_free(nats_url: str):
    async with AsyncExitStack() as stack:
        planner, *people = [
            await stack.enter_async_context(connect_bus(nats_url, name=n)) for n in ("planner", "ann", "bo")
        ]
        waiting = [asyncio.create_task(next_question(person.nc)) for person in people]
        await asyncio.sleep(0)  # each has said by then that it listens
        await asyncio.gather(*(flush(person.nc) for person in people))
        asking = [asyncio.create_task(planner.ask(DECIDE, asked(one), timeout_s=60)) for one in ("A-1", "A-2")]
        questions = await asyncio.wait_for(asyncio.gather(*waiting), 60)
        assert {msgspec.json.decode(one.data)["sample_id"] for one in questions} == {"A-1", "A-2"}

        with pytest.raises(Unavailable) as caught:
            await planner.ask(DECIDE, asked("A-3"), timeout_s=60)
        assert caught.value.code == "no_responders"

        given = DecisionGiven(action={"action": "back"}, decided_by="ann")
        for question in questions:
            await question.respond(msgspec.json.encode(given))
        assert await asyncio.gather(*asking) == [given, given]

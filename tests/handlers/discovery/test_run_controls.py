"""Controls of a run at work, on a bus in memory: stored, told once, refused where they do not fit."""

from __future__ import annotations

from typing import Any

import pytest

from services.discovery.handlers import actor, control_run
from shared.client.run_sessions import ControlRefusedError, RunSessions
from shared.contracts.evidence import RunUnknown
from shared.contracts.questions import Question, QuestionAnswer
from shared.contracts.sessions.control import ControlRun, PauseRun, RunControl, RunControlled
from shared.streams import RUN_CONTROL
from shared.testing.bus import MemoryBus
from tests.handlers.discovery.discovery_bench import deps_on, ended, evidence, loaded
from tests.typed import expect


def client_of(known: Any) -> tuple[RunSessions, MemoryBus]:
    bus = MemoryBus()
    bus.host(evidence(known), None)
    bus.host(actor, deps_on(bus))
    return RunSessions(bus), bus


async def test_a_pause_is_stored_and_told_and_its_key_ends_it():
    client, bus = client_of(loaded((None, 0)))
    paused = await client.pause("run_1", by="ann")
    stored = expect(await bus.read(RUN_CONTROL, "run_1", RunControl), RunControl)
    assert (stored.paused_key, paused.by) == (paused.paused_key, "ann")
    await client.resume("run_1", paused.paused_key)
    assert [one.number for one in bus.events(RunControlled)] == [1, 2]
    with pytest.raises(ControlRefusedError) as caught:
        await client.resume("run_1")
    assert caught.value.refused.code == "not_paused"
    assert len(bus.events(RunControlled)) == 2


async def test_a_request_that_is_sent_again_counts_once():
    _, bus = client_of(loaded((None, 0)))
    request, deps = ControlRun(run_id="run_1", control_id="c", control=PauseRun()), deps_on(bus)
    first = await control_run(request, deps)
    assert await control_run(request, deps) == first
    assert len(bus.events(RunControlled)) == 1


@pytest.mark.parametrize(
    ("loaded", "code"),
    [
        (RunUnknown(run_id="run_1", message="no such run"), "no_such_run"),
        (loaded((None, 0), finished=ended()), "run_ended"),
    ],
)
async def test_a_run_that_is_not_at_work_takes_no_control(loaded, code):
    client, bus = client_of(loaded)
    with pytest.raises(ControlRefusedError) as caught:
        await client.interrupt("run_1")
    assert (caught.value.refused.code, bus.events(RunControlled)) == (code, [])


async def test_a_resumed_round_of_a_run_that_ended_takes_controls():
    client, bus = client_of(loaded((None, 0), finished=ended(), attempt_base=2))
    await client.close("run_1")
    assert expect(await bus.read(RUN_CONTROL, "run_1", RunControl), RunControl).attempt_base == 2


async def test_questions_wait_until_they_are_answered():
    client, bus = client_of(loaded((None, 0)))
    asked = await client.ask_user("run_1", [Question(text="Which?", options=("a", "b"))])
    await client.message("run_1", "Prefer the newer one.")
    assert len(expect(await bus.read(RUN_CONTROL, "run_1", RunControl), RunControl).open_questions) == 1
    await client.answer("run_1", asked.paused_key, [QuestionAnswer(question="Which?", chosen=("b",))])
    stored = expect(await bus.read(RUN_CONTROL, "run_1", RunControl), RunControl)
    assert (stored.open_questions, stored.messages) == ((), ("Prefer the newer one.",))

"""The runner of the handlers: acknowledging, publishing, recording and dead-lettering, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from shared.bus.actor import Actor
from shared.bus.runner import Runner
from shared.bus.signing.service_keys import KeysInMemory
from shared.bus.signing.signatures import SIGNATURE
from shared.bus.verdict import Ack, Nak, Term
from shared.contracts.base import Failure
from shared.contracts.codes import OpenCode, Status
from shared.contracts.discovery import PopulationClosed, Sample
from shared.contracts.error_codes import EndCode
from shared.contracts.planner import SampleFinished, WorkSample
from shared.errors import NotSigned, PermanentError, Unavailable
from shared.subjects import POPULATION_CLOSED, SAMPLE_FINISHED, WORK_SAMPLE

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SAMPLE = Sample(sample_id="s", key="s", row=1)
WORK = msgspec.json.encode(WorkSample(run_id="r", sample_id="s", sample=SAMPLE))


def finished(status: Status = "done", attempt: int = 1, reason: OpenCode[EndCode] = "") -> SampleFinished:
    return SampleFinished(
        run_id="r",
        sample_id="s",
        attempt=attempt,
        status=status,
        reason=reason,
        sample=SAMPLE,
        started_at=NOON,
        finished_at=NOON,
    )


class Told:
    """A delivery and an outbox that write down what happens to them, in order."""

    def __init__(self, data: bytes = WORK, attempt: int = 1, subject: str = f"{WORK_SAMPLE.pattern}.r.s"):
        self.data, self.attempt, self.subject = data, attempt, subject
        self.headers: Mapping[str, str] = {}
        self.log: list[object] = []
        self.recorded: set[str] = set()

    async def acknowledge(self, verdict, /):
        self.log.append(verdict)

    async def in_progress(self):
        self.log.append("in progress")

    async def publish(self, subject, message):
        self.log.append(message)

    async def is_handled(self, message_id):
        return message_id in self.recorded

    async def mark_handled(self, message_id):
        self.recorded.add(message_id)
        self.log.append("recorded")

    async def dead_letter(self, original, failure: Failure):
        self.log.append(("dead letter", failure.code))


def work_route(handler, **options):
    actor: Actor[None] = Actor("planner")
    actor.handles(WORK_SAMPLE, emits=SAMPLE_FINISHED, **options)(handler)
    return actor.stored[WORK_SAMPLE.pattern]


async def handle(route, told: Told, heartbeat_s: float = 60) -> list[object]:
    await Runner(None, told, heartbeat_s, KEYS).handle(route, told)
    return told.log


async def works(message, deps, attempt):
    return finished(attempt=attempt)


def fails(error):
    async def handler(message, deps, attempt):
        raise error

    return handler


async def test_a_result_is_published_then_recorded_then_acknowledged():
    assert await handle(work_route(works), Told()) == [finished(), "recorded", Ack()]


async def test_a_redelivered_command_whose_result_is_recorded_is_only_acknowledged():
    told = Told()
    await handle(work_route(works), told)
    again = Told(attempt=2)
    again.recorded = told.recorded
    assert await handle(work_route(works), again) == [Ack()]


async def test_a_redelivered_command_without_a_recorded_result_is_worked_on():
    assert await handle(work_route(works), Told(attempt=2)) == [finished(attempt=2), "recorded", Ack()]


@pytest.mark.parametrize(
    "told",
    [
        {"data": b'{"type":"WorkSample"}'},
        {"data": WORK[:-1] + b',"more":' + b"[" * 100_000 + b"]" * 100_000 + b"}"},
        {"subject": f"{WORK_SAMPLE.pattern}.r.other"},
    ],
    ids=["garbage", "nested without end", "under the name of another"],
)
@pytest.mark.parametrize("max_attempts", [4, None])
async def test_what_is_no_message_goes_to_the_dead_letters_at_once(told: dict[str, Any], max_attempts: int | None):
    """One that is tried again holds up all that is behind it."""
    log = await handle(work_route(works, max_attempts=max_attempts), Told(**told))
    assert log == [("dead letter", "invalid_message"), Term("invalid_message")]


async def test_a_transient_error_is_tried_again_and_nothing_is_published():
    assert await handle(work_route(fails(Unavailable("x"))), Told()) == [Nak(0.5)]


OF_NO_LIST: Any = "odd"
"""A code that no list of errors holds."""


@pytest.mark.parametrize("error", [PermanentError("no", code=OF_NO_LIST), KeyError("a bug")])
async def test_what_is_given_up_is_accounted_for_and_kept(error):
    def give_up(message, deps, attempt, error):
        return finished("failed", attempt, error.code)

    route = work_route(fails(error), max_attempts=2, give_up=give_up)
    code: Any = getattr(error, "code", "internal")
    event, letter, ruling = await handle(route, Told(attempt=2))
    assert event == finished("failed", 2, code)
    assert letter == ("dead letter", code)
    assert isinstance(ruling, Term)


async def test_a_message_whose_workers_were_all_killed_is_given_up_without_another_try():
    """No handler ever returned: only the delivery count tells."""
    calls = []

    async def handler(message, deps, attempt):
        calls.append(attempt)

    route = work_route(handler, max_attempts=3, give_up=lambda m, d, attempt, e: finished("failed", attempt, e.code))
    event, letter, ruling = await handle(route, Told(attempt=4))
    assert calls == []
    assert event == finished("failed", 4, "retries_exhausted")
    assert (letter, ruling) == (("dead letter", "retries_exhausted"), Term("retries_exhausted"))


async def test_a_handler_past_its_deadline_is_stopped_and_tried_again():
    async def slow(message, deps, attempt):
        await asyncio.Event().wait()

    assert await handle(work_route(slow, deadline_s=0.01), Told()) == [Nak(0.5)]


async def test_a_timeout_of_the_handlers_own_is_not_taken_for_the_deadline(caplog):
    assert await handle(work_route(fails(TimeoutError("mine"))), Told()) == [Nak(0.5)]
    assert "a bug" in caplog.text


async def test_a_long_handler_says_that_it_is_still_at_it():
    heard = asyncio.Event()

    class Listening(Told):
        async def in_progress(self):
            self.log.append("in progress")
            heard.set()

    async def until_heard(message, deps, attempt):
        await heard.wait()
        return finished()

    log = await handle(work_route(until_heard), Listening(), heartbeat_s=0.001)
    assert log[0] == "in progress"
    assert log[-1] == Ack()


async def test_events_are_not_recorded_since_their_handlers_are_idempotent():
    actor: Actor[None] = Actor("evidence")

    @actor.handles(POPULATION_CLOSED)
    async def closed(message: PopulationClosed, deps: None, attempt: int) -> None:
        return None

    assert await handle(actor.stored[POPULATION_CLOSED.pattern], closed_by("discovery")) == [Ack()]


KEYS = KeysInMemory()


def closed_by(service: str) -> Told:
    """An event that only discovery may send, signed by a service; "" by nobody."""
    where, data = f"{POPULATION_CLOSED.pattern}.r", msgspec.json.encode(PopulationClosed(run_id="r", samples=1))
    told, signer = Told(data, subject=where), KEYS.signer_of(service)
    told.headers = {} if signer is None else {SIGNATURE: signer.header(where, data)}
    return told


@pytest.mark.parametrize(("service", "code"), [("", "not_signed"), ("planner", "other_signer")])
async def test_a_message_that_its_sender_may_not_send_reaches_no_handler(service: str, code: str):
    actor: Actor[None] = Actor("evidence")
    heard: list[object] = []

    def give_up(message, deps, attempt, error):
        heard.append(error)
        return finished("failed")

    @actor.handles(POPULATION_CLOSED, emits=SAMPLE_FINISHED, give_up=give_up)
    async def closed(message: PopulationClosed, deps: None, attempt: int) -> None:
        heard.append(message)

    log = await handle(actor.stored[POPULATION_CLOSED.pattern], closed_by(service))
    assert (heard, log) == ([], [("dead letter", code), Term(code)])


async def test_an_actor_may_keep_what_its_sender_may_not_send():
    actor: Actor[None] = Actor("evidence")
    kept: list[object] = []

    async def refuse(message: PopulationClosed, deps: None, error: NotSigned) -> None:
        kept.append((message.samples, error.why))

    @actor.handles(POPULATION_CLOSED, refuse=refuse)
    async def closed(message: PopulationClosed, deps: None, attempt: int) -> None:
        raise AssertionError("it is refused")

    assert await handle(actor.stored[POPULATION_CLOSED.pattern], closed_by("")) == [Ack()]
    assert kept == [(1, "not_signed")]


def test_two_handlers_of_one_subject_are_refused():
    actor: Actor[None] = Actor("twice")
    actor.handles(WORK_SAMPLE)(works)
    with pytest.raises(ValueError, match="already has a handler"):
        actor.handles(WORK_SAMPLE)(works)

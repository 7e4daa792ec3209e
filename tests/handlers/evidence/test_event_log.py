"""The event log of a run: mapped from its events, in pages that join, for late readers too."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from services.evidence.read_api.read_handlers import load_events
from services.evidence.state.event_log import unreadable
from shared.bus.ports import StoredEvent
from shared.contracts.discovery import Problem, SubmissionRejected
from shared.contracts.evidence import RunUnknown
from shared.contracts.questions import Question
from shared.contracts.sessions.control import AskUser, PauseRun, ResumePaused, RunControlled, SendText
from shared.contracts.sessions.events import EventsLoaded, LoadEvents
from shared.subjects import (
    POPULATION_CLOSED,
    RUN_CONTROLLED,
    RUN_FINISHED,
    RUN_REJECTED,
    RUN_STARTED,
    SAMPLE_FINISHED,
    SAMPLE_FOUND,
    STEP_TAKEN,
    subjects_of_run,
)
from tests.handlers.evidence.evidence_desk import NOW, Desk, closed, ended, found, sample, started, took
from tests.typed import expect


@pytest.fixture
def empty(desk: Desk) -> Desk:
    """A desk that reads back what was published."""
    desk.deps.events = desk.bus
    return desk


@pytest.fixture
async def told(empty: Desk) -> Desk:
    """A run of two samples, one of them for review, with a pause, a message and a question."""
    desk, bus = empty, empty.bus
    one, two = sample("A-1"), sample("A-2", 2)
    await bus.publish(RUN_STARTED, started())
    for each in (one, two):
        await bus.publish(SAMPLE_FOUND, found(each))
    await bus.publish(POPULATION_CLOSED, closed(2))
    asked = AskUser(key="q", questions=(Question(text="Which?", options=("a", "b")),))
    for number, control in enumerate((PauseRun(), ResumePaused(), SendText(text="Hello."), asked), 1):
        own = {"run_id": "run_1", "number": number, "control_id": str(number), "by": "ann", "at": NOW}
        await bus.publish(RUN_CONTROLLED, RunControlled(**own, control=control, paused_key="p"))
    await bus.publish(STEP_TAKEN, took(one))
    await bus.publish(STEP_TAKEN, replace(took(one, step=2), refused=True, message="not now"))
    ends = [ended(one), ended(two, status="needs_review", reason="ambiguous_value")]
    for end in ends:
        await bus.publish(SAMPLE_FINISHED, end)
    await desk.begun(one, two)
    await bus.publish(RUN_FINISHED, await desk.tell(*ends))
    return desk


async def page(desk: Desk, **request) -> EventsLoaded:
    return expect(await load_events(LoadEvents(run_id="run_1", **request), desk.deps), EventsLoaded)


NAMES = [
    "RunStarted", "RunContent", "FlowPaused", "FlowResumed", "RunContent", "AskUserQuestion",
    "ToolCallStarted", "ToolCallCompleted", "ToolCallStarted", "ToolCallRejected", "RunContent", "RunContent",
    "RunCompleted",
]  # fmt: skip


async def test_every_event_of_a_run_is_an_entry(told):
    log = await page(told)
    assert [one.event for one in log.events] == NAMES
    assert (log.more, log.from_beginning) == (False, True)
    by_name = {one.event: one for one in log.events}
    assert (by_name["FlowPaused"].key, by_name["FlowPaused"].by) == ("p", "ann")
    assert by_name["AskUserQuestion"].questions[0].options == ("a", "b")
    assert (by_name["ToolCallCompleted"].tool, by_name["ToolCallCompleted"].ok) == ("screenshot", True)
    assert by_name["ToolCallRejected"].text == "not now"
    assert by_name["RunCompleted"].success is False


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 100])
async def test_pages_of_any_size_join_without_a_gap_and_without_a_repetition(told, limit):
    whole, joined, since = (await page(told)).events, [], 0
    while True:
        part = await page(told, since=since, limit=limit)
        assert len(part.events) <= limit
        joined += part.events
        since = part.next_index
        if not part.more:
            break
    assert tuple(joined) == whole
    after = await page(told, since=since)
    assert (after.events, after.next_index, after.more) == ((), since, False)


async def test_indexes_grow_and_a_limit_out_of_bounds_is_set_right(told):
    log = await page(told, limit=10_000_000)
    indexes = [one.index for one in log.events]
    assert indexes == sorted(set(indexes))
    assert len((await page(told, limit=0)).events) == 1
    assert (await page(told, since=-5)).events == log.events


async def test_a_message_that_is_no_event_of_a_run_hides_no_other(told):
    whole = (await page(told)).events
    read = told.bus.read_events

    async def with_garbage(subjects: Sequence[str], start: int, limit: int) -> list[StoredEvent]:
        """The last one before the end of the run is no event."""
        return [
            StoredEvent(one.sequence, one.at, b"[" * 100_000) if one.sequence == bad else one
            for one in await read(subjects, start, limit)
        ]

    bad = (await read(subjects_of_run("run_1"), 1, 100))[-2].sequence
    told.bus.read_events = with_garbage
    log = (await page(told)).events
    assert [one for one in log if one not in whole] == [unreadable(bad, log[-2].at)]
    assert (log[:-2], log[-1]) == (whole[:-2], whole[-1])


async def test_a_run_of_which_nothing_is_done_ended_in_error_and_a_rejected_request_too(empty):
    await empty.begun(sample())
    await empty.bus.publish(RUN_FINISHED, await empty.tell(ended(sample(), status="failed", reason="not_found")))
    (end,) = (await page(empty)).events
    assert (end.event, end.success) == ("RunError", False)
    problem = Problem(where="spec", message="bad")
    await empty.bus.publish(RUN_REJECTED, SubmissionRejected(run_id="run_2", problems=(problem,)))
    log = expect(await load_events(LoadEvents(run_id="run_2"), empty.deps), EventsLoaded)
    assert [(one.event, one.text) for one in log.events] == [("RunError", "spec: bad")]


async def test_a_log_whose_beginning_is_gone_says_so(empty):
    await empty.begun(sample())
    assert (await page(empty)).from_beginning is False


async def test_the_log_of_an_unknown_run(empty):
    for run_id in ("run_9", "../run_1"):
        assert isinstance(await load_events(LoadEvents(run_id=run_id), empty.deps), RunUnknown)

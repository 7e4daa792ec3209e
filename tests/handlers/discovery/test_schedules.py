"""Schedules on a bus: kept, changed, and their runs requested once at each time, whoever takes it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from services.discovery.deps import DiscoveryDeps
from services.discovery.handlers import alter_schedule, keep_schedule, show_schedules, start_submission
from services.discovery.scheduling.decide import FORGOTTEN_S
from services.discovery.scheduling.schedules import UNKNOWN_S, run_due
from services.discovery.stored_inputs import store_input_part
from services.discovery.submissions import submit_once
from shared.bus.actor import Actor
from shared.contracts.discovery import InputFile, RunRecord, RunStarted, SampleFound, StoreInput, SubmitReply, SubmitRun
from shared.contracts.evidence import LoadReply, LoadRun, RunUnknown
from shared.contracts.scheduling import (
    AddSchedule,
    ChangeSchedule,
    ListSchedules,
    Schedule,
    ScheduledRun,
    ScheduleKept,
    ScheduleRefused,
)
from shared.errors import PermanentError, Unavailable
from shared.streams import INPUTS, RUNS, SCHEDULE_FILES, SCHEDULES
from shared.subjects import LOAD_RUN
from shared.submission.input_files import part_name
from shared.testing.bus import MemoryBus
from tests.handlers.discovery.discovery_bench import NOW, ROWS, SPEC, deps_on, ended, loaded, planner

DAILY = AddSchedule(
    name="tickets", every="0 6 * * *", request=SubmitRun(spec=SPEC, samples=ROWS, planner="rules"), by="ann"
)
DAY = timedelta(days=1)
DUE = NOW.replace(hour=6, minute=0, second=0) + DAY


@dataclass
class Office:
    """A bus with evidence that knows which runs have ended, and a clock that is set by hand."""

    bus: MemoryBus = field(default_factory=MemoryBus)
    now: datetime = NOW
    ended: set[str] = field(default_factory=set[str])
    known: bool = True
    while_asked: Callable[[], Awaitable[Any]] | None = None
    """What happens once, while evidence is asked."""

    def __post_init__(self) -> None:
        evidence: Actor[None] = Actor("evidence")

        @evidence.answers(LOAD_RUN)
        async def load(request: LoadRun, deps: None) -> LoadReply:
            happens, self.while_asked = self.while_asked, None
            if happens is not None:
                await happens()
            record: RunRecord | None = await self.bus.read(RUNS, request.run_id, RunRecord)
            if record is None or not self.known:
                return RunUnknown(run_id=request.run_id, message="no such run")
            return loaded(record=record, finished=ended() if request.run_id in self.ended else None)

        self.bus.host(evidence, None)
        self.bus.host(planner(), [])
        self.deps = self.open()

    def open(self) -> DiscoveryDeps:
        """Return what another process of discovery has."""
        return deps_on(self.bus, now=lambda: self.now)

    async def add(self, request: AddSchedule = DAILY) -> Schedule:
        reply = await keep_schedule(request, self.deps)
        assert isinstance(reply, ScheduleKept), reply
        return reply.schedule

    async def refused(self, **changes: Any) -> list[str]:
        reply = await keep_schedule(replace(DAILY, **changes), self.deps)
        assert isinstance(reply, ScheduleRefused)
        return [one.where for one in reply.problems]

    async def change(self, act: Any, name: str = "tickets") -> Schedule:
        reply = await alter_schedule(ChangeSchedule(name=name, act=act), self.deps)
        assert isinstance(reply, ScheduleKept), reply
        return reply.schedule

    async def pass_to(self, now: datetime, *processes: DiscoveryDeps) -> None:
        """Let it be a time, at which these processes look for schedules."""
        self.now = now
        for deps in processes or (self.deps,):
            await run_due(submitting(deps), deps)

    async def runs(self) -> list[ScheduledRun]:
        kept = await self.bus.read(SCHEDULES, "tickets", Schedule)
        assert kept is not None
        return list(kept.runs)

    def started(self) -> list[RunStarted]:
        return self.bus.events(RunStarted)


def submitting(deps: DiscoveryDeps) -> Any:
    async def submit(request: SubmitRun) -> SubmitReply:
        return await submit_once(request, start_submission, deps)

    return submit


async def test_a_run_is_requested_at_each_time():
    office = Office()
    schedule = await office.add()
    assert schedule.next_at == DUE
    await office.pass_to(DUE - timedelta(seconds=1))
    assert office.started() == []
    await office.pass_to(DUE + timedelta(seconds=10))
    await office.pass_to(DUE + timedelta(seconds=30))
    [run] = await office.runs()
    [started] = office.started()
    assert (run.outcome, run.run_id, run.follows) == ("started", started.run_id, "")
    assert (started.record.schedule, started.record.requested_by) == ("tickets", "schedule tickets")
    assert len(office.bus.events(SampleFound)) == len(ROWS)

    office.ended.add(started.run_id)
    await office.pass_to(DUE + DAY)
    assert [one.run_id for one in await office.runs()] == [one.run_id for one in office.started()]
    assert office.started()[1].record.follows == started.run_id


async def test_of_several_processes_one_requests_the_run():
    office = Office()
    await office.add()
    processes = [office.open() for _ in range(3)]
    office.now = DUE
    await asyncio.gather(*(run_due(submitting(deps), deps) for deps in processes))
    assert len(office.started()) == len(await office.runs()) == 1


class Gone(BaseException):
    """The process is killed."""


async def test_what_a_killed_process_has_taken_is_requested_by_another_one():
    office = Office()
    await office.add()

    async def die(request: SubmitRun) -> SubmitReply:
        raise Gone

    office.now = DUE
    with pytest.raises(Gone):
        await run_due(die, office.deps)
    assert [one.outcome for one in await office.runs()] == ["begun"]
    await office.pass_to(DUE + timedelta(seconds=FORGOTTEN_S - 1))
    assert office.started() == []
    await office.pass_to(DUE + timedelta(seconds=FORGOTTEN_S + 1))
    assert [one.outcome for one in await office.runs()] == ["started"]
    assert len(office.started()) == 1


async def test_one_whose_run_was_started_before_it_was_killed_is_not_run_twice():
    office = Office()
    await office.add()
    started = submitting(office.deps)

    async def submit_and_die(request: SubmitRun) -> SubmitReply:
        await started(request)
        raise Gone

    office.now = DUE
    with pytest.raises(Gone):
        await run_due(submit_and_die, office.deps)
    await office.pass_to(DUE + timedelta(seconds=FORGOTTEN_S + 1), office.open())
    [run] = await office.runs()
    assert {one.run_id for one in office.started()} == {run.run_id}


async def test_a_bus_that_is_away_only_delays():
    office = Office()
    await office.add()

    async def away(request: SubmitRun) -> SubmitReply:
        raise Unavailable("the bus is away")

    office.now = DUE
    await run_due(away, office.deps)
    assert [one.outcome for one in await office.runs()] == ["begun"]
    await office.pass_to(DUE + timedelta(seconds=FORGOTTEN_S + 1))
    assert [one.outcome for one in await office.runs()] == ["started"]


async def test_while_the_run_before_is_at_work_there_is_none():
    office = Office()
    await office.add()
    await office.pass_to(DUE)
    await office.pass_to(DUE + DAY)
    assert [one.outcome for one in await office.runs()] == ["started", "overlap"]
    office.known = False  # somebody has removed its evidence
    await office.pass_to(DUE + DAY + timedelta(seconds=UNKNOWN_S))
    await office.pass_to(DUE + 2 * DAY)
    assert [one.outcome for one in await office.runs()] == ["started", "overlap", "started"]


async def test_what_a_person_requests_while_a_time_is_taken_is_not_lost():
    office = Office()
    await office.add(replace(DAILY, overlap="run"))
    await office.pass_to(DUE)
    office.while_asked = lambda: office.change("run")
    await office.pass_to(DUE + DAY + timedelta(seconds=7))
    told = await office.runs()
    assert [one.outcome for one in told] == ["started"] * 3
    assert sorted(one.run_id for one in told) == sorted(one.run_id for one in office.started())


async def test_a_schedule_that_cannot_be_kept_holds_no_other_one_up():
    office = Office()
    schedule = await office.add()
    await office.bus.create(SCHEDULES, "a", replace(schedule, name="a", time_zone="Mars"))  # known elsewhere
    await office.pass_to(DUE)
    assert [one.record.schedule for one in office.started()] == ["tickets"]


async def test_times_of_a_pause_are_not_missed():
    office = Office()
    await office.add()
    assert (await office.change("pause")).paused
    await office.pass_to(DUE + DAY)
    resumed = await office.change("resume")
    assert (resumed.paused, resumed.next_at) == (False, DUE + 2 * DAY)
    assert await office.runs() == []


async def test_a_person_may_request_its_run_now():
    office = Office()
    await office.add()
    changed = await office.change("run")
    assert [one.run_id for one in changed.runs] == [one.run_id for one in office.started()]
    assert changed.next_at == DUE
    await office.change("run")
    [in_short] = (await show_schedules(ListSchedules(), office.deps)).schedules
    [whole] = (await show_schedules(ListSchedules(name="tickets"), office.deps)).schedules
    assert (in_short.request.samples, len(in_short.runs)) == (None, 1)
    assert (whole.request.samples, len(whole.runs)) == (ROWS, 2)


async def test_one_that_was_removed_requests_nothing_and_its_name_is_free():
    office = Office()
    await office.add()
    await office.change("remove")
    assert (await show_schedules(ListSchedules(), office.deps)).schedules == ()
    await office.pass_to(DUE)
    assert office.started() == []
    await office.add()
    await office.pass_to(DUE + DAY)
    assert [one.outcome for one in await office.runs()] == ["started"]


async def test_a_run_that_is_refused_is_told_with_its_problems():
    office = Office()
    await office.add()
    office.bus.host(planner(problem="there is no key"), [])
    await office.pass_to(DUE)
    [run] = await office.runs()
    assert (run.outcome, [one.where for one in run.problems]) == ("rejected", ["planner"])


async def test_everything_that_is_wrong_is_told_and_nothing_is_kept():
    office = Office()
    wrong = await office.refused(
        name="a b", every="daily", time_zone="Mars", overlap="wait", missed="all", request=SubmitRun(samples=ROWS)
    )
    assert wrong == ["time_zone", "every", "name", "overlap", "missed", "spec"]
    assert await office.refused(request=replace(DAILY.request, resume_run_id="r1", samples=None)) == ["request"]
    assert await office.refused(request=replace(DAILY.request, request_id="q-1")) == ["request"]
    await office.add()
    assert await office.refused() == ["name"]
    assert len((await show_schedules(ListSchedules(), office.deps)).schedules) == 1
    unknown = await alter_schedule(ChangeSchedule(name="ticket", act="pause"), office.deps)
    assert isinstance(unknown, ScheduleRefused)
    assert "did you mean tickets?" in unknown.problems[0].message


async def test_its_file_is_kept_as_long_as_the_schedule():
    office = Office()
    data = b"number,url\nT-9,http://x/9\n"
    stored = await store_input_part(StoreInput(data=data), office.bus)
    file = InputFile(
        name="rows.csv", blob=stored.blob, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), parts=1
    )
    await office.add(replace(DAILY, request=SubmitRun(spec=SPEC, input_file=file, planner="rules")))
    await office.bus.remove(INPUTS, part_name(stored.blob, 0))  # as a bus forgets it
    await office.pass_to(DUE)
    assert [one.sample_id for one in office.bus.events(SampleFound)] == ["T-9"]
    kept = await office.bus.read(SCHEDULES, "tickets", Schedule)
    assert kept is not None
    assert kept.request.input_file is not None
    assert await office.bus.get(SCHEDULE_FILES, kept.request.input_file.blob) == data
    await office.change("remove")
    with pytest.raises(PermanentError, match="no object"):
        await office.bus.get(SCHEDULE_FILES, kept.request.input_file.blob)

"""Build sessions as a service: what is kept of them, several at once, and a process that is killed at any write."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from msgspec.structs import replace

from services.workflows.build_handlers import build_actor
from services.workflows.builds.build_sessions import BuildSessions
from services.workflows.builds.build_store import drop_session
from shared.aio import wait_for_first
from shared.contracts.actions import Screenshot
from shared.contracts.questions import QuestionAnswer
from shared.contracts.workflows import builds
from shared.contracts.workflows.build_events import (
    ActionRecorded,
    BuildEvent,
    QuestionsAsked,
    RowBegun,
    Told,
    ValueRecorded,
)
from shared.flows.building.state import replayed
from shared.recordings.packing import unpack_recording
from shared.streams import ARTIFACTS, BUILD_EVENTS, BUILD_FILES, BUILDS
from shared.subjects import LIST_BUILDS, LOAD_BUILD_FILE, READ_BUILD, READ_BUILD_FILE, STORE_BUILD_FILE
from shared.testing.bus import MemoryBus
from tests.handlers.planner.scripted_pool import ScriptedPool, pool
from tests.handlers.workflows.build_asker import GO, PRESS, READ, SPEC, Asker, record
from tests.waiting import until_asked

WRITES, SURE_WRITES = 18, 10
"""Of the session that is killed. Events that come together are stored together: so many writes there are at least."""


class Killed(BaseException):
    """The process has ended: nothing after the write that it was at is done."""


class KilledBus(MemoryBus):
    """Ends the process at a write, by its number from 1; 0: never."""

    def __init__(self) -> None:
        super().__init__()
        self.writes, self.kill_at, self.batch_reads = 0, 0, 0
        self.killed = asyncio.Event()
        self.fault: Exception | None = None
        """What is raised where a file is stored."""

    def _write(self) -> None:
        self.writes += 1
        if self.kill_at and self.writes >= self.kill_at:
            self.killed.set()
            raise Killed

    async def read(self, bucket: Any, key: str, type_: Any) -> Any:
        self.batch_reads += bucket == BUILD_EVENTS
        return await super().read(bucket, key, type_)

    async def create(self, bucket: Any, key: str, value: Any) -> bool:
        self._write()
        return await super().create(bucket, key, value)

    async def modify(self, bucket: Any, key: str, type_: Any, change: Any) -> Any:
        self._write()
        return await super().modify(bucket, key, type_, change)

    async def put(self, bucket: Any, name: str, data: Any) -> None:
        self._write()
        if self.fault is not None:
            raise self.fault
        await super().put(bucket, name, data)


class World:
    """A bus with a pool and processes of the library; the one that was started last answers."""

    def __init__(self) -> None:
        self.bus = KilledBus()
        self.pool = ScriptedPool({f"http://site/{one}": [record(one)] for one in "AB"})
        self.bus.host(pool, self.pool)
        self.processes: list[BuildSessions] = []

    def start(self) -> BuildSessions:
        sessions = BuildSessions(self.bus, f"process{len(self.processes) + 1}")
        self.processes.append(sessions)
        self.bus.host(build_actor, _Deps(sessions))
        return sessions


@pytest_asyncio.fixture
async def world() -> AsyncGenerator[World]:
    one = World()
    yield one
    for sessions in one.processes:
        await sessions.close()


class _Deps:
    """Of the part of the actor that is asked here."""

    def __init__(self, sessions: BuildSessions) -> None:
        self.builds = sessions


async def test_a_session_goes_on_in_another_process_where_it_was_left(world: World):
    world.start()
    ann = Asker(world.bus, "one")
    await ann.open()
    for command in (builds.BeginWork(), GO, builds.FinishTodo(), PRESS, READ):
        await ann.do(command)
    before = replayed(ann.events)
    assert before.steps == {1: (1,), 2: (2,)}

    world.start()  # the first has ended without a word
    other = Asker(world.bus, "one")
    opened = await other.open()
    assert opened.instance_id == "process2"
    assert opened.events == len(ann.events)
    told = await other.do(builds.BeginWork())
    assert [one.text for one in told.questions] == [
        "Row A was left at TODO 2 (Read number, status), and its browser is a new one. How to get there?"
    ]
    assert other.events[: len(ann.events)] == ann.events
    await other.do(builds.GiveAnswers(answers=(QuestionAnswer(question=told.questions[0].text, text="by hand"),)))
    await other.do(GO)
    await other.do(READ)
    state = replayed(other.events)
    assert state.steps == {1: (1,), 2: (2, 3)}  # the browser is a new one, what was recorded is there
    assert state.values == before.values
    assert [one.shown for one in other.events if isinstance(one, ValueRecorded)] == ["Open", "Open"]


async def test_the_process_that_had_a_session_before_does_nothing_more_in_it(world: World):
    first = world.start()
    ann = Asker(world.bus, "one")
    await ann.open()
    await ann.do(builds.BeginWork())
    world.start()
    await Asker(world.bus, "one").open()
    # As the first process would go on: it cannot store what it does.
    known = len(ann.events)
    request = builds.DoInBuild(build_id="one", instance_id="process1", command_id="x", command=GO)
    assert isinstance(first.do(request), builds.BuildAccepted)
    change, closed = ann.change, False
    while not closed:
        follow = builds.FollowBuild(build_id="one", instance_id="process1", since=known, change=change, wait_s=20)
        told = await first.follow(follow)
        assert isinstance(told, builds.BuildFollowed)
        assert told.events == ()
        change, closed = told.change, told.closed
    again = first.do(builds.DoInBuild(build_id="one", instance_id="process1", command_id="y", command=GO))
    assert isinstance(again, builds.BuildRefused)
    assert again.code == "taken_over"

    async def given_back() -> bool:
        return not world.pool.held

    await until_asked(given_back, "the browser of the session")


async def test_a_session_that_cannot_be_stored_for_a_reason_that_nobody_knows_is_closed(world: World):
    world.start()
    ann = Asker(world.bus, "one")
    await ann.open()
    await ann.do(builds.BeginWork())
    world.bus.fault = OSError("what nobody has thought of")
    await ann.send(GO)
    async with asyncio.timeout(30):
        while not (await ann.follow()).closed:
            pass


async def test_several_sessions_are_at_work_at_once(world: World):
    sessions = world.start()
    one, two = Asker(world.bus, "one"), Asker(world.bus, "two")
    for asker in (one, two):
        await asker.open()
        await asker.do(builds.BeginWork())
    await one.do(GO)
    await two.do(builds.RenameTodo(number=1, title="Go there"))
    assert [event.url for event in one.events if isinstance(event, ActionRecorded)] == ["http://site/A"]
    assert not [event for event in two.events if isinstance(event, ActionRecorded)]
    assert [todo.title for todo in replayed(one.events).todos] == ["Open the record", "Read number, status"]
    assert [todo.title for todo in replayed(two.events).todos] == ["Go there", "Read number, status"]
    assert len(world.pool.held) == 2
    await sessions.close()
    assert not world.pool.held


@pytest.mark.parametrize("write", range(1, WRITES + 1))
async def test_a_process_that_is_killed_at_any_write_leaves_no_event_without_its_file(world: World, write: int):
    bus = world.bus
    sessions = world.start()
    ann = Asker(bus, "one")
    bus.kill_at = write
    try:
        await ann.open()
        for command in (builds.BeginWork(), GO, builds.FinishTodo(), PRESS, READ):
            command_id, _ = await ann.send(command)
            while True:
                following = asyncio.ensure_future(ann.follow())
                await wait_for_first(following, bus.killed.wait())
                if bus.killed.is_set():
                    following.cancel()
                    raise Killed
                if command_id in (await following).done:
                    break
    except Killed:
        pass
    assert bus.killed.is_set() or write > SURE_WRITES
    await _kill(sessions)

    bus.kill_at = 0
    world.start()
    other = Asker(bus, "one")
    opened = await other.open()
    stored = [event for batch in _batches(bus) for event in batch]
    assert opened.events == len(stored) >= len(ann.events)
    state = replayed(stored)
    samples = {path for path in opened.files if path.startswith("samples/") and path.endswith(".zst")}
    for path, sha256 in opened.files.items():
        assert await bus.get(BUILD_FILES, f"one.{sha256}") is not None, path
    if state.steps or state.values:
        [path] = samples
        sample = unpack_recording(await bus.get(BUILD_FILES, f"one.{opened.files[path]}"))
        known = {step for steps in state.steps.values() for step in steps}
        assert known <= {step.step for step in sample.steps}
        assert {name for names in state.values.values() for name in names} <= {one.field for one in sample.values}
    if state.ever_done:
        assert "scratch_work/01_open_the_record.py" in opened.files
    told = await other.do(builds.BeginWork())  # and it goes on
    cut_off = [
        event
        for event in other.events
        if isinstance(event, Told) and event.outcome is not None and event.outcome.code == "act_unknown"
    ]
    assert bool(cut_off) == bool(state.acting)
    assert told.questions or [event for event in other.events if isinstance(event, RowBegun)]


async def test_a_session_goes_on_with_a_spec_that_has_changed_and_says_so(world: World):
    world.start()
    ann = Asker(world.bus, "one")
    await ann.open()
    for command in (builds.BeginWork(), GO, builds.FinishTodo(), READ):
        await ann.do(command)
    outputs = {"number": "string", "status": "number", "owner": "string | null"}
    again = Asker(world.bus, "one", spec={**SPEC, "output_schema": outputs})
    await again.open()  # in the process that has it
    told = await again.do(builds.BeginWork())
    assert told.questions, "how to get to where the row was left"
    found = [one.outcome for one in again.events if isinstance(one, Told) and one.outcome is not None]
    [changed] = [one for one in found if one.code == "spec_changed"]
    assert changed.details[0].startswith("new: owner: TODO 3 (Read owner) is new")
    [dropped] = [one for one in found if one.code == "value_not_taken_up"]
    assert (dropped.row, dropped.fields) == ("A", ("status",))
    assert [(one.number, one.fields) for one in again.state.todos][-1] == (3, ("owner",))

    same = Asker(world.bus, "one", spec=again.spec)
    await same.open()
    await same.do(builds.BeginWork())
    codes = [one.outcome.code for one in same.events if isinstance(one, Told) and one.outcome is not None]
    assert codes.count("spec_changed") == 1


async def test_a_row_that_is_finished_with_fields_open_says_so(world: World):
    world.start()
    ann = Asker(world.bus, "one")
    await ann.open()
    for command in (builds.BeginWork(), GO, builds.FinishTodo(), READ, builds.AddTodo(title="Look")):
        await ann.do(command)
    for number in (2, 3):  # the first of them is to read number and status
        await ann.do(builds.DeleteTodo(number=number))
    outcomes = [one.outcome for one in ann.events if isinstance(one, Told) and one.outcome is not None]
    assert [(one.row, one.fields) for one in outcomes if one.code == "all_done"] == [("A", ("number", "status"))]
    assert replayed(ann.events).finished == ("A",)


async def test_what_is_asked_is_answered_by_one_of_its_options_or_in_words(world: World):
    world.start()
    ann = Asker(world.bus, "one")
    await ann.open()
    for command in (builds.BeginWork(), GO, builds.FinishTodo()):
        await ann.do(command)
    world.start()
    await ann.open()
    ann.change = -1
    told = await ann.do(builds.BeginWork())
    [question] = told.questions
    for wrong in (
        QuestionAnswer(question=question.text, chosen=("something else",)),
        QuestionAnswer(question=question.text, chosen=question.options),
        QuestionAnswer(question=question.text),
        QuestionAnswer(question="Another one?", text="yes"),
    ):
        _, reply = await ann.send(builds.GiveAnswers(answers=(wrong,)))
        assert isinstance(reply, builds.BuildRefused), wrong
        assert reply.code == "not_valid"
    right = (QuestionAnswer(question=question.text, chosen=question.options[:1]),)
    for answers in (right, ()):  # of another question, which may have been one of the same words
        _, reply = await ann.send(builds.GiveAnswers(answers=answers, asked=told.asked + 1))
        assert isinstance(reply, builds.BuildRefused)
    assert isinstance(ann.events[-1], QuestionsAsked)
    _, reply = await ann.send(builds.GiveAnswers(answers=(), asked=told.asked))
    assert isinstance(reply, builds.BuildAccepted)


async def test_a_closed_session_that_is_too_old_is_dropped_and_one_that_is_open_is_not(world: World):
    sessions = world.start()
    closed, left = Asker(world.bus, "one"), Asker(world.bus, "two")
    for one in (closed, left):
        await one.open()
        for command in (builds.BeginWork(), GO, builds.FinishTodo(), READ):
            await one.do(command)
    await closed.do(builds.CloseBuild())
    record = await world.bus.read(BUILDS, "one", builds.BuildRecord)
    assert record is not None
    assert record.closed_at is not None
    assert await sessions.drop_closed(record.closed_at) == []
    later = record.closed_at + timedelta(days=31)
    assert await sessions.drop_closed(later) == ["one"]
    assert {name.split(".")[0] for name in _blobs(world.bus)} == {"two"}
    assert {key.split(".")[0] for key, batch in _stored(world.bus).items() if batch.events} == {"two"}
    assert await sessions.drop_closed(later) == []

    again = Asker(world.bus, "one")
    opened = await again.open()
    assert (opened.events, opened.files) == (0, {})
    for command in (builds.BeginWork(), GO, builds.FinishTodo()):
        await again.do(command)
    world.start()  # and it goes on as any other
    other = Asker(world.bus, "one")
    assert (await other.open()).events == len(again.events)
    assert replayed(again.events).steps == {1: (1,)}


async def test_a_session_whose_dropping_was_cut_off_is_dropped_before_it_is_opened(world: World):
    sessions = world.start()
    ann = Asker(world.bus, "one")
    await ann.open()
    for command in (builds.BeginWork(), GO, builds.FinishTodo(), builds.CloseBuild()):
        await ann.do(command)
    before = _blobs(world.bus)
    await world.bus.modify(
        BUILDS, "one", builds.BuildRecord, lambda known: None if known is None else replace(known, dropping=True)
    )
    assert before
    again = Asker(world.bus, "one")
    assert (await again.open()).events == 0
    assert _blobs(world.bus) == set()
    await again.do(builds.BeginWork())
    assert await sessions.drop_closed(datetime(2100, 1, 1, tzinfo=UTC)) == [], "it is open"


class HeldUpBus(KilledBus):
    """Of another process: it is held up once, at its first call of a kind for events."""

    def __init__(self, bus: KilledBus, call: str) -> None:
        self.__dict__.update(bus.__dict__)
        self.call, self.asked, self.may = call, asyncio.Event(), asyncio.Event()

    async def _held_up(self, bucket: Any, call: str) -> None:
        if bucket == BUILD_EVENTS and call == self.call:
            self.asked.set()
            await self.may.wait()

    async def read(self, bucket: Any, key: str, type_: Any) -> Any:
        await self._held_up(bucket, "read")
        return await super().read(bucket, key, type_)

    async def modify(self, bucket: Any, key: str, type_: Any, change: Any) -> Any:
        await self._held_up(bucket, "modify")
        return await super().modify(bucket, key, type_, change)


@pytest.mark.parametrize("call", ["read", "modify"])
async def test_of_two_processes_that_drop_a_session_none_drops_the_next_one_of_its_name(world: World, call: str):
    sessions = world.start()
    old = Asker(world.bus, "one")
    await old.open()
    for command in (builds.BeginWork(), GO, builds.FinishTodo(), builds.CloseBuild()):
        await old.do(command)
    record = await world.bus.read(BUILDS, "one", builds.BuildRecord)
    assert record is not None
    slow = HeldUpBus(world.bus, call)
    dropping = asyncio.ensure_future(drop_session(slow, "one", record.closed_at))
    await wait_for_first(slow.asked.wait(), dropping, timeout_s=60)
    assert not dropping.done()
    await sessions.drop_closed(datetime(2100, 1, 1, tzinfo=UTC))

    new = Asker(world.bus, "one")
    await new.open()
    for command in (builds.BeginWork(), GO, builds.FinishTodo()):
        await new.do(command)
    slow.may.set()
    await dropping
    world.start()
    other = Asker(world.bus, "one")
    assert (await other.open()).events == len(new.events)
    await other.follow()
    assert other.events[: len(new.events)] == new.events


async def test_a_client_stores_scratch_work_and_nothing_else_of_a_session_at_work(world: World):
    world.start()
    ann = Asker(world.bus, "one")
    await ann.open()
    await ann.do(builds.BeginWork())

    async def store(path: str) -> str:
        request = builds.StoreBuildFile(build_id="one", instance_id=ann.instance_id, path=path, data=b"pass\n")
        reply = await world.bus.ask(STORE_BUILD_FILE, request)
        return "stored" if isinstance(reply, builds.BuildFileStored) else reply.code

    assert await store("scratch_work/01_open.py") == "stored"
    for path in ("workspace/flow.py", "scratch_work/../workspace/flow.py", "/etc/passwd", "conversation.jsonl", "a.py"):
        assert await store(path) == "not_valid", path
    load = builds.LoadBuildFile(build_id="one", instance_id=ann.instance_id, path="../../etc/passwd")
    assert isinstance(await world.bus.ask(LOAD_BUILD_FILE, load), builds.BuildRefused)


def _blobs(bus: MemoryBus) -> set[str]:
    return {name for bucket, name in bus._blobs if bucket == BUILD_FILES.name}


def _stored(bus: MemoryBus) -> dict[str, builds.BuildBatch]:
    found = {key: value for (bucket, key), value in bus._records.items() if bucket == BUILD_EVENTS.name}
    return {key: msgspec.json.decode(value, type=builds.BuildBatch) for key, value in found.items()}


def _batches(bus: MemoryBus) -> list[tuple[BuildEvent, ...]]:
    found = {key: value for (bucket, key), value in bus._records.items() if bucket == BUILD_EVENTS.name}
    keys = sorted(found, key=lambda key: int(key.rpartition(".")[2]))
    assert BUILDS.name in {bucket for bucket, _ in bus._records} or not keys
    return [msgspec.json.decode(found[key], type=builds.BuildBatch).events for key in keys]


async def _kill(sessions: BuildSessions) -> None:
    """End all work of a process at once, as if it were killed: nothing is saved, nothing given back."""
    for running in sessions._running.values():
        running.closed = True
        await running._tasks.cancel()


async def test_what_is_kept_of_a_session_is_read_by_any_process_and_opens_nothing(world: World):
    world.start()
    ann = Asker(world.bus, "one")
    await ann.open()
    for command in (builds.BeginWork(), GO, READ):
        await ann.do(command)
    world.start()  # another process answers now
    listed = await world.bus.ask(LIST_BUILDS, builds.ListBuilds())
    [line] = listed.builds
    assert (line.build_id, line.task_id, line.rows, line.standing.todos) == ("one", "records", 2, len(ann.state.todos))
    assert line.standing.changed_at == ann.events[-1].at
    kept = await world.bus.ask(READ_BUILD, builds.ReadBuild(build_id="one"))
    assert isinstance(kept, builds.BuildRead)
    assert kept.record is not None
    assert kept.record.owner == "process1"
    for since in (0, 3, len(ann.events)):
        read = await world.bus.ask(READ_BUILD, builds.ReadBuild(build_id="one", since=since))
        assert isinstance(read, builds.BuildRead)
        assert list(read.events) == ann.events[since:]
    sha256 = next(sha256 for path, sha256 in kept.record.files.items() if path.startswith("samples/"))
    part = await world.bus.ask(READ_BUILD_FILE, builds.ReadBuildFile(build_id="one", sha256=sha256))
    assert isinstance(part, builds.BuildFilePart)
    assert unpack_recording(part.data).sample_id == "A"
    for build_id, named in (("one", "0" * 64), ("none", sha256)):
        refused = await world.bus.ask(READ_BUILD_FILE, builds.ReadBuildFile(build_id=build_id, sha256=named))
        assert isinstance(refused, builds.BuildRefused)


async def test_events_of_many_batches_come_in_messages_that_are_small_enough(world: World):
    long = "x" * 150_000
    for number in range(1, 8):
        batch = builds.BuildBatch(first=number, events=(Told(at="2026-11-29T10:00:00+00:00", text=f"{number}{long}"),))
        await world.bus.create(BUILD_EVENTS, f"one.{number}", batch)
    await world.bus.create(BUILDS, "one", builds.BuildRecord(build_id="one", owner="", spec=SPEC, rows=(), by="ann"))
    world.start()
    found: list[BuildEvent] = []
    messages = 0
    while True:
        messages += 1
        read = await world.bus.ask(READ_BUILD, builds.ReadBuild(build_id="one", since=len(found)))
        assert isinstance(read, builds.BuildRead)
        assert len(msgspec.json.encode(read)) < 500_000
        if not read.events:
            break
        found += read.events
    assert [one.text[0] for one in found if isinstance(one, Told)] == list("1234567")
    assert world.bus.batch_reads <= 7 + 2 * messages, "each message begins at its own batch, and looks one further"


async def test_a_capture_keeps_its_name_when_a_step_before_it_is_left_out(world: World):
    world.start()
    ann = Asker(world.bus, "one")
    await ann.open()
    await ann.do(builds.BeginWork())
    await ann.do(builds.AddTodo(title="Take it again"))
    first, second = ann.state.todos[0].number, ann.state.todos[-1].number
    taken = builds.ActOnRow(action=Screenshot(label="record"))
    turns = (builds.ChooseTodo(number=second), taken, builds.ChooseTodo(number=first), builds.UndoStep(), taken)
    told = await ann.do(GO)
    for command in (taken, *turns):
        await world.bus.put(ARTIFACTS, "blob-record", b"a picture")
        told = await ann.do(command)
    path = next(path for path in told.files if path.startswith("samples/A-"))
    sample = unpack_recording(await world.bus.get(BUILD_FILES, f"one.{told.files[path]}"))
    names = [filed.filename for step in sample.steps for filed in step.artifacts]
    assert names == ["02_record.png", "03_record.png"]


async def test_a_picture_that_was_taken_before_its_page_was_reached_anew_is_to_be_taken_again(world: World):
    world.start()
    ann = Asker(world.bus, "one", spec={**SPEC, "required_artifacts": ["screenshot:record"]})
    await ann.open()
    taken = builds.ActOnRow(action=Screenshot(label="record"))
    reads = [builds.ReadValue(field=one, where=("beside", one.title())) for one in ("number", "status")]
    for command in (builds.BeginWork(), GO, builds.FinishTodo(), *reads, builds.FinishTodo(), taken):
        await world.bus.put(ARTIFACTS, "blob-record", b"a picture")
        await ann.do(command)
    await ann.do(builds.FinishTodo())
    assert ann.state.row_done
    await ann.do(builds.ReopenTodo(number=1))
    await ann.do(builds.UndoStep())
    assert ann.state.todos[2].state == "done", "nothing was done anew so far"
    await ann.do(GO)
    assert [one.state for one in ann.state.todos] == ["doing", "doing", "doing"]
    assert (ann.state.steps[3], ann.state.values) == ((), {})
    told = [one.outcome for one in ann.events if isinstance(one, Told) and one.outcome is not None
            and one.outcome.code == "todo_open_again"]  # fmt: skip
    assert [todo.number for one in told for todo in one.todos] == [2, 3]
    await ann.do(builds.FinishTodo())
    assert ann.state.current is not None
    assert ann.state.current.number == 2
    await ann.do(builds.FinishTodo())
    assert ann.state.current.number == 2, "what was read before does not count"

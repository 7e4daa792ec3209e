"""The common suite of all buses; `test_bus.py` runs it on the real one and on the one in memory."""

from __future__ import annotations

import asyncio
import threading
import uuid
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from shared.bus.actor import Actor
from shared.contracts.base import Usage, add_usage
from shared.contracts.browser.live import NothingNew, WatchReply, WatchSample
from shared.contracts.discovery import PopulationClosed, RunAccepted, RunRecord, Sample, SubmitReply, SubmitRun
from shared.contracts.evidence import LoadReply, LoadRun, RunUnknown
from shared.contracts.planner import WorkSample
from shared.errors import ExhibitError, PermanentError, RateLimited, TransientError, Unavailable
from shared.host.nats_server import MAX_PAYLOAD_BYTES
from shared.streams import ARTIFACTS, RUNS, SAMPLES, SPENDING, WORKFLOW_CHOICES
from shared.subjects import LOAD_RUN, POPULATION_CLOSED, SUBMIT_RUN, WATCH_SAMPLE, WORK_SAMPLE, subjects_of_run
from tests.raising import raises_code
from tests.waiting import until_asked

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def unique(prefix: str) -> str:
    return f"{prefix}_{uuid.uuid4().hex[:12]}"


async def one_answer(bus: Any, asked: WatchSample) -> bool:
    try:
        return bool(await bus.ask(WATCH_SAMPLE, asked))
    except Unavailable:
        return False


OF_NO_LIST: Any = "odd"
"""An unknown error code."""


class BusSuite:
    """Subclasses provide a fixture `served`: async (actor, deps) -> the bus of a client of that actor."""

    async def test_an_ask_gets_the_handlers_reply(self, served):
        actor: Actor[str] = Actor("echo")

        @actor.answers(SUBMIT_RUN)
        async def submit(request: SubmitRun, deps: str) -> SubmitReply:
            return RunAccepted(run_id=f"{deps}-{request.requested_by}", samples=1)

        bus = await served(actor, "deps")
        reply = await bus.ask(SUBMIT_RUN, SubmitRun(requested_by="Zoë"))
        assert reply == RunAccepted(run_id="deps-Zoë", samples=1)

    async def test_what_is_held_is_asked_of_who_has_it_and_of_nobody_before_and_after(self, served):
        actor: Actor[str] = Actor("holder")

        @actor.answers(WATCH_SAMPLE)
        async def watch(request: WatchSample, deps: str) -> WatchReply:
            return NothingNew(session_id=deps)

        bus, run_id = await served(actor, "here"), unique("run")
        asked = WatchSample(run_id=run_id, sample_id="S-1")

        async def told() -> str:
            try:
                return (await bus.ask(WATCH_SAMPLE, asked)).session_id
            except Unavailable as exc:
                return exc.code

        async def is_told(wanted: str) -> bool:
            return await told() == wanted

        assert await told() == "no_responders"
        bus.take_seat(WATCH_SAMPLE, run_id, "S-1")
        bus.take_seat(WATCH_SAMPLE, run_id, "S-1")
        await until_asked(lambda: is_told("here"), "who has the sample")
        other = msgspec.structs.replace(asked, sample_id="S-2")
        with raises_code(Unavailable, "no_responders"):
            await bus.ask(WATCH_SAMPLE, other)
        bus.leave_seat(WATCH_SAMPLE, run_id, "S-1")
        bus.take_seat(WATCH_SAMPLE, run_id, "S-2")
        await until_asked(lambda: one_answer(bus, other), "who has the other one")
        assert await told() == "here"  # it was taken twice
        bus.leave_seat(WATCH_SAMPLE, run_id, "S-1")
        await until_asked(lambda: is_told("no_responders"), "nobody has it any more")

    async def test_what_stands_in_the_work_queue_is_known_to_stand_there(self, served):
        actor: Actor[None] = Actor("nobody")
        bus = await served(actor, None)
        sample = Sample(sample_id=f"S-{uuid.uuid4().hex}", key="S", row=1)
        work = WorkSample(run_id="run_holds", sample_id=sample.sample_id, sample=sample)
        assert not await bus.is_queued(SAMPLES, WORK_SAMPLE, work)
        await bus.publish(WORK_SAMPLE, work)
        assert await bus.is_queued(SAMPLES, WORK_SAMPLE, work)

    @pytest.mark.parametrize(
        ("raised", "kind", "code", "words"),
        [
            (PermanentError("no, 李娜\nnever", code=OF_NO_LIST), PermanentError, "odd", "no, 李娜\nnever"),
            (RateLimited("slow down", retry_after_s=7), TransientError, "rate_limited", "slow down"),
            (KeyError("secret"), TransientError, "internal", "internal error (KeyError)"),
        ],
    )
    async def test_a_failure_arrives_as_its_code_and_words(self, served, raised, kind, code, words):
        actor: Actor[None] = Actor("failing")

        @actor.answers(LOAD_RUN)
        async def load(request: LoadRun, deps: None) -> LoadReply:
            raise raised

        bus = await served(actor, None)
        with pytest.raises(ExhibitError) as caught:
            await bus.ask(LOAD_RUN, LoadRun(run_id="r"))
        assert isinstance(caught.value, kind)
        assert (caught.value.code, str(caught.value)) == (code, words)
        assert getattr(caught.value, "retry_after_s", None) == getattr(raised, "retry_after_s", None)

    async def test_nobody_listening_is_said_at_once(self, served):
        bus = await served(Actor("silent"), None)
        with raises_code(TransientError, "no_responders"):
            await bus.ask(LOAD_RUN, LoadRun(run_id="r"))

    async def test_a_gated_ask_is_answered_only_while_open(self, served):
        actor: Actor[None] = Actor("gated")

        @actor.answers(LOAD_RUN, gated=True)
        async def load(request: LoadRun, deps: None) -> LoadReply:
            return RunUnknown(run_id=request.run_id, message="")

        bus = await served(actor, None)
        await bus.ask(LOAD_RUN, LoadRun(run_id="r"))
        await bus.set_open(LOAD_RUN, False)
        # The server hears of it a moment later; until then the actor still answers.
        assert await eventually(bus, "no_responders")
        await bus.set_open(LOAD_RUN, True)
        assert await eventually(bus, "answered")

    async def test_an_answer_the_bus_cannot_carry_is_a_failure_and_not_silence(self, served):
        actor: Actor[None] = Actor("large")

        @actor.answers(LOAD_RUN)
        async def load(request: LoadRun, deps: None) -> LoadReply:
            return RunUnknown(run_id=request.run_id, message="x" * (MAX_PAYLOAD_BYTES + 1))

        bus = await served(actor, None)
        with raises_code(PermanentError, "too_large"):
            await bus.ask(LOAD_RUN, LoadRun(run_id="r"), timeout_s=60)

    async def test_events_of_a_run_are_read_back_from_any_of_them_on(self, served):
        bus, run_id, other = await served(Actor("none"), None), unique("run"), unique("run")
        for number in (1, 2, 3):
            for each in (run_id, other):
                await bus.publish(POPULATION_CLOSED, PopulationClosed(run_id=each, samples=number, attempt_base=number))
        subjects = subjects_of_run(run_id)
        everything = await bus.read_events(subjects, 0, 10)
        assert [msgspec.json.decode(one.data, type=PopulationClosed).samples for one in everything] == [1, 2, 3]
        sequences = [one.sequence for one in everything]
        assert sequences == sorted(set(sequences))
        assert [one.sequence for one in await bus.read_events(subjects, sequences[1], 10)] == sequences[1:]
        assert [one.sequence for one in await bus.read_events(subjects, 0, 2)] == sequences[:2]
        assert await bus.read_events(subjects, sequences[-1] + 1000, 10) == []
        assert await bus.read_events(subjects_of_run(unique("run")), 0, 10) == []

    async def test_a_record_is_created_once(self, served):
        bus = await served(Actor("none"), None)
        key, first = unique("run"), record("first")
        assert await bus.read(RUNS, key, RunRecord) is None
        assert await bus.create(RUNS, key, first)
        assert not await bus.create(RUNS, key, record("second"))
        assert await bus.read(RUNS, key, RunRecord) == first

    async def test_a_record_is_replaced_by_what_is_made_of_it(self, served):
        bus, key, known = await served(Actor("none"), None), unique("run"), []

        def change(value):
            known.append(value)
            return record("first") if value is None else record("second")

        assert await bus.modify(RUNS, key, RunRecord, change) == record("first")
        assert await bus.modify(RUNS, key, RunRecord, change) == record("second")
        assert await bus.read(RUNS, key, RunRecord) == record("second")
        assert known == [None, record("first")]

    async def test_all_records_are_read_and_each_change_raises_the_revision(self, served):
        bus, keys = await served(Actor("none"), None), [unique("run"), unique("run")]
        revisions = [await bus.revision(RUNS)]
        for key in keys:
            await bus.create(RUNS, key, record(key))
            revisions.append(await bus.revision(RUNS))
        await bus.modify(RUNS, keys[0], RunRecord, lambda _: record("changed"))
        revisions.append(await bus.revision(RUNS))
        found = await bus.read_all(RUNS, RunRecord)
        assert [found[key] for key in keys] == [record("changed"), record(keys[1])]
        assert revisions == sorted(set(revisions))

    async def test_what_was_just_stored_is_always_read(self, served):
        bus, key = await served(Actor("none"), None), unique("source")
        await bus.create(WORKFLOW_CHOICES, key, record("first"))
        for _ in range(30):
            assert key in await bus.read_all(WORKFLOW_CHOICES, RunRecord)

    async def test_an_empty_bucket_has_no_records(self, served, new_bucket):
        bus = await served(Actor("none"), None)
        bucket = await new_bucket(bus)
        assert await bus.read_all(bucket, RunRecord) == {}
        await bus.create(bucket, "one", record("first"))
        assert await bus.read_all(bucket, RunRecord) == {"one": record("first")}

    async def test_a_record_of_which_nothing_is_made_stays_as_it_is(self, served):
        bus, key = await served(Actor("none"), None), unique("run")
        assert await bus.modify(RUNS, key, RunRecord, lambda _: None) is None
        assert await bus.read(RUNS, key, RunRecord) is None
        await bus.create(RUNS, key, record("first"))
        assert await bus.modify(RUNS, key, RunRecord, lambda _: None) is None
        assert await bus.read(RUNS, key, RunRecord) == record("first")

    async def test_no_change_is_lost_where_many_come_at_once(self, served):
        bus, key = await served(Actor("none"), None), unique("run")
        await asyncio.gather(*(bus.modify(SPENDING, key, Usage, one_call_more) for _ in range(20)))
        assert await bus.read(SPENDING, key, Usage) == Usage(llm_calls=20)

    async def test_a_change_that_fails_leaves_the_record_as_it_is(self, served):
        bus, key = await served(Actor("none"), None), unique("run")
        await bus.create(RUNS, key, record("first"))
        with pytest.raises(ZeroDivisionError):
            await bus.modify(RUNS, key, RunRecord, lambda _: 1 // 0)
        assert await bus.modify(RUNS, key, RunRecord, lambda _: record("second")) == record("second")

    async def test_what_is_stored_is_heard(self, served):
        bus, key, heard = await served(Actor("none"), None), unique("run"), asyncio.Queue()
        await bus.watch(RUNS, RunRecord, lambda key, value: heard.put_nowait((key, value)))
        await bus.create(RUNS, key, record("first"))
        await bus.modify(RUNS, key, RunRecord, lambda _: record("second"))
        of_ours = []
        while len(of_ours) < 2:
            told, value = await asyncio.wait_for(heard.get(), 60)
            of_ours += [value] if told == key else []
        assert of_ours == [record("first"), record("second")]

    async def test_blobs_of_any_size_come_back_whole_until_removed(self, served):
        bus = await served(Actor("none"), None)
        name = f"{unique('run')}/TCK-1/ä b.png"
        for data in (b"", b"x", bytes(range(256)) * 4096):
            await bus.put(ARTIFACTS, name, data)
            assert await bus.get(ARTIFACTS, name) == data
        await bus.remove(ARTIFACTS, name)
        await bus.remove(ARTIFACTS, name)
        taken = Taking()
        for ask in (bus.get(ARTIFACTS, name), bus.fetch(ARTIFACTS, name, taken)):
            with raises_code(PermanentError, "no_blob"):
                await ask
        assert taken.pieces == []

    async def test_blobs_are_fetched_piece_by_piece(self, served):
        bus = await served(Actor("none"), None)
        name = f"{unique('run')}/TCK-1/ä big.zip"
        for size in (0, 1, 5_000_000):
            data = bytes(range(250)) * (size // 250) + b"z" * (size % 250)
            await bus.put(ARTIFACTS, name, data)
            taken = Taking()
            await bus.fetch(ARTIFACTS, name, taken)
            assert b"".join(taken.pieces) == data
            assert all(len(piece) <= 1024 * 1024 for piece in taken.pieces)
            assert taken.in_loop == 0

    async def test_a_sink_that_fails_ends_the_fetching(self, served):
        bus = await served(Actor("none"), None)
        name = f"{unique('run')}/TCK-1/big.zip"
        await bus.put(ARTIFACTS, name, b"x" * 3_000_000)
        with pytest.raises(OSError, match="disk"):
            await bus.fetch(ARTIFACTS, name, Taking(fails_at=1_000_000))
        whole = Taking()
        await bus.fetch(ARTIFACTS, name, whole)
        assert sum(map(len, whole.pieces)) == 3_000_000

    async def test_a_source_is_put_piece_by_piece(self, served):
        bus = await served(Actor("none"), None)
        name = f"{unique('run')}/TCK-1/big.zip"
        for size in (0, 1, 5_000_000):
            source = Counting(bytes(range(250)) * (size // 250) + b"z" * (size % 250))
            await bus.put(ARTIFACTS, name, source)
            assert await bus.get(ARTIFACTS, name) == source.data
            assert source.largest <= 1024 * 1024
            assert source.in_loop == 0

    async def test_a_source_that_fails_leaves_nothing_behind(self, served):
        bus = await served(Actor("none"), None)
        name = f"{unique('run')}/TCK-1/broken.zip"
        with pytest.raises(OSError, match="disk"):
            await bus.put(ARTIFACTS, name, Counting(b"x" * 3_000_000, fails_at=2_000_000))
        with raises_code(PermanentError, "no_blob"):
            await bus.get(ARTIFACTS, name)

    async def test_a_second_publishing_of_the_same_fact_counts_once(self, served, published):
        bus = await served(Actor("none"), None)
        run_id = unique("run")
        for samples in (1, 2):
            await bus.publish(POPULATION_CLOSED, PopulationClosed(run_id=run_id, samples=samples))
        assert await published(bus, run_id) == [PopulationClosed(run_id=run_id, samples=1)]


class Counting:
    """A source that records the size of each read, and the reads on the event loop's thread."""

    def __init__(self, data: bytes, fails_at: int | None = None) -> None:
        self.data = data
        self.largest = 0
        self.in_loop = 0
        self._at = 0
        self._fails_at = fails_at

    def readinto(self, buffer: bytearray, /) -> int:
        self.largest = max(self.largest, len(buffer))
        self.in_loop += threading.current_thread() is threading.main_thread()
        if self._fails_at is not None and self._at >= self._fails_at:
            raise OSError("the disk is gone")
        piece = self.data[self._at : self._at + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


class Taking:
    """A sink that records the pieces, and the calls on the event loop's thread."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.pieces: list[bytes] = []
        self.in_loop = 0
        self._fails_at = fails_at

    def write(self, data: bytes, /) -> int:
        self.in_loop += threading.current_thread() is threading.main_thread()
        if self._fails_at is not None and sum(map(len, self.pieces)) >= self._fails_at:
            raise OSError("the disk is gone")
        self.pieces.append(data)
        return len(data)


async def eventually(bus, wanted: str) -> bool:
    async def comes_to_it() -> bool:
        try:
            await bus.ask(LOAD_RUN, LoadRun(run_id="r"))
        except TransientError as exc:
            return exc.code == wanted
        return wanted == "answered"

    return await until_asked(comes_to_it, wanted)


def one_call_more(usage: Usage | None) -> Usage:
    return add_usage(usage or Usage(), Usage(llm_calls=1))


def record(name: str) -> RunRecord:
    return RunRecord(run_id=name, spec={"goal": "g"}, planner=None, concurrency=1, created_at=NOON)

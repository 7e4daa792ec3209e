"""Discovery's replies to run requests, on the bus in memory."""

from __future__ import annotations

import hashlib
import io
from datetime import date

import msgspec
import pytest
import xlsxwriter

from services.discovery.handlers import close_queue, submit_run
from shared.bus.actor import Actor
from shared.contracts.browser.logins import AccessChecked, CheckAccess
from shared.contracts.codes import Status
from shared.contracts.discovery import (
    InputFile,
    PopulationClosed,
    Problem,
    RunAccepted,
    RunRecord,
    RunRejected,
    RunStarted,
    SampleFound,
    SubmissionRejected,
    SubmitRun,
)
from shared.contracts.evidence import (
    LoadReply,
    LoadRun,
    LoadSteps,
    RunUnknown,
    StepsLoaded,
    StepsReply,
)
from shared.contracts.planner import WorkSample
from shared.errors import Unavailable
from shared.streams import INPUTS, RUNS, samples_of
from shared.subjects import CHECK_ACCESS, LOAD_RUN, LOAD_STEPS, WORK_SAMPLE
from shared.testing.bus import MemoryBus
from tests.handlers.discovery.discovery_bench import (
    ROWS,
    SPEC,
    deps_on,
    ended,
    evidence,
    knowing_nothing,
    loaded,
    nothing_started,
    planner,
    record_of,
    where,
)
from tests.typed import expect


@pytest.fixture
def bus() -> MemoryBus:
    return knowing_nothing(MemoryBus())


async def put(bus: MemoryBus, name: str, data: bytes) -> InputFile:
    await bus.put(INPUTS, name, data)
    return InputFile(name=name, blob=name, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


async def test_a_run_begins_with_its_whole_population_and_then_its_work(bus):
    reply = await submit_run(SubmitRun(spec=SPEC, samples=ROWS, concurrency=3, requested_by="me"), deps_on(bus))
    assert reply == RunAccepted(run_id="run_2026-11-21_080102", samples=2)
    kinds = [type(message) for _, message in bus.published]
    assert kinds == [RunStarted, SampleFound, SampleFound, PopulationClosed, WorkSample, WorkSample]
    assert [found.sample.row for found in bus.events(SampleFound)] == [1, 2]
    assert isinstance(reply, RunAccepted)
    assert list(bus.queues.values()) == [samples_of(reply.run_id, 3)]
    record = await bus.read(RUNS, reply.run_id, RunRecord)
    assert record == bus.events(RunStarted)[0].record
    assert (record.planner, record.concurrency, record.requested_by) == (None, 3, "me")


async def test_rows_that_fit_no_message_come_as_a_file_and_make_the_same_run(bus):
    inline = await submit_run(SubmitRun(spec=SPEC, samples=ROWS), deps_on(bus))
    file = await put(bus, "rows.json", msgspec.json.encode(ROWS))
    filed = await submit_run(SubmitRun(spec=SPEC, input_file=file), deps_on(bus))
    records = [await bus.read(RUNS, expect(one, RunAccepted).run_id, RunRecord) for one in (inline, filed)]
    assert records[0].input_sha256 == records[1].input_sha256 == file.sha256
    first, second = (
        [e.sample for e in bus.events(SampleFound) if e.run_id == expect(one, RunAccepted).run_id]
        for one in (inline, filed)
    )
    assert first == second != []


@pytest.mark.parametrize("data", [b"{", b'{"a": 1}', b"[1]"])
async def test_a_file_of_rows_that_is_none_is_said(bus, data):
    file = await put(bus, "rows.json", data)
    assert where(await submit_run(SubmitRun(spec=SPEC, input_file=file), deps_on(bus))) == ["rows.json"]


async def test_two_runs_of_one_second_have_two_names(bus):
    request = SubmitRun(spec=SPEC, samples=ROWS)
    first, second = await submit_run(request, deps_on(bus)), await submit_run(request, deps_on(bus))
    assert isinstance(first, RunAccepted)
    assert isinstance(second, RunAccepted)
    assert (first.run_id, second.run_id) == ("run_2026-11-21_080102", "run_2026-11-21_080102_2")


async def test_everything_wrong_is_said_at_once_and_nothing_starts(bus):
    request = SubmitRun(
        spec={**SPEC, "goal": 1, "colour": "red"}, samples=({"number": ["x"]},), planner="oracle", concurrency=0
    )
    reply = await submit_run(request, deps_on(bus))
    expected = {"planner", "concurrency", "spec.goal", "spec.colour", "row 1, column number", "column url"}
    assert set(where(reply)) == expected
    assert nothing_started(bus)
    [event] = bus.events(SubmissionRejected)
    assert isinstance(reply, RunRejected)
    assert event.problems == reply.problems


@pytest.mark.parametrize("request_", [SubmitRun(spec=SPEC), SubmitRun(spec=SPEC, samples=ROWS, resume_run_id="run_1")])
async def test_samples_come_from_exactly_one_place(bus, request_):
    bus.host(evidence(RunUnknown(run_id="run_1", message="no run")), None)
    assert "request" in where(await submit_run(request_, deps_on(bus)))
    assert nothing_started(bus)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"spec": None}, "spec"),
        ({"spec": {**SPEC, "phase": "discovery"}}, "spec.phase"),
        ({"samples": ()}, "samples"),
        ({"concurrency": 257}, "concurrency"),
    ],
)
async def test_what_cannot_be_run_is_refused(bus, changes, place):
    request = msgspec.structs.replace(SubmitRun(spec=SPEC, samples=ROWS), **changes)
    assert where(await submit_run(request, deps_on(bus))) == [place]
    assert nothing_started(bus)


async def test_addresses_that_the_policy_refuses_stop_the_run_before_it_starts_with_all_other_problems(bus):
    rows = tuple({"number": f"T-{row}", "url": f"http://10.0.0.7/{row}"} for row in range(1, 4))
    reply = await submit_run(SubmitRun(spec={**SPEC, "color": "red"}, samples=rows), deps_on(bus))
    assert set(where(reply)) == {"spec.color", "3 rows (1, 2, 3)"}
    assert isinstance(reply, RunRejected)
    assert "10.0.0.7 is a private address" in next(p.message for p in reply.problems if "rows" in p.where)
    assert bus.events(RunStarted) == []


async def test_an_address_with_a_password_is_refused_since_rows_are_evidence(bus):
    rows = ({"number": "T-1", "url": "https://ann:hunter2@x/1"}, {"number": "T-2", "url": "https://x/a:b@c"})
    reply = await submit_run(SubmitRun(spec=SPEC, samples=rows), deps_on(bus))
    assert where(reply) == ["row 1, column url"]
    assert isinstance(reply, RunRejected)
    assert "hunter2" not in reply.problems[0].message


async def test_a_csv_file_is_read(bus):
    file = await put(bus, "in.csv", "\ufeffnumber;url;team\r\nT-1;http://x/1;Zoë\r\n".encode())
    reply = await submit_run(SubmitRun(spec=SPEC, input_file=file), deps_on(bus))
    assert isinstance(reply, RunAccepted)
    assert reply.samples == 1
    assert bus.events(WorkSample)[0].sample.fields["team"] == "Zoë"


async def test_an_excel_file_is_read_by_what_it_is_whatever_it_is_called(bus):
    file = await put(bus, "in.csv", workbook([["number", "url", "due"], [1001, "http://x/1", date(2026, 3, 3)]]))
    await submit_run(SubmitRun(spec=SPEC, input_file=file), deps_on(bus))
    sample = bus.events(SampleFound)[0].sample
    assert (sample.sample_id, sample.fields["due"]) == ("1001", "2026-03-03")


def workbook(rows) -> bytes:
    data = io.BytesIO()
    with xlsxwriter.Workbook(data, {"in_memory": True, "default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
    return data.getvalue()


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 this is no workbook", b"\x00\x00", b"number,url\n"])
async def test_a_file_that_cannot_be_read_is_a_problem_that_names_it(bus, data):
    file = await put(bus, "in.xlsx", data)
    reply = await submit_run(SubmitRun(spec=SPEC, input_file=file), deps_on(bus))
    assert where(reply) == ["in.xlsx"]
    assert nothing_started(bus)


@pytest.mark.parametrize(
    "changes", [{"sha256": "0" * 64}, {"size_bytes": 1}, {"blob": "elsewhere"}, {"size_bytes": 1 << 40}]
)
async def test_bytes_that_are_not_those_of_the_request_are_refused(bus, changes):
    file = msgspec.structs.replace(await put(bus, "in.csv", b"number,url\nT-1,http://x\n"), **changes)
    assert where(await submit_run(SubmitRun(spec=SPEC, input_file=file), deps_on(bus))) == ["in.csv"]


class FullBus(MemoryBus):
    """Stores everything but the work."""

    async def publish(self, subject, message):
        if subject is WORK_SAMPLE:
            raise Unavailable("no room", code="bus_slow")
        await super().publish(subject, message)


async def test_a_run_that_is_cut_off_while_it_starts_is_named():
    bus = knowing_nothing(FullBus())
    with pytest.raises(Unavailable, match="run_2026-11-21_080102 was only partly started: no room") as caught:
        await submit_run(SubmitRun(spec=SPEC, samples=ROWS), deps_on(bus))
    assert caught.value.code == "bus_slow"
    assert bus.events(PopulationClosed), "the population is whole before any work is given out"


# --- resuming


RESUME = SubmitRun(resume_run_id="run_1")


async def test_a_resumed_run_works_on_what_is_not_done(bus):
    bus.host(evidence(loaded(("done", 1), ("failed", 3), (None, 0), (None, 2))), None)
    reply = await submit_run(RESUME, deps_on(bus))
    assert reply == RunAccepted(run_id="run_1", samples=3, already_done=1, attempt_base=3)
    assert [(work.sample_id, work.attempt_base) for work in bus.events(WorkSample)] == [
        ("T-2", 3),
        ("T-3", 3),
        ("T-4", 3),
    ]
    assert bus.events(SampleFound) == []
    assert bus.events(PopulationClosed) == [PopulationClosed(run_id="run_1", samples=4, attempt_base=3)]
    assert list(bus.queues.values()) == [samples_of("run_1", 2, 3)]
    assert await bus.read(RUNS, "run_1", RunRecord) == record_of()


async def test_where_nothing_is_left_the_round_still_begins_and_ends(bus):
    bus.host(evidence(loaded(("done", 1), ("done", 2))), None)
    reply = await submit_run(RESUME, deps_on(bus))
    assert isinstance(reply, RunAccepted)
    assert (reply.samples, reply.already_done) == (0, 2)
    assert [type(message) for _, message in bus.published] == [RunStarted, PopulationClosed]


async def test_a_round_that_made_no_attempt_is_still_told_apart_from_the_next(bus):
    bus.host(evidence(loaded((None, 0))), None)
    assert (expect(await submit_run(RESUME, deps_on(bus)), RunAccepted)).attempt_base == 1
    bus.host(evidence(loaded(("done", 1), attempt_base=1)), None)
    assert (expect(await submit_run(RESUME, deps_on(bus)), RunAccepted)).attempt_base == 2


async def test_what_is_left_in_the_queue_of_the_round_before_is_not_worked_on_twice(bus):
    await bus.open_queue(samples_of("run_1", 2, 4))
    bus.host(evidence(loaded((None, 0), attempt_base=4)), None)
    await submit_run(RESUME, deps_on(bus))
    assert list(bus.queues) == ["samples_run_1_5"]


@pytest.mark.parametrize("expected", [None, 2])
async def test_a_run_cut_off_before_all_its_samples_were_written_down_is_not_resumed(bus, expected):
    bus.host(evidence(loaded((None, 0), expected=expected)), None)
    assert where(await submit_run(RESUME, deps_on(bus))) == ["resume_run_id"]
    assert nothing_started(bus)


async def test_a_name_that_evidence_knows_is_not_given_again(bus):
    actor: Actor[None] = Actor("evidence")

    @actor.answers(LOAD_RUN)
    async def load(request: LoadRun, deps: None) -> LoadReply:
        taken = request.run_id == "run_2026-11-21_080102"
        return loaded(("done", 1)) if taken else RunUnknown(run_id=request.run_id, message="")

    bus.host(actor, None)
    reply = await submit_run(SubmitRun(spec=SPEC, samples=ROWS), deps_on(bus))
    assert isinstance(reply, RunAccepted)
    assert reply.run_id == "run_2026-11-21_080102_2"


@pytest.mark.parametrize(("attempt_base", "left"), [(0, ["samples_run_1_3"]), (3, [])])
async def test_a_finished_round_closes_its_own_queue_only(bus, attempt_base, left):
    await bus.open_queue(samples_of("run_1", 2, 3))
    await close_queue(ended(attempt_base), deps_on(bus), 1)
    assert list(bus.queues) == left


async def test_a_run_nobody_knows_is_a_problem_that_says_where_it_was_looked_for(bus):
    bus.host(evidence(RunUnknown(run_id="run_1", message="no run 'run_1' in /evidence")), None)
    reply = await submit_run(RESUME, deps_on(bus))
    assert isinstance(reply, RunRejected)
    assert reply.problems[0].message == "no run 'run_1' in /evidence"
    assert nothing_started(bus)


async def test_a_resumed_run_keeps_its_spec_and_may_change_its_concurrency(bus):
    bus.host(evidence(loaded((None, 0))), None)
    assert where(await submit_run(msgspec.structs.replace(RESUME, spec={**SPEC, "goal": "else"}), deps_on(bus))) == [
        "spec"
    ]
    reply = await submit_run(msgspec.structs.replace(RESUME, spec=SPEC, concurrency=9), deps_on(bus))
    assert isinstance(reply, RunAccepted)
    assert bus.events(RunStarted)[0].record == record_of(concurrency=9)


async def test_a_planner_the_bus_will_not_take_is_refused_rather_than_ignored(bus):
    bus.host(evidence(loaded((None, 0))), None)
    await bus.create(RUNS, "run_1", record_of())
    request = msgspec.structs.replace(RESUME, planner="other")
    reply = await submit_run(request, deps_on(bus, planners=frozenset({"rules", "other"})))
    assert where(reply) == ["planner"]
    assert nothing_started(bus)


# --- what its sessions will need


def pool_that_lacks(*problems: Problem) -> Actor[list[CheckAccess]]:
    actor: Actor[list[CheckAccess]] = Actor("browser_pool")

    @actor.answers(CHECK_ACCESS)
    async def check(request: CheckAccess, asked: list[CheckAccess]) -> AccessChecked:
        asked.append(request)
        return AccessChecked(problems=problems)

    return actor


PROTECTED = {**SPEC, "auth_profile": "desk", "secrets": ["PIN"], "allowed_hosts": ["x"]}


async def test_a_run_whose_login_state_is_missing_does_not_start(bus):
    asked: list[CheckAccess] = []
    bus.host(pool_that_lacks(Problem(where="auth_profile", message="record it with `exhibit login desk URL`")), asked)
    reply = await submit_run(SubmitRun(spec=PROTECTED, samples=ROWS, concurrency=0), deps_on(bus))
    assert where(reply) == ["concurrency", "spec.auth_profile"]
    assert isinstance(reply, RunRejected)
    assert "exhibit login desk URL" in reply.problems[1].message
    assert asked == [CheckAccess(auth_profile="desk", secrets=("PIN",), hosts=("x",))]
    assert nothing_started(bus)


async def test_a_run_that_needs_neither_login_nor_secret_asks_no_pool(bus):
    asked: list[CheckAccess] = []
    bus.host(pool_that_lacks(Problem(where="auth_profile", message="")), asked)
    assert isinstance(await submit_run(SubmitRun(spec=SPEC, samples=ROWS), deps_on(bus)), RunAccepted)
    assert asked == []


async def test_where_no_pool_runs_yet_the_run_is_accepted_and_that_is_logged(bus, caplog):
    reply = await submit_run(SubmitRun(spec=PROTECTED, samples=ROWS), deps_on(bus))
    assert isinstance(reply, RunAccepted)
    assert "no browser pool could be asked" in caplog.text


# --- replays


def of_earlier(problems: dict[str, str], **changes) -> Actor[None]:
    """Evidence of a run of these samples; ``problems``: what is wrong with the log of each."""
    states: list[tuple[Status | None, int]] = [("done", 1)] * len(problems)
    run = loaded(*states, record=record_of(run_id="run_0", spec={**SPEC, **changes}))
    actor: Actor[None] = Actor("evidence")

    @actor.answers(LOAD_RUN)
    async def load_run(request: LoadRun, deps: None) -> LoadReply:
        return run if request.run_id == "run_0" else RunUnknown(run_id=request.run_id, message="no such run")

    @actor.answers(LOAD_STEPS)
    async def load_steps(request: LoadSteps, deps: None) -> StepsReply:
        sample = next(state.sample for state in run.samples if state.sample.sample_id == request.sample_id)
        assert request.count_only
        return StepsLoaded(
            run_id="run_0", sample=sample, spec=SPEC, attempt=1, steps=(), total=3, status="done", reason="",
            problem=problems[request.sample_id],
        )  # fmt: skip

    return actor


async def replay(bus, problems, *, changes=None, planners=frozenset({"rules", "replay"}), **asked):
    bus.host(of_earlier(problems, **(changes or {})), None)
    return await submit_run(SubmitRun(**{"replay_run_id": "run_0", **asked}), deps_on(bus, planners=planners))


async def test_a_replay_is_a_run_of_its_own_that_names_the_recorded_one(bus):
    reply = await replay(bus, {"T-1": "", "T-2": ""}, allow_effects=True)
    assert reply == RunAccepted(run_id="run_2026-11-21_080102", samples=2)
    assert isinstance(reply, RunAccepted)
    record = await bus.read(RUNS, reply.run_id, RunRecord)
    assert (record.planner, record.replay_run_id, record.allow_effects) == ("replay", "run_0", True)
    assert (record.spec, record.concurrency) == (SPEC, 2)
    assert [work.sample_id for work in bus.events(WorkSample)] == ["T-1", "T-2"]


async def test_samples_whose_log_does_not_tell_their_end_are_left_out_unless_they_are_named(bus):
    reply = await replay(bus, {"T-1": "", "T-2": "its log has 2 of 3 steps"})
    assert isinstance(reply, RunAccepted)
    assert [work.sample_id for work in bus.events(WorkSample)] == ["T-1"]


@pytest.mark.parametrize(
    ("problems", "asked", "told"),
    [
        ({"T-1": ""}, {"replay_run_id": "run_9"}, [("replay_run_id", "no such run")]),
        ({"T-1": "cut"}, {"replay_samples": ("T-1",)}, [("replay_samples", "T-1 cannot be replayed: cut")]),
        ({"T-1": ""}, {"replay_samples": ("T-1", "T-7")}, [("replay_samples", "run_0 has no sample 'T-7'")]),
        ({"T-1": "cut"}, {}, [("replay_run_id", "no sample of run_0 can be replayed: cut")]),
        ({"T-1": ""}, {"planner": "rules"}, [("planner", "a replay takes recorded steps again")]),
        ({"T-1": ""}, {"spec": {"goal": "x"}}, [("spec", "it differs from the spec of run_0")]),
        ({"T-1": ""}, {"samples": ROWS}, [("request", "samples and replay_run_id")]),
        ({"T-1": ""}, {"changes": {"phase": "discovery"}}, [("replay_run_id", "only listed what it found")]),
    ],
)
async def test_what_is_wrong_with_a_replay_is_said_and_nothing_starts(bus, problems, asked, told):
    reply = await replay(bus, problems, **asked)
    assert isinstance(reply, RunRejected)
    assert [problem.where for problem in reply.problems] == [place for place, _ in told]
    assert all(words in problem.message for problem, (_, words) in zip(reply.problems, told, strict=True))
    assert nothing_started(bus)


@pytest.mark.parametrize("asked", [{"planner": "replay"}, {"replay_samples": ("T-1",)}, {"allow_effects": True}])
async def test_only_a_replay_can_be_asked_for_what_is_a_replays(bus, asked):
    request = SubmitRun(spec=SPEC, samples=ROWS, **asked)
    reply = await submit_run(request, deps_on(bus, planners=frozenset({"rules", "replay"})))
    assert where(reply) == list(asked)
    assert nothing_started(bus)


# --- a planner that cannot decide


async def test_a_planner_without_its_key_is_told_before_anything_starts(bus):
    bus.host(planner(problem="set ANTHROPIC_API_KEY"), asked := [])
    reply = await submit_run(SubmitRun(spec=SPEC, samples=ROWS, planner="rules"), deps_on(bus))
    assert [(problem.where, problem.message) for problem in expect(reply, RunRejected).problems] == [
        ("planner", "set ANTHROPIC_API_KEY")
    ]
    assert [one.planner for one in asked] == ["rules"]
    assert nothing_started(bus)

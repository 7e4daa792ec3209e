"""The event handlers: files, and duplicate, late and wrong events."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Any

import msgspec
import pytest

from services.evidence.handlers import actor as evidence
from services.evidence.handlers import claim_press
from services.evidence.read_api.read_handlers import load_run, load_steps
from services.evidence.store.open_store import BlockedReporter
from shared.client import load_run as load_whole_run
from shared.contracts.actions import Done, Judgment
from shared.contracts.discovery import Sample
from shared.contracts.evidence import (
    ClaimPress,
    EvidenceBlocked,
    LoadRun,
    LoadSteps,
    RunLoaded,
    RunUnknown,
    StepsLoaded,
    StepsUnknown,
)
from shared.contracts.planner import Lessons
from shared.contracts.steps import PressClaim, StepTaken
from shared.errors import PermanentError, PolicyDenied
from shared.streams import ARTIFACTS
from shared.subjects import LOAD_RUN
from tests.handlers.evidence.evidence_desk import (
    NOW,
    Desk,
    closed,
    ended,
    found,
    judging,
    outcomes,
    press,
    sample,
    started,
    took,
)
from tests.typed import expect

# --- the straight way


@pytest.mark.parametrize(
    ("name", "left"),
    [("steps.jsonl", b""), ("steps.jsonl", b'{"version": 2, "step": 1, "thi'), ("000001.json", b"")],
)
async def test_what_a_power_failure_left_of_a_step_holds_up_no_later_attempt(desk: Desk, name: str, left: bytes):
    one = sample()
    await desk.begun(one)
    await desk.tell(took(one))
    (desk.root / "run_1/A-1/_log/steps.jsonl").unlink()
    (desk.root / "run_1/A-1/_log" / name).write_bytes(left)
    desk.restart()
    await desk.tell(took(one, attempt=2), ended(one, attempt=2))
    assert desk.json("A-1/result.json")["attempt"] == 2


async def test_a_sample_leaves_its_files(tabled):
    one = sample(team="red")
    await tabled.begun(one)
    filed = await tabled.capture(one)
    finished = await tabled.tell(took(one, filed), ended(one, filed))
    of_sample = ("sample.json", "01_t.png", "action_log.json", "result.json", "manifest.json")
    tables = ("combined.csv", "combined.parquet", "combined.xlsx")
    names = (
        *("run.json", "samples.csv", *tables, "manifest.json", "seal.json"),
        *(f"A-1/{name}" for name in of_sample),
        f"objects/{filed.artifact.sha256[:2]}/{filed.artifact.sha256}",
    )
    assert set(tabled.files()) == {f"run_1/{name}" for name in names}
    [entry] = tabled.json("A-1/action_log.json")
    assert (entry["step"], entry["thinking"], entry["action"], entry["attempt"]) == (1, "To show it.", "screenshot", 1)
    assert entry["params"] == {"label": "t", "full_page": True}
    result = tabled.json("A-1/result.json")
    assert (result["status"], result["extracted"]["number"]) == ("done", "7")
    assert result["started_at"] == "2026-11-21T08:00:00Z"
    assert result["artifacts"][0]["sha256"] == hashlib.sha256(b"png").hexdigest()
    assert not await tabled.has_blob(filed)
    assert (outcomes(finished), finished.samples) == ({("done", ""): 1}, 1)


# --- told twice, late, or after a restart


async def test_everything_told_twice_leaves_the_same(desk):
    """In a second round, whose first one has failed."""
    one = sample()
    await desk.begun(one)
    await desk.tell(ended(one, status="failed", reason="http_error"))
    filed = await desk.capture(one, attempt=2)
    story = [started(1), found(one), closed(1, 1), took(one, filed, attempt=2), ended(one, filed, attempt=2, steps=1)]
    first = await desk.tell(*story)
    assert desk.json("manifest.json")["remarks"] == []
    files = desk.files()
    for message in story:
        desk.restart()
        await desk.hand(message)
    assert desk.files() == files
    assert desk.refused() == []
    desk.deps.now = lambda: NOW.replace(hour=23)
    assert await desk.tell(story[-1]) == first, "it may not have been published before"


async def test_what_belongs_to_no_run_known_here_holds_nobody_up(desk):
    with pytest.raises(PermanentError, match="run_1 was never started here"):
        await desk.tell(found(sample()))


async def test_a_later_attempt_puts_the_earlier_one_away(desk):
    one = sample()
    await desk.begun(one)
    await desk.tell(took(one, await desk.capture(one, b"first")))
    filed = await desk.capture(one, b"second", attempt=2)
    await desk.tell(took(one, filed, attempt=2), ended(one, filed, attempt=2))
    assert (desk.root / "run_1/A-1/attempt_1/01_t.png").read_bytes() == b"first"
    assert (desk.root / "run_1/A-1/01_t.png").read_bytes() == b"second"
    before = desk.files()
    await desk.tell(
        took(one, await desk.capture(one, b"zombie", step=3), step=3), ended(one, status="failed", reason="x")
    )
    assert desk.files() == before


async def test_a_run_does_not_end_while_a_later_round_is_at_work_on_a_sample_that_had_failed(desk):
    one, two = sample("a"), sample("b", 2)
    await desk.begun(one, two)
    await desk.tell(ended(one, status="failed", reason="x"), started(1), closed(2, 1), took(one, attempt=2))
    assert await desk.tell(ended(two, attempt=2)) is None, "the first result was put aside, and the second is not there"
    desk.restart()
    assert await desk.tell(ended(two, attempt=2)) is None
    assert outcomes(await desk.tell(ended(one, attempt=2))) == {("done", ""): 2}
    assert desk.refused() == []


async def test_of_the_attempts_of_a_round_the_first_result_counts(desk):
    """A planner that dies between its result and its acknowledgement is followed by another attempt."""
    one, two = sample("a"), sample("b", 2)
    await desk.begun(one, two)
    await desk.tell(ended(one))
    before = desk.files()
    await desk.tell(took(one, attempt=2), ended(one, attempt=2, status="failed", reason="x"))
    assert desk.files() == before
    assert desk.refused() == [("SampleFinished", "sample_ended"), ("StepTaken", "sample_ended")]
    assert outcomes(await desk.tell(ended(two))) == {("done", ""): 2}


async def test_reading_logs_back_keeps_none_of_them_in_memory(desk):
    one = sample()
    await desk.begun(one)
    await desk.tell(a_step(1), a_step(2, action=Done(values={})), ended(one, steps=2))
    await steps_of(desk)
    await desk.tell(ended(one, steps=2))
    assert desk.deps.ledger.logs == frozenset()


async def test_a_round_counts_what_was_done_before_and_what_ends_in_it(tabled):
    one, two = sample("a"), sample("b", 2)
    await tabled.begun(one, two)
    await tabled.tell(ended(one), ended(two, status="failed", reason="unreachable"))
    assert await tabled.tell(started(1), closed(2, 1)) is None
    finished = await tabled.tell(ended(two, attempt=2))
    assert (finished.attempt_base, outcomes(finished)) == (1, {("done", ""): 2})
    assert [row["status"] for row in tabled.rows()] == ["done", "done"]
    assert await tabled.tell(started(1), closed(2, 1)) == finished


async def test_the_highest_attempt_is_known_without_a_result(desk):
    one, two = sample("a"), sample("b", 2)
    await desk.begun(one, two)
    await desk.tell(took(one, await desk.capture(one, attempt=3), attempt=3))
    desk.restart()
    loaded = await desk.load()
    assert [(state.status, state.attempt) for state in loaded.samples] == [(None, 3), (None, 0)]


BROKEN = (b'{"status": "do', b'{"status": "\xff"}', b"[" * 100_000, b"[]")


@pytest.mark.parametrize("broken", BROKEN, ids=["cut off", "no text", "too deep", "another kind"])
async def test_a_result_that_is_none_any_more_costs_its_own_sample_alone(tabled, broken):
    one, two, three = sample("a"), sample("b", 2), sample("c", 3)
    await tabled.begun(one, two, three)
    await tabled.tell(took(one, await tabled.capture(one)), ended(one), ended(two))
    (tabled.root / "run_1" / "a" / "result.json").write_bytes(broken)
    tabled.restart()
    known = [(state.status, state.reason, state.attempt) for state in (await tabled.load()).samples]
    assert known == [("failed", "result_unreadable", 1), ("done", "", 1), (None, "", 0)]
    assert outcomes(await tabled.tell(ended(three))) == {("done", ""): 2, ("failed", "result_unreadable"): 1}
    assert [row["status"] for row in tabled.rows()] == ["failed", "done", "done"]
    assert tabled.rows()[0]["reason"] == "result_unreadable"
    # Worked on again it is put aside, as it is.
    await tabled.tell(started(1), closed(3, 1))
    assert outcomes(await tabled.tell(ended(one, attempt=2))) == {("done", ""): 3}
    assert (tabled.root / "run_1" / "a" / "attempt_1" / "result.json").read_bytes() == broken


@pytest.mark.parametrize("broken", [BROKEN[0], b"{}"], ids=["cut off", "empty"])
async def test_a_sample_file_that_is_none_any_more_costs_its_own_sample_alone(tabled, broken):
    samples = [sample(key, row) for row, key in enumerate("abcd", start=1)]
    done, failed, begun, last = samples
    await tabled.begun(*samples)
    await tabled.tell(took(done, await tabled.capture(done)), ended(done), ended(failed, status="failed", reason="x"))
    for one in (done, failed, begun):
        (tabled.root / "run_1" / one.sample_id / "sample.json").write_bytes(broken)
    tabled.restart()
    states = (await tabled.load()).samples
    assert {(state.sample.key, state.status, state.reason, state.sample.row) for state in states} == {
        ("a", "done", "", 1), ("b", "failed", "sample_unreadable", 2), ("c", "failed", "sample_unreadable", 0),
        ("d", None, "", 4),
    }  # fmt: skip
    finished = await tabled.tell(ended(last))
    assert outcomes(finished) == {("done", ""): 2, ("failed", "sample_unreadable"): 2}
    assert finished.flagged == 3
    assert finished.not_made == ()
    told = {row["sample_id"]: (row["reason"], row["flagged"], row["notes"]) for row in tabled.rows()}
    assert told["d"] == ("", "false", "")
    assert told["a"][:2] == ("", "true")
    assert "sample.json cannot be read" in told["a"][2]
    assert told["c"][:2] == ("sample_unreadable", "true")
    # Nobody works on it again, and nobody waits for it.
    assert outcomes(await tabled.tell(started(1), closed(4, 1))) == outcomes(finished)


async def test_a_run_file_that_is_damaged_in_part_is_read_for_the_rest_and_the_seal_says_so(desk):
    one, two = sample("a"), sample("b", 2)
    await desk.begun(one, two)
    await desk.tell(ended(one))
    path = desk.root / "run_1" / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "finished": {"no": "summary"}, "attempt_base": "?"}))
    desk.restart()
    loaded = await desk.load()
    assert [(state.status, state.reason) for state in loaded.samples] == [("done", ""), (None, "")]
    assert (loaded.record, loaded.expected) == (started().record, 2)
    await desk.tell(ended(two))
    assert desk.json("manifest.json")["remarks"] == [
        "run.json was damaged when it was read: attempt_base, finished could not be read"
    ]


@pytest.mark.parametrize("broken", BROKEN[1:3], ids=["no text", "too deep"])
async def test_a_run_file_that_is_none_any_more_holds_up_no_other_run(desk, broken):
    one = sample("a")
    await desk.begun(one)
    (desk.root / "run_1" / "run.json").write_bytes(broken)
    desk.restart()
    for asked in (desk.load(), desk.tell(ended(one))):
        with pytest.raises(PermanentError, match=r"run_1/run.json cannot be read .*: put the file back") as caught:
            await asked
        assert caught.value.code == "run_unreadable"
    # Whoever knows what was asked for says so, and all else is there.
    await desk.tell(started(), closed(1))
    assert [state.sample.key for state in (await desk.load()).samples] == ["a"]
    assert outcomes(await desk.tell(ended(one))) == {("done", ""): 1}
    assert "was begun anew" in desk.json("manifest.json")["remarks"][0]


async def test_of_a_run_file_that_is_none_any_more_the_round_before_knows_what_was_asked(desk):
    one = sample("a")
    await desk.begun(one)
    await desk.tell(ended(one, status="failed", reason="x"), started(1), closed(1, 1))
    (desk.root / "run_1" / "run.json").write_bytes(b"{")
    desk.restart()
    loaded = await desk.load()
    assert (loaded.record, loaded.expected) == (started().record, 1)
    assert [(state.status, state.attempt) for state in loaded.samples] == [("failed", 1)]
    assert outcomes(await desk.tell(started(1), closed(1, 1), ended(one, attempt=2))) == {("done", ""): 1}
    assert "was taken from rounds/1/run.json" in desk.json("manifest.json")["remarks"][0]


async def test_an_attempt_that_was_put_away_is_still_counted(desk):
    one = sample()
    await desk.begun(one)
    await desk.tell(took(one, await desk.capture(one, attempt=2), attempt=2))
    for name in ("01_t.png", "action_log.json"):  # the next attempt began, and the process was killed
        await desk.deps.store.move(f"run_1/A-1/{name}", f"run_1/A-1/attempt_2/{name}")
    desk.restart()
    assert (await desk.load()).samples[0].attempt == 2


async def test_a_run_of_many_samples_is_told_in_pages_that_make_the_whole(desk):
    samples = [sample(f"S-{row:05d}", row, note="n" * 15_000) for row in range(1, 151)]
    await desk.begun(*samples)
    await desk.tell(*(ended(one) for one in samples[:3]), took(samples[3], attempt=2))
    desk.bus.host(evidence, desk.deps)
    pages: list[RunLoaded] = []
    while not pages or sum(len(page.samples) for page in pages) < pages[0].total:
        skip = sum(len(page.samples) for page in pages)
        pages.append(await desk.bus.ask(LOAD_RUN, LoadRun(run_id="run_1", skip=skip)))
    assert len(pages) > 2
    assert max(len(msgspec.json.encode(page)) for page in pages) < 1_000_000, "what a server allows that is not ours"
    whole = expect(await load_whole_run(desk.bus, "run_1"), RunLoaded)
    assert whole.samples == tuple(one for page in pages for one in page.samples)
    assert [state.sample for state in whole.samples] == samples
    assert [(state.status, state.attempt) for state in whole.samples[:5]] == [
        ("done", 1), ("done", 1), ("done", 1), (None, 2), (None, 0),
    ]  # fmt: skip


async def test_only_how_many_samples_a_run_has_can_be_asked_for(desk):
    await desk.begun(sample("a"), sample("b", 2))
    counted = expect(await load_run(LoadRun(run_id="run_1", count_only=True), desk.deps), RunLoaded)
    assert (counted.samples, counted.total) == ((), 2)
    beyond = expect(await load_run(LoadRun(run_id="run_1", skip=7), desk.deps), RunLoaded)
    assert beyond.samples == ()


@pytest.mark.parametrize(
    ("asked", "keys", "fitting"),
    [
        ({}, ["Ab-1", "Ab-2", "Cd-3", "Cd-4"], 4),
        ({"status": "failed"}, ["Ab-2", "Cd-3"], 2),
        ({"status": "waiting"}, ["Cd-4"], 1),
        ({"text": "ab"}, ["Ab-1", "Ab-2"], 2),
        ({"text": "NOT found"}, ["Ab-2"], 1),
        ({"text": "cd", "status": "failed"}, ["Cd-3"], 1),
        ({"text": "ab", "limit": 1}, ["Ab-1"], 2),
        ({"text": "ab", "limit": 1, "skip": 1}, ["Ab-2"], 2),
        ({"text": "xy"}, [], 0),
        ({"status": "failed", "count_only": True}, [], 0),
    ],
)
async def test_the_samples_of_a_run_that_fit_are_told(desk, asked: dict[str, Any], keys: list[str], fitting: int):
    samples = [sample(key, row) for row, key in enumerate(("Ab-1", "Ab-2", "Cd-3", "Cd-4"), start=1)]
    await desk.begun(*samples)
    await desk.tell(ended(samples[0]), ended(samples[1], status="failed", reason="not_found"))
    await desk.tell(ended(samples[2], status="failed", reason="http_error"))
    told = expect(await load_run(LoadRun(run_id="run_1", **asked), desk.deps), RunLoaded)
    assert ([one.sample.key for one in told.samples], told.fitting, told.total) == (keys, fitting, 4)


async def test_a_run_asked_for_while_it_is_read_back_is_read_once(desk):
    await desk.begun(sample("a"), sample("b", 2))
    desk.restart()
    states = await asyncio.gather(*(desk.deps.ledger.state("run_1") for _ in range(3)))
    assert states[0] is not None
    assert all(state is states[0] for state in states)


async def test_a_finished_run_is_forgotten_once_another_begins_and_is_still_known(desk):
    await desk.begun(sample())
    finished = await desk.tell(ended(sample()))
    await desk.tell(msgspec.structs.replace(started(run_id="run_2"), run_id="run_2"))
    assert desk.deps.ledger.runs == {"run_2"}
    assert await desk.tell(ended(sample())) == finished
    loaded = await desk.load()
    assert (loaded.finished, loaded.total) == (finished, 1)


# --- what is wrong with an artifact


@pytest.mark.parametrize(
    "lie", [{"sha256": "0" * 64}, {"size_bytes": 99}, {"filename": "../../x.png"}, {"filename": "result.json"}]
)
async def test_bytes_that_are_not_what_was_captured_fail_the_sample_and_stay(desk, lie):
    one = sample()
    await desk.begun(one)
    filed = await desk.capture(one, **lie)
    await desk.tell(took(one, filed))
    desk.restart()
    finished = await desk.tell(ended(one, filed))
    assert outcomes(finished) == {("failed", "artifact_mismatch"): 1}
    assert desk.json("A-1/result.json")["fault"] == "us"
    assert await desk.has_blob(filed), "it may be the only copy"
    assert {name for name in desk.files() if name.endswith(".png")} == set()


async def test_a_file_nobody_has_fails_the_sample(desk):
    one = sample()
    await desk.begun(one)
    filed = await desk.capture(one)
    await desk.bus.remove(ARTIFACTS, filed.artifact.blob)
    assert outcomes(await desk.tell(took(one, filed), ended(one, filed))) == {("failed", "artifact_missing"): 1}
    [problem] = desk.json("A-1/result.json")["problems"]
    assert problem["code"] == "bytes_gone"


async def test_a_sample_that_was_given_up_still_names_its_files(desk):
    one = sample()
    await desk.begun(one)
    await desk.tell(took(one, await desk.capture(one)), ended(one, status="failed", reason="retries_exhausted"))
    assert [artifact["filename"] for artifact in desk.json("A-1/result.json")["artifacts"]] == ["01_t.png"]


# --- asking, names, a full disk


async def test_a_run_nobody_knows_names_where_it_was_looked_for(desk):
    reply = expect(await desk.load(), RunUnknown)
    assert str(desk.root) in reply.message
    assert desk.files() == {}


async def test_a_population_that_was_never_closed_is_told_as_that(desk):
    await desk.tell(started(), found(sample()))
    desk.restart()
    assert (await desk.load()).expected is None


@pytest.mark.parametrize("name", ["..", "a/b", "", "x" * 200, "memory"])
async def test_names_that_are_none_are_refused(desk, name):
    await desk.tell(started())
    bad = Sample(sample_id=name, key=name, row=1)
    with pytest.raises(PolicyDenied):
        await desk.tell(found(bad))


async def test_that_evidence_is_blocked_is_said_once_a_minute(desk):
    moments = [NOW, NOW.replace(second=30), NOW.replace(minute=1)]
    report = BlockedReporter(desk.bus, lambda: moments.pop(0))
    for _ in range(3):
        await report("run_1/A-1/01_t.png", "the disk is full")
    events = desk.bus.events(EvidenceBlocked)
    assert [(event.sample_id, event.at) for event in events] == [("A-1", NOW), ("A-1", NOW.replace(minute=1))]


# --- the step log, read back


def a_step(number: int, attempt: int = 1, **changes: Any) -> StepTaken:
    return msgspec.structs.replace(took(sample(), step=number, attempt=attempt), **changes)


async def steps_of(desk: Desk, **changes: Any) -> StepsLoaded | StepsUnknown:
    return await load_steps(LoadSteps(**{"run_id": "run_1", "sample_id": "A-1", **changes}), desk.deps)


async def test_a_step_log_is_read_back_page_by_page_as_it_was_taken(desk: Desk):
    await desk.begun(sample())
    long = "x" * 400_000
    steps = [a_step(1, message=long), a_step(2, message=long), a_step(3, action=Done(values={}))]
    await desk.tell(*steps, ended(sample(), steps=3))
    desk.restart()
    first = expect(await steps_of(desk), StepsLoaded)
    second = expect(await steps_of(desk, after_step=first.steps[-1].step), StepsLoaded)
    assert (*first.steps, *second.steps) == tuple(steps)
    assert (first.total, first.status, first.problem, first.sample) == (3, "done", "", sample())
    counted = expect(await steps_of(desk, count_only=True), StepsLoaded)
    assert (counted.steps, counted.total) == ((), 3)
    assert first.spec["output_schema"] == {"number": "string", "owner": "string | null"}


async def test_the_log_of_an_earlier_attempt_is_still_there(desk: Desk):
    await desk.begun(sample())
    await desk.tell(a_step(1), ended(sample(), status="failed", reason="unreachable", steps=1))
    await desk.tell(started(1), closed(1, 1), a_step(1, attempt=2), a_step(2, attempt=2, action=Done(values={})))
    await desk.tell(ended(sample(), attempt=2, steps=2))
    latest, earlier = await steps_of(desk), await steps_of(desk, attempt=1)
    assert isinstance(latest, StepsLoaded)
    assert isinstance(earlier, StepsLoaded)
    assert (latest.attempt, latest.total, latest.problem) == (2, 2, "")
    assert (earlier.attempt, earlier.steps, earlier.status) == (1, (a_step(1),), "failed")
    assert "unreachable" in earlier.problem


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"run_id": "run_2"}, "no run 'run_2'"),
        ({"run_id": "../run_1"}, "no run '../run_1'"),
        ({"sample_id": "B-1"}, "no sample 'B-1'"),
        ({"sample_id": "../A-1"}, "'../A-1'"),
        ({"attempt": 7}, "attempt 7"),
    ],
)
async def test_a_log_that_is_not_there_is_said(desk: Desk, asked: dict[str, Any], words: str):
    await desk.begun(sample())
    await desk.tell(a_step(1))
    reply = expect(await steps_of(desk, **asked), StepsUnknown)
    assert words in reply.message


async def test_a_log_that_is_no_log_is_said(desk: Desk):
    await desk.begun(sample())
    await desk.deps.store.write("run_1/A-1/action_log.json", b'[{"step": 1, "attempt": 1}]')
    reply = expect(await steps_of(desk), StepsUnknown)
    assert "action_log.json cannot be read" in reply.message


# --- judgments and lessons


async def test_a_judgment_is_in_the_result_apart_from_the_data_and_in_the_table(tabled: Desk):
    one, other = sample("A-1"), sample("A-2", row=2)
    given = {"question": "Was it late?", "answer": "yes", "confidence": 0.8, "reasoning": "=1+1 was due in May"}
    judgment = Judgment(**given, evidence_refs=("01_t.png",), decided_by="claude")
    await tabled.tell(judging(), found(one), found(other), closed(2))
    await tabled.tell(ended(one, judgment=judgment), ended(other, status="needs_review"))
    result = tabled.json("A-1/result.json")
    assert result["judgment"] == {**given, "evidence_refs": ["01_t.png"], "decided_by": "claude"}
    assert "judgment" not in result["extracted"]
    judged = ("judgment", "judgment_confidence", "judgment_reasoning")
    rows = [[row[name] for name in judged] for row in tabled.rows()]
    assert rows == [["yes", "0.8", "'=1+1 was due in May"], ["", "", ""]]


async def test_what_samples_teach_is_kept_with_who_taught_it_and_told_twice_is_written_once(desk: Desk):
    one, other = sample("A-1"), sample("A-2", row=2)
    await desk.begun(one, other)
    first = ended(one, lessons=Lessons(patterns=("Tabs load late.",)), hints=("What worked: x",))
    await desk.tell(first, first)
    await desk.tell(ended(other, lessons=Lessons(patterns=("Tabs load late.",), failures=("Search finds nothing.",))))
    assert desk.json("A-1/result.json")["hints"] == ["What worked: x"]
    assert [(lesson["sample_id"], lesson["text"]) for lesson in desk.json("memory/patterns.json")] == [
        ("A-1", "Tabs load late."),
        ("A-2", "Tabs load late."),
    ]
    assert [lesson["text"] for lesson in desk.json("memory/failures.json")] == ["Search finds nothing."]


# --- what cannot be taken back


async def held(desk: Desk, pressed: PressClaim, *, claim: bool = True) -> int | None:
    reply = await claim_press(ClaimPress(pressed=pressed, claim=claim), desk.deps)
    return reply.pressed.attempt if reply.pressed is not None else None


async def test_who_claims_a_press_first_has_it_even_after_the_process_and_the_bus_are_gone(desk: Desk):
    await desk.begun(sample())
    assert await held(desk, press(1), claim=False) is None
    assert await held(desk, press(1)) == 1
    desk.restart()
    assert await held(desk, press(2), claim=False) == 1
    assert await held(desk, press(2)) == 1
    assert await held(desk, press(2, step=4)) == 2


async def test_of_two_that_claim_at_once_one_has_it(desk: Desk):
    await desk.begun(sample())
    assert len(set(await asyncio.gather(*(held(desk, press(attempt)) for attempt in range(1, 6))))) == 1


async def test_a_later_attempt_does_not_put_the_claim_aside(desk: Desk):
    await desk.begun(sample())
    await desk.tell(took(sample()))
    assert await held(desk, press(1)) == 1
    await desk.tell(took(sample(), attempt=2))
    assert (desk.root / "run_1" / "A-1" / "attempt_1" / "action_log.json").exists()
    assert await held(desk, press(2)) == 1


async def given_back(desk: Desk, pressed: PressClaim) -> PressClaim | None:
    return (await claim_press(ClaimPress(pressed=pressed, claim=False, give_back=True), desk.deps)).pressed


async def test_a_press_that_was_not_made_may_be_claimed_again_and_each_claim_is_given_back_once(desk: Desk):
    await desk.begun(sample())
    first = press(1)
    assert await given_back(desk, first) is None
    assert await held(desk, first, claim=False) is None, "what was not claimed is not written"
    assert await held(desk, first) == 1
    assert await given_back(desk, press(2)) == first, "only who has it gives it back"
    assert await given_back(desk, first) is None
    desk.restart()
    second = msgspec.structs.replace(first, number=1)
    assert (await claim_press(ClaimPress(pressed=first), desk.deps)).pressed == second
    assert await given_back(desk, first) == second, "a message that comes late gives back nothing else"
    assert await held(desk, press(2)) == 1
    assert await given_back(desk, second) is None
    assert await held(desk, press(2)) == 2
    assert await held(desk, press(1)) == 2
    await desk.tell(ended(sample(), attempt=2))
    with pytest.raises(PermanentError):
        await given_back(desk, msgspec.structs.replace(press(2), number=2))
    assert await held(desk, press(3), claim=False) == 2


async def test_whoever_was_overtaken_may_not_press(desk: Desk):
    """It would change the site behind a result, and the folder behind a seal."""
    await desk.begun(sample())
    await desk.tell(ended(sample(), attempt=2, status="failed", reason="x"))
    for attempt in (1, 2, 3):
        with pytest.raises(PermanentError) as caught:
            await held(desk, press(attempt))
        assert caught.value.code == "sample_over"
    await desk.tell(started(2), closed(1, 2))
    for attempt in (1, 2):
        with pytest.raises(PermanentError):
            await held(desk, press(attempt))
    assert await held(desk, press(1), claim=False) is None
    assert await held(desk, press(3)) == 3


async def test_nobody_presses_for_a_sample_that_was_not_asked_for(desk: Desk):
    await desk.begun(sample("B-1"))
    with pytest.raises(PermanentError):
        await held(desk, press(1))
    assert not (desk.root / "run_1" / "A-1").exists()


async def test_a_claim_that_cannot_be_written_is_not_given(desk: Desk):
    with pytest.raises(PolicyDenied):
        await claim_press(ClaimPress(pressed=msgspec.structs.replace(press(1), run_id="../x")), desk.deps)

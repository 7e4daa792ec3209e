"""The summary of a replay, from its events."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from services.console.text.replay_summary import ReplayEvents, RunReplayed, replay_lines, to_run_replayed
from shared.contracts.discovery import Sample
from shared.contracts.evidence import LoadedSample
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import Note, StepTaken, plain_note

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def recorded(sample_id: str, status: Any = "done", reason: Any = "") -> LoadedSample:
    return LoadedSample(sample=a_sample(sample_id), status=status, reason=reason, attempt=1)


def a_sample(sample_id: str) -> Sample:
    return Sample(sample_id=sample_id, key=sample_id, row=1)


def step(sample_id: str, *notes: Note, attempt: int = 1) -> StepTaken:
    return StepTaken(
        run_id="run_1", sample_id=sample_id, attempt=attempt, step=1, started_at=NOW, ended_at=NOW, observation=None,
        decided_by="replay", action=None, notes=notes,
    )  # fmt: skip


def finished(sample_id: str, status: Any = "done", reason: Any = "", attempt: int = 1, **rest: Any) -> SampleFinished:
    return SampleFinished(
        run_id="run_1", sample_id=sample_id, attempt=attempt, status=status, reason=reason, sample=a_sample(sample_id),
        started_at=NOW, finished_at=NOW, **rest,
    )  # fmt: skip


def came_to(*events: Any, then: tuple[LoadedSample, ...] = (recorded("A"),), wanted: Any = None) -> RunReplayed:
    heard = ReplayEvents()
    for event in events:
        heard.add(event)
    return to_run_replayed("run_1", "run_0", "there", heard, then, wanted)


def test_the_same_end_without_a_note_is_the_same():
    replayed = came_to(step("A"), finished("A"))
    assert replayed.same
    assert replay_lines(replayed) == [
        "1 sample of run_0 replayed with 0 model calls: nothing differs",
        "evidence of the replay: there",
    ]


def test_a_difference_is_listed_once_and_other_notes_are_none():
    moved = Note(kind="differs", step=2, text="address: then a, now b")
    notes = (moved, plain_note("carried over, not judged again: the judgment"))
    replayed = came_to(step("A", *notes), finished("A", notes=notes))
    assert not replayed.same
    assert replayed.samples[0].differences == ("step 2: address: then a, now b",)
    assert replayed.samples[0].notes == ("carried over, not judged again: the judgment",)
    assert replay_lines(replayed)[:2] == ["A:", "  step 2: address: then a, now b"]


def test_another_end_is_a_difference_with_its_reason():
    replayed = came_to(finished("A", "needs_review", "replay_withheld", message="step 5 (click) was not taken"))
    told = "it ended as done then, as needs review (replay withheld) now. step 5 (click) was not taken"
    assert replayed.samples[0].differences == (told,)


def test_only_the_latest_attempt_counts():
    replayed = came_to(
        step("A", Note(kind="differs", text="of an attempt that was cut off")),
        step("A", attempt=2),
        step("A", Note(kind="differs", text="heard late")),
        finished("A", attempt=2),
    )
    assert replayed.same


def test_what_was_left_out_is_not_the_same_unless_it_was_not_asked_for():
    then = (recorded("A"), recorded("B", "failed", "retries_exhausted"))
    whole, named = came_to(finished("A"), then=then), came_to(finished("A"), then=then, wanted=("A",))
    assert (whole.left_out, whole.same) == (("B",), False)
    assert "B: not replayed, because its log is incomplete" in replay_lines(whole)
    assert (named.left_out, named.same) == ((), True)

"""Which samples of a run a request asks for by words and by status."""

from __future__ import annotations

from datetime import UTC, datetime

from services.evidence.state.run_state import RunState, SampleEnd, asked_samples
from shared.contracts.discovery import RunRecord, Sample
from shared.contracts.evidence import LoadRun
from tests.cases import cases

NOW = datetime(2026, 11, 23, tzinfo=UTC)


@cases(
    ("words", "found"),
    [
        ("missing_fields", ["A-1"]),
        ("Missing Fields", ["A-1"]),
        ("a-1 missing_fields", ["A-1"]),
        ("missing", ["A-1", "A-2"]),
        ("missing_list", []),
    ],
)
def test_the_words_of_a_reason_are_found_as_its_code_and_as_people_write_them(words: str, found: list[str]):
    state = RunState(record=RunRecord(run_id="run_1", spec={}, planner=None, concurrency=1, created_at=NOW))
    for row, reason in enumerate(("missing_fields", "missing_artifacts", ""), 1):
        one = f"A-{row}"
        state.add_sample(Sample(sample_id=one, key=one, row=row), NOW)
        state.set_end(one, SampleEnd("needs_review" if reason else "done", reason, 1, 0, 0.0, False, NOW))
    shown, total = asked_samples(state, LoadRun(run_id="run_1", text=words))
    assert ([one.sample.sample_id for one in shown], total) == (found, len(found))


@cases(
    ("beside", "found"),
    [
        ("A-1", ["A-1", "A-2"]),
        ("A-2", ["A-1", "A-2", "A-3"]),
        ("A-3", ["A-2", "A-3"]),
        ("A-4", []),
    ],
)
def test_a_sample_is_shown_between_the_one_before_and_the_one_after_it(beside: str, found: list[str]):
    state = RunState(record=RunRecord(run_id="run_1", spec={}, planner=None, concurrency=1, created_at=NOW))
    for row in (3, 1, 2):
        state.add_sample(Sample(sample_id=f"A-{row}", key="", row=row), NOW)
    shown, total = asked_samples(state, LoadRun(run_id="run_1", beside=beside, limit=3))
    assert ([one.sample.sample_id for one in shown], total) == (found, 3)

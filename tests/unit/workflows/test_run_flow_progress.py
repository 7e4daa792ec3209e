"""The record of a run's flow: which samples are compiled from, and when it is over. A change is made once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from services.workflows.run_flows.compile_progress import (
    MAX_TRIES,
    after_sample,
    as_compiled,
    as_failed,
    asking_for,
    begun,
    is_ready,
)
from shared.contracts.discovery import Sample
from shared.contracts.planner import SampleFinished
from shared.contracts.workflows.run_flows import MAX_LOST, MOST_LEARNERS, RunFlow

NOW = datetime(2026, 11, 23, tzinfo=UTC)
TWO = RunFlow(since=NOW, learners=("a", "b"))


def ended(sample_id: str, status: Any = "done", reason: Any = "") -> SampleFinished:
    sample = Sample(sample_id=sample_id, key=sample_id, row=1)
    return SampleFinished(
        run_id="run_1", sample_id=sample_id, attempt=1, status=status, reason=reason, sample=sample, started_at=NOW,
        finished_at=NOW,
    )  # fmt: skip


def test_it_is_ready_with_two_samples_that_are_done():
    one = after_sample(TWO, ended("b"))
    both = after_sample(one, ended("a"))
    assert (one.done, is_ready(one)) == (("b",), False)
    assert (both.done, is_ready(both)) == (("b", "a"), True)


def test_a_sample_that_waits_only_for_a_judgment_counts():
    assert after_sample(TWO, ended("a", "needs_review", "judgment_missing")).done == ("a",)


def test_an_event_that_comes_twice_changes_nothing():
    one = after_sample(TWO, ended("a"))
    assert after_sample(one, ended("a")) is one
    lost = after_sample(TWO, ended("a", "failed", "not_found"))
    assert after_sample(lost, ended("a", "failed", "not_found")) is lost


def test_a_sample_that_is_no_learner_changes_nothing():
    assert after_sample(TWO, ended("c")) is TWO


def test_a_lost_learner_that_is_done_at_last_counts():
    lost = after_sample(TWO, ended("a", "failed", "unreachable"))
    again = after_sample(lost, ended("a"))
    assert (again.done, again.lost) == (("a",), ())


def test_a_sample_that_an_api_gave_teaches_no_flow():
    by_api = replace(ended("a"), decided_by="api")
    assert after_sample(TWO, by_api).lost == ("a",)


def test_too_many_lost_learners_end_it():
    record = RunFlow(since=NOW, learners=tuple("abcdef"))
    for name in "abcdef"[:MAX_LOST]:
        record = after_sample(record, ended(name, "failed", "not_found"))
    assert (record.state, record.reason) == (
        "failed",
        "no flow was compiled: 4 samples were not done on pages, and 0 of the 2 that are needed were",
    )


def test_one_learner_more_is_waited_for_where_the_first_ones_do_not_show_a_field():
    both = begun(after_sample(after_sample(TWO, ended("a")), ended("b")))
    more = asking_for(both, ("due",))
    assert (more.wanted, more.lacking, more.tries, is_ready(more)) == (3, ("due",), 0, False)
    third = after_sample(replace(more, learners=("a", "b", "c")), ended("c"))
    assert is_ready(third)


def test_no_more_learners_are_asked_for_than_the_limit():
    record = replace(TWO, learners=tuple("abcd"), done=tuple("abcd"), wanted=MOST_LEARNERS)
    assert asking_for(record, ("due",)) is record


def test_where_further_learners_are_lost_the_flow_is_made_of_those_that_were_done():
    names = "cdefgh"[:MAX_LOST]
    record = replace(TWO, learners=("a", "b", *names), done=("a", "b"), wanted=3, lacking=("due",))
    for name in names:
        record = after_sample(record, ended(name, "failed", "not_found"))
    assert (record.state, is_ready(record)) == ("learning", True)
    assert asking_for(record, ("due",)) is record


def test_a_compilation_that_is_cut_off_again_and_again_ends_it():
    record = after_sample(after_sample(TWO, ended("a")), ended("b"))
    for tries in range(1, MAX_TRIES + 1):
        record = begun(record)
        assert (record.state, record.tries) == ("learning", tries)
    record = begun(record)
    assert (record.state, record.reason) == ("failed", "no flow was compiled: 3 compilations were cut off")


@pytest.mark.parametrize("record", [as_compiled(TWO, "tickets", "ab"), as_failed(TWO, "it is so")])
def test_what_it_has_come_to_is_final(record):
    assert as_compiled(record, "other", "cd") is record
    assert as_failed(record, "another") is record
    assert after_sample(record, ended("a")) is record
    assert begun(record) is record

"""When a version is set aside: the rules finished more samples after it than it did itself, in its last run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from services.workflows.run_flows.use_progress import KEPT_RUNS, why_set_aside, with_use
from shared.contracts.workflows.flow_uses import FlowEnding, FlowUses

PUBLISHED = datetime(2026, 11, 23, tzinfo=UTC)
LATER = PUBLISHED + timedelta(hours=1)


def used(
    done: int = 0, taken_over: int = 0, left: int = 0, *, run_id: str = "run_1", known: FlowUses | None = None
) -> FlowUses:
    """Return the record after so many samples of a run, which began an hour after the version was published."""
    record = known or FlowUses()
    counts: tuple[tuple[FlowEnding, int], ...] = (("done", done), ("taken_over", taken_over), ("left", left))
    for ending, count in counts:
        for _ in range(count):
            record = with_use(record, run_id, ending, LATER)
    return record


def test_a_flow_that_stops_where_rules_finish_is_set_aside_with_its_counts():
    record = used(done=2, taken_over=5, left=1)
    assert why_set_aside(record, PUBLISHED) == (
        "in the run run_1 it did 2 of the 8 samples in which it began, and the rules finished 5 others where it had "
        "stopped"
    )


def test_a_flow_that_does_as_many_itself_is_not():
    assert why_set_aside(used(done=5, taken_over=5), PUBLISHED) == ""


def test_a_few_samples_tell_nothing():
    assert why_set_aside(used(taken_over=4), PUBLISHED) == ""
    assert why_set_aside(None, PUBLISHED) == ""


def test_what_models_and_people_go_on_with_says_nothing_for_the_rules():
    assert why_set_aside(used(left=20), PUBLISHED) == ""


def test_its_last_run_counts():
    bad = used(taken_over=9)
    assert why_set_aside(used(done=5, run_id="run_2", known=bad), PUBLISHED) == ""


def test_to_publish_it_again_brings_it_back():
    bad = used(taken_over=9)
    assert why_set_aside(bad, LATER + timedelta(seconds=1)) == ""


def test_runs_of_long_ago_are_forgotten():
    record = FlowUses()
    for number in range(KEPT_RUNS + 2):
        record = used(done=1, run_id=f"run_{number}", known=record)
    assert [one.run_id for one in record.runs] == [f"run_{number}" for number in range(2, KEPT_RUNS + 2)]

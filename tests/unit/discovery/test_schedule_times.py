"""The times of a schedule, on days on which clocks change too; those that have come; and what is done at each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice

from msgspec.structs import replace

from services.discovery.scheduling.decide import (
    FORGOTTEN_S,
    KEPT_PROBLEMS,
    KEPT_RUNS,
    LATE_S,
    request_of,
    take_due,
    take_now,
    to_request,
    with_end,
    with_outcome,
    with_run,
)
from services.discovery.scheduling.times import MOST_MISSED, find_due, find_time_problems, times_after
from shared.contracts.discovery import Problem, SubmitRun
from shared.contracts.scheduling import Schedule, ScheduledRun
from shared.submission.request import REQUEST_ID
from tests.cases import cases

DUE = datetime(2026, 3, 1, 6, tzinfo=UTC)
MONTHLY = Schedule(
    name="tickets",
    every="0 6 1 * *",
    time_zone="UTC",
    request=SubmitRun(spec={"task_id": "tickets"}),
    created_at=datetime(2026, 2, 2, tzinfo=UTC),
    next_at=DUE,
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def first(every: str, zone: str, after: str, count: int = 3) -> list[str]:
    return [one.isoformat() for one in islice(times_after(every, zone, at(after)), count)]


def test_times_are_meant_in_their_zone():
    assert first("0 6 1 * *", "Europe/Berlin", "2026-02-02T00:00:00+00:00") == [
        "2026-03-01T05:00:00+00:00",
        "2026-04-01T04:00:00+00:00",  # summer time since March 29
        "2026-05-01T04:00:00+00:00",
    ]


def test_an_hour_that_does_not_exist_is_not_lost_and_one_that_exists_twice_comes_once():
    """In Berlin, 2026-03-29 has no 02:30, and 2026-10-25 has it twice."""
    in_spring = first("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00+00:00", 2)
    assert in_spring == ["2026-03-29T01:00:00+00:00", "2026-03-30T00:30:00+00:00"]
    in_autumn = first("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00+00:00", 2)
    assert in_autumn == ["2026-10-25T00:30:00+00:00", "2026-10-26T01:30:00+00:00"]


@cases(
    ("every", "zone", "where"),
    [
        ("0 6 1 *", "UTC", "every"),
        ("0 6 1 * * *", "UTC", "every"),
        ("61 6 1 * *", "UTC", "every"),
        ("0 6 30 2 *", "UTC", "every"),
        ("0 6 1 * *", "Europe/Nowhere", "time_zone"),
        ("0 6 1 * *", "../../etc/passwd", "time_zone"),
        ("0 6 1 * *", "", "time_zone"),
    ],
)
def test_what_is_no_time_is_said(every: str, zone: str, where: str):
    assert [one.where for one in find_time_problems(every, zone)] == [where]


def test_all_that_is_wrong_is_told_at_once():
    assert [one.where for one in find_time_problems("daily", "Mars")] == ["time_zone", "every"]


def test_the_last_time_that_has_come_is_due_with_the_number_of_all():
    due = find_due("0 6 * * *", "UTC", DUE, at("2026-03-03T12:00:00+00:00"))
    assert due is not None
    assert (due.at, due.count, due.next_at) == (at("2026-03-03T06:00:00Z"), 3, at("2026-03-04T06:00:00Z"))
    assert find_due("0 6 * * *", "UTC", DUE, DUE - timedelta(seconds=1)) is None
    assert find_due("0 6 * * *", "UTC", None, DUE) is None


def test_after_years_the_times_are_not_counted_to_the_end():
    due = find_due("* * * * *", "UTC", DUE, at("2030-01-01T00:00:30+00:00"))
    assert due is not None
    assert due.count == MOST_MISSED
    assert due.next_at == at("2030-01-01T00:01:00Z")


def outcome(schedule: Schedule, now: datetime) -> tuple[str, int]:
    taken = take_due(schedule, now)
    assert taken is not None
    return str(taken.runs[-1].outcome), taken.runs[-1].count


def test_a_time_that_has_come_is_taken_once():
    taken = take_due(MONTHLY, DUE + timedelta(seconds=20))
    assert taken is not None
    assert [(one.due_at, one.outcome) for one in taken.runs] == [(DUE, "begun")]
    assert taken.next_at == at("2026-04-01T06:00:00Z")
    assert take_due(taken, DUE + timedelta(seconds=40)) is None


def test_nothing_is_taken_while_it_is_paused():
    assert take_due(replace(MONTHLY, paused=True), DUE) is None


def test_times_that_were_missed_are_one_run_or_none():
    late = at("2026-05-02T00:00:00Z")
    assert outcome(MONTHLY, late) == ("begun", 3)
    assert outcome(replace(MONTHLY, missed="skip"), late) == ("missed", 3)
    assert outcome(replace(MONTHLY, missed="skip"), DUE + timedelta(seconds=LATE_S - 1)) == ("begun", 1)


def test_a_time_at_which_the_run_before_is_at_work_is_left_out_or_not():
    at_work = ScheduledRun(due_at=DUE, at=DUE, outcome="started", run_id="r1")
    busy = replace(MONTHLY, runs=(at_work,))
    assert outcome(busy, DUE) == ("overlap", 1)
    assert outcome(replace(busy, overlap="run"), DUE) == ("begun", 1)
    assert outcome(replace(busy, runs=(replace(at_work, ended=True),)), DUE) == ("begun", 1)


def test_where_runs_cannot_be_requested_they_do_not_pile_up():
    assert outcome(take_now(replace(MONTHLY, overlap="run"), DUE), DUE) == ("overlap", 1)


def test_a_run_follows_the_last_one_that_has_ended():
    runs = (
        ScheduledRun(due_at=DUE, at=DUE, outcome="started", run_id="r1", ended=True),
        ScheduledRun(due_at=DUE, at=DUE, outcome="overlap"),
        ScheduledRun(due_at=DUE, at=DUE, outcome="started", run_id="r2"),
    )
    assert take_now(replace(MONTHLY, runs=runs), DUE).runs[-1].follows == "r1"
    assert take_now(MONTHLY, DUE).runs[-1].follows == ""


def test_the_request_of_a_time_has_one_id_whoever_makes_it():
    run = take_now(replace(MONTHLY, name="n" * 40), DUE).runs[-1]
    request = request_of(replace(MONTHLY, name="n" * 40), run)
    assert REQUEST_ID.fullmatch(request.request_id)
    assert request.schedule == "n" * 40
    assert request_of(replace(MONTHLY, name="n" * 40), run) == request


def test_a_time_of_which_nobody_has_told_is_requested_again():
    taken = take_now(MONTHLY, DUE)
    assert to_request(taken, now=DUE + timedelta(seconds=FORGOTTEN_S)) == []
    assert to_request(taken, now=DUE + timedelta(seconds=FORGOTTEN_S + 1)) == list(taken.runs)


def test_what_became_of_a_time_is_told_once():
    taken = take_now(MONTHLY, DUE)
    after = with_outcome(taken, taken.runs[0], "started", run_id="r1")
    assert after is not None
    assert [(one.outcome, one.run_id) for one in after.runs] == [("started", "r1")]
    assert with_outcome(after, taken.runs[0], "failed") is None
    assert with_outcome(None, taken.runs[0], "started") is None
    over = with_end(after, "r1")
    assert over is not None
    assert over.runs[0].ended
    assert with_end(over, "r1") is None


def test_of_many_problems_the_first_are_kept_with_the_number_of_the_others():
    taken = take_now(MONTHLY, DUE)
    problems = tuple(Problem(where=f"row {row}", message="has no url") for row in range(KEPT_PROBLEMS + 2))
    after = with_outcome(taken, taken.runs[0], "rejected", problems=problems)
    assert after is not None
    assert after.runs[0].problems[:KEPT_PROBLEMS] == problems[:KEPT_PROBLEMS]
    assert [one.message for one in after.runs[0].problems[KEPT_PROBLEMS:]] == ["and 2 more problems"]


def test_old_times_are_forgotten():
    schedule = MONTHLY
    for number in range(KEPT_RUNS + 3):
        schedule = with_run(schedule, _overlap(number))
    assert len(schedule.runs) == KEPT_RUNS
    assert schedule.runs[0].due_at == DUE + timedelta(minutes=3)


def test_what_the_next_time_depends_on_is_not_forgotten():
    """A run takes longer than as many times as a record tells: it is at work all the same, and the one before it was
    the last to end."""
    before = ScheduledRun(due_at=DUE, at=DUE, outcome="started", run_id="r1", ended=True)
    at_work = ScheduledRun(due_at=DUE, at=DUE, outcome="started", run_id="r2")
    schedule = replace(MONTHLY, runs=(before, at_work))
    for number in range(KEPT_RUNS + 3):
        schedule = with_run(schedule, _overlap(number))
    assert [one.run_id for one in schedule.runs[:3]] == ["r1", "r2", ""]
    assert len(schedule.runs) == KEPT_RUNS + 2
    assert outcome(schedule, DUE) == ("overlap", 1)
    assert take_now(schedule, DUE).runs[-1].follows == "r1"


def _overlap(number: int) -> ScheduledRun:
    at = DUE + timedelta(minutes=number)
    return ScheduledRun(due_at=at, at=at, outcome="overlap")

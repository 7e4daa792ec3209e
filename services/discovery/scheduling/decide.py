"""What is done at a time of a schedule, and how its record goes on. Pure.

A time is taken by replacing the record: of several processes one does, and requests the run under an id that follows
from name and time. Where that process ends before it has told what became of it, another one requests it again, which
counts once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from services.discovery.scheduling.times import DueTime, find_due
from shared.contracts.discovery import Problem, SubmitRun
from shared.contracts.scheduling import Schedule, ScheduledOutcome, ScheduledRun

KEPT_RUNS = 50
"""Times that a record tells."""
KEPT_PROBLEMS = 10
"""Problems of a time that a record tells."""
LATE_S = 120.0
"""A time that comes later than this was missed."""
FORGOTTEN_S = 150.0
"""After so long whoever has taken a time does not tell any more what became of it."""


def take_due(schedule: Schedule, now: datetime) -> Schedule | None:
    """Return the record once the time that has come is taken; None where nothing is due."""
    due = None if schedule.paused else find_due(schedule.every, schedule.time_zone, schedule.next_at, now)
    if due is None:
        return None
    run = ScheduledRun(due_at=due.at, at=now, outcome=_outcome(schedule, due, now), count=due.count)
    return with_run(replace(schedule, next_at=due.next_at), run)


def take_now(schedule: Schedule, now: datetime) -> Schedule:
    """Return the record once a person has asked for its run."""
    return with_run(schedule, ScheduledRun(due_at=now, at=now, outcome="begun"))


def with_run(schedule: Schedule, run: ScheduledRun) -> Schedule:
    """Return the record with one more time.

    The oldest ones are forgotten, but for those that what is next depends on: what is being requested, the last run at
    work and the last one that has ended.
    """
    begun = run if run.outcome != "begun" else replace(run, follows=last_ended(schedule))
    runs = (*schedule.runs, begun)
    at_work = [one for one in runs if one.outcome == "started" and not one.ended]
    needed = [one for one in runs if one.outcome == "begun"] + at_work[-1:] + _ended(runs)[-1:]
    old = runs[:-KEPT_RUNS]
    return replace(schedule, runs=(*(one for one in old if one in needed), *runs[-KEPT_RUNS:]))


def _outcome(schedule: Schedule, due: DueTime, now: datetime) -> ScheduledOutcome:
    is_late = due.count > 1 or now - due.at > timedelta(seconds=LATE_S)
    if is_late and schedule.missed == "skip":
        return "missed"
    if any(one.outcome == "begun" for one in schedule.runs):
        return "overlap"  # where runs cannot be requested, they do not pile up
    at_work = any(one.outcome == "started" and not one.ended for one in schedule.runs)
    return "overlap" if at_work and schedule.overlap == "skip" else "begun"


def last_ended(schedule: Schedule) -> str:
    """Return the last run of the schedule that has ended; empty: there is none."""
    return next((one.run_id for one in reversed(_ended(schedule.runs))), "")


def _ended(runs: Sequence[ScheduledRun]) -> list[ScheduledRun]:
    return [one for one in runs if one.ended and one.run_id]


def to_request(schedule: Schedule, *, now: datetime) -> list[ScheduledRun]:
    """Return the times whose run is to be requested by whoever sees them: taken, and not told of for long."""
    return [one for one in schedule.runs if one.outcome == "begun" and now - one.at > timedelta(seconds=FORGOTTEN_S)]


def request_of(schedule: Schedule, run: ScheduledRun) -> SubmitRun:
    """Return the request for the run of a time. Its id is the same whoever makes it."""
    return replace(
        schedule.request,
        requested_by=f"schedule {schedule.name}",
        request_id=f"s-{schedule.name}-{run.due_at:%Y%m%d%H%M%S%f}",
        schedule=schedule.name,
        follows=run.follows,
    )


def with_outcome(
    schedule: Schedule | None,
    run: ScheduledRun,
    outcome: ScheduledOutcome,
    *,
    run_id: str = "",
    problems: tuple[Problem, ...] = (),
) -> Schedule | None:
    """Return the record with what became of a time; None where it has none of it any more."""
    if schedule is None or not any(_is_same(one, run) and one.outcome == "begun" for one in schedule.runs):
        return None
    if len(problems) > KEPT_PROBLEMS:
        more = Problem(where="request", message=f"and {len(problems) - KEPT_PROBLEMS} more problems")
        problems = (*problems[:KEPT_PROBLEMS], more)
    after = replace(run, outcome=outcome, run_id=run_id, problems=problems)
    return replace(schedule, runs=tuple(after if _is_same(one, run) else one for one in schedule.runs))


def with_end(schedule: Schedule | None, run_id: str) -> Schedule | None:
    """Return the record once a run of it has ended; None where that changes nothing."""
    if schedule is None or not any(one.run_id == run_id and not one.ended for one in schedule.runs):
        return None
    runs = (replace(one, ended=True) if one.run_id == run_id else one for one in schedule.runs)
    return replace(schedule, runs=tuple(runs))


def _is_same(one: ScheduledRun, other: ScheduledRun) -> bool:
    return (one.due_at, one.at) == (other.due_at, other.at)

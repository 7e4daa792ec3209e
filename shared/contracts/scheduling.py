"""Schedules: a request for a run that is made again and again, and what became of it each time."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode
from shared.contracts.discovery import Problem, SubmitRun

Overlap = Literal["skip", "run"]
OVERLAPS: tuple[Overlap, ...] = ("skip", "run")
"""What is done at a time at which the run before is still at work. ``skip``: no run. ``run``: one more."""
Missed = Literal["latest", "skip"]
MISSED: tuple[Missed, ...] = ("latest", "skip")
"""What is done with times at which no service was there. ``latest``: one run, for the last of them. ``skip``: none."""
ScheduledOutcome = Literal["begun", "started", "rejected", "overlap", "missed", "failed"]
"""What became of a time. ``begun``: its run is being requested. ``started``: the run was accepted. ``rejected``: it was
not, with the problems. ``overlap``, ``missed``: no run, see `OVERLAPS` and `MISSED`. ``failed``: the request could not
be made."""
ScheduleAct = Literal["pause", "resume", "remove", "run"]


class ScheduledRun(Part, frozen=True, kw_only=True):
    """A time of a schedule. ``due_at``: as planned, or when a person asked for it. ``count``: how many times of the
    schedule were missed with this one. ``follows``: the run of the schedule that it is compared with."""

    due_at: datetime
    at: datetime
    outcome: OpenCode[ScheduledOutcome]
    run_id: str = ""
    follows: str = ""
    problems: tuple[Problem, ...] = ()
    count: int = 1
    ended: bool = False
    """Whether the run has ended; for others, nothing."""


class Schedule(Part, frozen=True, kw_only=True):
    """The record of a schedule, in the bucket SCHEDULES.

    ``every``: five fields of cron. ``time_zone``: an IANA name, in which they are meant. ``request``: of each run; its
    files are kept in the bucket SCHEDULE_FILES. ``next_at``: in UTC; None: the expression has no further time.
    ``runs``: the last times, oldest first.
    """

    name: str
    every: str
    time_zone: str
    request: SubmitRun
    overlap: Overlap = "skip"
    missed: Missed = "latest"
    by: str = ""
    created_at: datetime
    paused: bool = False
    removed: bool = False
    """Its name is free again."""
    next_at: datetime | None = None
    runs: tuple[ScheduledRun, ...] = ()


class AddSchedule(Message, frozen=True, kw_only=True):
    """Request to keep a schedule. It is checked like a request for a run; nothing is kept where there is a problem.

    ``request``: names no earlier run, and no id of its own.
    """

    name: str
    every: str
    time_zone: str = "UTC"
    request: SubmitRun
    overlap: str = "skip"
    missed: str = "latest"
    by: str = ""


class ListSchedules(Message, frozen=True, kw_only=True):
    """Request for schedules: the one of this name, or all of them, without their rows and all times but the last."""

    name: str = ""


class ChangeSchedule(Message, frozen=True, kw_only=True):
    """Request to change a schedule. ``run``: request its run now, besides the planned ones."""

    name: str
    act: ScheduleAct
    by: str = ""


class ScheduleKept(Message, frozen=True, kw_only=True):
    """The schedule as it is now; one that was removed as it was."""

    schedule: Schedule


class SchedulesListed(Message, frozen=True, kw_only=True):
    """By their names."""

    schedules: tuple[Schedule, ...]


class ScheduleRefused(Message, frozen=True, kw_only=True):
    """Nothing was changed. All problems are listed."""

    problems: tuple[Problem, ...]


ScheduleReply = ScheduleKept | ScheduleRefused

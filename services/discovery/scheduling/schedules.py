"""The schedules on the bus: kept, listed and changed, and the runs of those whose time has come are requested."""

from __future__ import annotations

import asyncio
import difflib
import logging
import re
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from msgspec.structs import replace

from services.discovery.deps import DiscoveryDeps
from services.discovery.scheduling.decide import request_of, take_due, take_now, to_request, with_end, with_outcome
from services.discovery.scheduling.kept_files import keep_files, lend_files, remove_files
from services.discovery.scheduling.times import find_time_problems, times_after
from shared.aio import map_concurrently
from shared.client import LOAD_BOUND_S
from shared.contracts.discovery import Problem, RunAccepted, SubmitReply, SubmitRun
from shared.contracts.evidence import LoadReply, LoadRun, RunUnknown
from shared.contracts.scheduling import (
    MISSED,
    OVERLAPS,
    AddSchedule,
    ChangeSchedule,
    ListSchedules,
    Schedule,
    ScheduledRun,
    ScheduleKept,
    ScheduleRefused,
    ScheduleReply,
    SchedulesListed,
)
from shared.errors import ExhibitError, TransientError
from shared.streams import SCHEDULES
from shared.subjects import LOAD_RUN

log = logging.getLogger(__name__)

NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
MOST_SCHEDULES = 200
LOOK_EVERY_S = 20.0
"""How often it is looked for times that have come; the fields of cron are minutes."""
AT_ONCE = 8
"""Schedules whose runs are requested side by side: many have the same time."""
UNKNOWN_S = 600.0
"""After so long a run that evidence does not know is none any more."""

Submit = Callable[[SubmitRun], Awaitable[SubmitReply]]
Check = Callable[[SubmitRun], Awaitable[tuple[Problem, ...]]]


async def add_schedule(request: AddSchedule, check: Check, deps: DiscoveryDeps) -> ScheduleReply:
    """Keep a schedule, or refuse it with all problems. ``check``: returns those of its run."""
    problems = [*_problems_of(request), *await check(request.request)]
    known = await _kept(deps)
    if request.name in known:
        problems.append(_problem("name", f"there is a schedule {request.name} already: remove it first"))
    elif len(known) >= MOST_SCHEDULES:
        problems.append(_problem("name", f"there are {len(known)} schedules: remove one first"))
    if problems:
        return ScheduleRefused(problems=tuple(problems))
    now = deps.now()
    key = f"{request.name}.{now:%Y%m%d%H%M%S%f}"
    schedule = Schedule(
        name=request.name,
        every=request.every,
        time_zone=request.time_zone,
        request=await keep_files(key, request.request, deps),
        overlap="run" if request.overlap == "run" else "skip",
        missed="skip" if request.missed == "skip" else "latest",
        by=request.by,
        created_at=now,
        next_at=next(times_after(request.every, request.time_zone, now), None),
    )
    if await _modify(schedule.name, lambda one: schedule if one is None or one.removed else None, deps) is None:
        await remove_files(schedule.request, deps)
        return ScheduleRefused(problems=(_problem("name", f"somebody has just added a schedule {schedule.name}"),))
    return ScheduleKept(schedule=schedule)


def _problems_of(request: AddSchedule) -> list[Problem]:
    problems = list(find_time_problems(request.every, request.time_zone))
    if not NAME.fullmatch(request.name):
        problems.append(_problem("name", "1 to 40 letters, digits, _ and - make a name"))
    if request.overlap not in OVERLAPS:
        problems.append(_problem("overlap", f"{request.overlap!r} is none of {', '.join(OVERLAPS)}"))
    if request.missed not in MISSED:
        problems.append(_problem("missed", f"{request.missed!r} is none of {', '.join(MISSED)}"))
    asked = request.request
    if asked.resume_run_id is not None or asked.replay_run_id is not None:
        problems.append(_problem("request", "a schedule begins runs anew: it resumes and replays none"))
    if asked.request_id or asked.schedule or asked.follows:
        problems.append(_problem("request", "request_id, schedule and follows are given for each time"))
    return problems


async def list_schedules(request: ListSchedules, deps: DiscoveryDeps) -> SchedulesListed:
    known = await _kept(deps)
    named = [known[name] for name in sorted(known) if not request.name or name == request.name]
    seen = await map_concurrently(lambda one: _with_ends(one, deps), named, AT_ONCE)
    return SchedulesListed(schedules=tuple(seen if request.name else map(_in_short, seen)))


def _in_short(schedule: Schedule) -> Schedule:
    """Return what a list of many tells: no rows, and the last time only."""
    return replace(schedule, request=replace(schedule.request, samples=None), runs=schedule.runs[-1:])


async def change_schedule(request: ChangeSchedule, submit: Submit, deps: DiscoveryDeps) -> ScheduleReply:
    """Pause, resume or remove a schedule, or request its run now."""
    schedules = await _kept(deps)
    known = schedules.get(request.name)
    if known is None:
        near = difflib.get_close_matches(request.name, schedules, 1)
        more = f"; did you mean {near[0]}?" if near else ""
        return ScheduleRefused(problems=(_problem("name", f"there is no schedule {request.name}{more}"),))
    if request.act == "remove":
        await _modify(request.name, lambda one: one and replace(one, removed=True, next_at=None), deps)
        await remove_files(known.request, deps)
        return ScheduleKept(schedule=known)
    if request.act == "run":
        now = deps.now()
        await _with_ends(known, deps)
        taken = await _modify(known.name, lambda one: None if one is None or one.removed else take_now(one, now), deps)
        if taken is not None:
            await _request(taken, taken.runs[-1], submit, deps)
    else:
        change = _paused if request.act == "pause" else _resumed
        await _modify(request.name, lambda one: None if one is None or one.removed else change(one, deps.now()), deps)
    after = await deps.records.read(SCHEDULES, request.name, Schedule)
    return ScheduleKept(schedule=after or known)


def _paused(schedule: Schedule, now: datetime) -> Schedule:
    return replace(schedule, paused=True)


def _resumed(schedule: Schedule, now: datetime) -> Schedule:
    """Return the record going on with the next time: those of a pause were not missed."""
    if not schedule.paused:
        return schedule
    return replace(schedule, paused=False, next_at=next(times_after(schedule.every, schedule.time_zone, now), None))


async def _kept(deps: DiscoveryDeps) -> dict[str, Schedule]:
    """Return the schedules by their names, without those that were removed."""
    known = await deps.records.read_all(SCHEDULES, Schedule)
    return {name: one for name, one in known.items() if not one.removed}


# --- at their times


async def keep_time(submit: Submit, deps: DiscoveryDeps) -> None:
    """Request the runs of schedules at their times, until cancelled. Any number of processes may do so."""
    while True:
        try:
            await run_due(submit, deps)
        except ExhibitError as exc:
            log.warning("schedules wait: %s: %s", exc.code, exc)
        except Exception:  # as long as the process lives, it looks again
            log.exception("schedules wait")
        await asyncio.sleep(LOOK_EVERY_S)


async def run_due(submit: Submit, deps: DiscoveryDeps) -> None:
    """Request the run of every schedule whose time has come, and of times that another process has left."""

    async def keep(known: Schedule) -> None:
        try:
            await _keep_times_of(known, submit, deps)
        except ExhibitError as exc:  # the others do not wait for it
            log.warning("the schedule %s waits: %s: %s", known.name, exc.code, exc)
        except Exception:  # nor for a fault of ours
            log.exception("the schedule %s waits", known.name)

    await map_concurrently(keep, (await _kept(deps)).values(), AT_ONCE)


async def _keep_times_of(known: Schedule, submit: Submit, deps: DiscoveryDeps) -> None:
    now = deps.now()
    for run in to_request(known, now=now):
        await _request(known, run, submit, deps)
    if known.paused or known.next_at is None or known.next_at > now:
        return
    await _with_ends(known, deps)

    def take(one: Schedule | None) -> Schedule | None:
        """Take the time in the record as it is stored: another process may have taken it, or changed the rest."""
        return None if one is None or one.next_at != known.next_at else take_due(one, now)

    taken = await _modify(known.name, take, deps)
    if taken is not None and taken.runs[-1].outcome == "begun":
        await _request(taken, taken.runs[-1], submit, deps)


async def _request(schedule: Schedule, run: ScheduledRun, submit: Submit, deps: DiscoveryDeps) -> None:
    """Request the run of a time that was taken, and tell what became of it."""
    try:
        reply = await submit(await lend_files(request_of(schedule, run), deps))
    except TransientError as exc:
        log.warning("the run of the schedule %s waits: %s: %s", schedule.name, exc.code, exc)
        return  # it is requested again, see `to_request`
    except ExhibitError as exc:
        failed = (_problem("request", f"{exc.code}: {exc}"),)
        await _modify(schedule.name, lambda one: with_outcome(one, run, "failed", problems=failed), deps)
        return
    if isinstance(reply, RunAccepted):
        run_id = reply.run_id
        await _modify(schedule.name, lambda one: with_outcome(one, run, "started", run_id=run_id), deps)
    else:
        problems = reply.problems
        await _modify(schedule.name, lambda one: with_outcome(one, run, "rejected", problems=problems), deps)


async def _with_ends(schedule: Schedule, deps: DiscoveryDeps) -> Schedule:
    """Store which runs have ended, and return the record with that. Evidence knows it; where it does not answer, they
    are at work as far as is known."""
    for run in schedule.runs:
        if run.outcome != "started" or run.ended:
            continue
        try:
            has_ended = await _has_ended(run, deps)
        except TransientError as exc:
            log.warning("whether the run %s has ended is not known: %s: %s", run.run_id, exc.code, exc)
            break
        if has_ended:
            run_id = run.run_id
            await _modify(schedule.name, lambda one, run_id=run_id: with_end(one, run_id), deps)
            schedule = with_end(schedule, run_id) or schedule
    return schedule


async def _has_ended(run: ScheduledRun, deps: DiscoveryDeps) -> bool:
    request = LoadRun(run_id=run.run_id, count_only=True)
    loaded: LoadReply = await deps.asks.ask(LOAD_RUN, request, timeout_s=LOAD_BOUND_S)
    if isinstance(loaded, RunUnknown):  # evidence takes its start in a moment, or somebody has removed it since
        return deps.now() - run.at > timedelta(seconds=UNKNOWN_S)
    return loaded.finished is not None


async def _modify(
    name: str, change: Callable[[Schedule | None], Schedule | None], deps: DiscoveryDeps
) -> Schedule | None:
    return await deps.records.modify(SCHEDULES, name, Schedule, change)


def _problem(where: str, message: str) -> Problem:
    return Problem(where=where, message=message)

"""The client of schedules: runs that are requested again and again."""

from __future__ import annotations

from shared.bus.ports import Asks
from shared.contracts.comparing import CompareRuns, ComparisonTold
from shared.contracts.evidence import LoadRun, RunFinished, RunUnknown
from shared.contracts.scheduling import (
    AddSchedule,
    ChangeSchedule,
    ListSchedules,
    Schedule,
    ScheduleAct,
    ScheduleRefused,
    ScheduleReply,
)
from shared.errors import RunRejectedError
from shared.subjects import ADD_SCHEDULE, CHANGE_SCHEDULE, COMPARE_RUNS, LIST_SCHEDULES, LOAD_RUN

BOUND_S = 120.0


async def add_schedule(asks: Asks, request: AddSchedule) -> Schedule:
    """Keep a schedule. Raises RunRejectedError with every problem of it and of its runs."""
    return _schedule_of(await asks.ask(ADD_SCHEDULE, request, timeout_s=BOUND_S))


async def list_schedules(asks: Asks, name: str = "") -> tuple[Schedule, ...]:
    """Return all schedules by their names, or the one of this name; empty: there is none."""
    return (await asks.ask(LIST_SCHEDULES, ListSchedules(name=name), timeout_s=BOUND_S)).schedules


async def change_schedule(asks: Asks, name: str, act: ScheduleAct, by: str = "") -> Schedule:
    """Pause, resume or remove a schedule, or request its run now. Raises RunRejectedError where there is none."""
    request = ChangeSchedule(name=name, act=act, by=by)
    return _schedule_of(await asks.ask(CHANGE_SCHEDULE, request, timeout_s=BOUND_S))


async def compare_two_runs(asks: Asks, run_a: str, run_b: str) -> ComparisonTold:
    """Return what has changed from one finished run of a task to a later one, or why they are not compared."""
    return await asks.ask(COMPARE_RUNS, CompareRuns(run_a=run_a, run_b=run_b), timeout_s=BOUND_S)


async def load_finished(asks: Asks, run_id: str) -> RunFinished | None:
    """Return how a run has ended; None: it has not, or evidence does not know it."""
    loaded = await asks.ask(LOAD_RUN, LoadRun(run_id=run_id, count_only=True), timeout_s=BOUND_S)
    return None if isinstance(loaded, RunUnknown) else loaded.finished


def _schedule_of(reply: ScheduleReply) -> Schedule:
    if isinstance(reply, ScheduleRefused):
        raise RunRejectedError(reply.problems)
    return reply.schedule

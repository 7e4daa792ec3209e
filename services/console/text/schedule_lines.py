"""Schedules as lines for people. Times are in the zone of the schedule."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from services.console.text.tally import headline
from shared.contracts.comparing import ComparisonTold
from shared.contracts.evidence import RunFinished
from shared.contracts.scheduling import Schedule, ScheduledRun
from shared.text.normal import printable

OUTCOMES: Mapping[str, str] = {
    "begun": "is being requested",
    "started": "{run_id}",
    "rejected": "NOT RUN, the request was rejected",
    "overlap": "not run: the run before was still at work",
    "missed": "not run: nothing was there to run it",
    "failed": "NOT RUN, it could not be requested",
}
VERDICTS = ("changed", "gone", "maybe_gone", "new", "maybe_new", "unclear")


def schedule_line(schedule: Schedule) -> str:
    """Return the name, when it runs, and its next time."""
    following = "paused" if schedule.paused else f"next {time_text(schedule.next_at, schedule.time_zone)}"
    return printable(f"{schedule.name}: {schedule.every} ({schedule.time_zone}), {following}")


def last_lines(schedule: Schedule) -> list[str]:
    """Return what became of the last time; nothing before the first one."""
    return [f"  last{run_line(one, schedule.time_zone).removeprefix(' ')}" for one in schedule.runs[-1:]]


def schedule_lines(schedule: Schedule) -> list[str]:
    """Return all that was asked for."""
    request = schedule.request
    task = str((request.spec or {}).get("task_id", ""))
    samples = f"{len(request.samples)} rows" if request.samples is not None else "the samples that the task finds"
    samples = samples if request.input_file is None else request.input_file.name
    late = {"latest": "one run for all of them", "skip": "no run"}[schedule.missed]
    overlap = {"skip": "no run", "run": "one more run"}[schedule.overlap]
    return [
        schedule_line(schedule),
        printable(f"  task {task} on {samples}, by {schedule.by}"),
        f"  while the run before is at work: {overlap}; times that were missed: {late}",
    ]


def run_line(
    run: ScheduledRun, time_zone: str, finished: RunFinished | None = None, compared: ComparisonTold | None = None
) -> str:
    """Return what became of a time: how its run has ended, as far as that is given, and what has changed since the run
    before."""
    what = OUTCOMES.get(str(run.outcome), str(run.outcome)).format(run_id=run.run_id)
    how = "" if finished is None else f", {headline(finished.outcomes, finished.samples)}"
    how = how if run.ended or run.outcome != "started" else ", at work"
    many = f" (for {run.count} times)" if run.count > 1 else ""
    problems = "".join(f"\n    {one.where}: {one.message}" for one in run.problems)
    change = "" if compared is None else f"; {comparison_text(compared)}"
    return printable(f"  {time_text(run.due_at, time_zone)}: {what}{many}{how}{change}{problems}", keep="\n")


def comparison_text(compared: ComparisonTold) -> str:
    """Return what has changed from the run before, in a few words."""
    if compared.refused:
        return f"not compared with {compared.run_a}: {compared.refused}"
    if compared.same:
        return f"the same as {compared.run_a}"
    counts = [f"{compared.counts[one]} {one.replace('_', ' ')}" for one in VERDICTS if compared.counts.get(one)]
    fields = ", ".join(f"{name} in {count}" for name, count in compared.changed.items())
    return f"since {compared.run_a}: {', '.join(counts) or 'not all is known'}{f' ({fields})' if fields else ''}"


def time_text(at: datetime | None, time_zone: str) -> str:
    """Return a time in the zone of a schedule; in UTC where this machine does not know the zone."""
    if at is None:
        return "never"
    try:
        local = at.astimezone(ZoneInfo(time_zone))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return f"{at:%Y-%m-%d %H:%M} UTC"
    return f"{local:%Y-%m-%d %H:%M}"

"""The times of a schedule: five fields of cron, in a time zone. Pure.

The days on which clocks change are those of Debian's cron, as the library follows it: a time that does not exist is
taken at the next one that does, and one that exists twice is taken once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from shared.contracts.discovery import Problem
from shared.errors import PermanentError

FIELDS = 5
MOST_MISSED = 1000
"""Times that are counted one by one."""


@dataclass(frozen=True)
class DueTime:
    """A time that has come. ``count``: how many there were since the last one, with this one."""

    at: datetime
    count: int
    next_at: datetime | None


def find_time_problems(every: str, time_zone: str) -> tuple[Problem, ...]:
    """Return what is wrong with an expression and its zone."""
    problems: list[Problem] = []
    zone = _zone_of(time_zone)
    if zone is None:
        message = f"{time_zone!r} is no time zone: name one as Europe/Berlin or UTC"
        problems.append(Problem(where="time_zone", message=message))
    if len(every.split()) != FIELDS:
        message = f"{every!r} has not five fields: minute, hour, day, month, day of the week, such as '0 6 1 * *'"
        return (*problems, Problem(where="every", message=message))
    try:
        if next(CronSim(every, datetime(2000, 1, 1, tzinfo=UTC)), None) is None:
            problems.append(Problem(where="every", message=f"{every!r} never comes"))
    except CronSimError as exc:
        problems.append(Problem(where="every", message=f"{every!r}: {exc}"))
    return tuple(problems)


def times_after(every: str, time_zone: str, after: datetime) -> Iterator[datetime]:
    """Yield the times after a moment, in UTC. The expression and the zone were checked.

    Raises PermanentError where this machine does not know the zone, as another one did.
    """
    zone = _zone_of(time_zone)
    if zone is None:
        raise PermanentError(f"this machine knows no time zone {time_zone}: install tzdata", code="not_installed")
    for one in CronSim(every, after.astimezone(zone)):
        yield one.astimezone(UTC)


def find_due(every: str, time_zone: str, next_at: datetime | None, now: datetime) -> DueTime | None:
    """Return the last time that has come, where ``next_at`` has; None where nothing is due."""
    if next_at is None or next_at > now:
        return None
    last, count = next_at, 1
    for following in times_after(every, time_zone, next_at):
        if following > now:
            return DueTime(last, count, following)
        last, count = following, count + 1
        if count >= MOST_MISSED:
            return DueTime(now, count, next(times_after(every, time_zone, now), None))
    return DueTime(last, count, None)


def _zone_of(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None

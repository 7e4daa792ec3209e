"""Which closed build sessions the bus no longer keeps: those that are too old, and the oldest beyond a size. Pure.

What is not closed is kept, however old or large it is. Of a session that is dropped the client still has its folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.contracts.workflows.builds import BuildRecord


@dataclass(frozen=True)
class Keep:
    """``days``: that a closed session is kept; ``mb``: of all closed sessions. 0: without end."""

    days: int = 30
    mb: int = 2048


def sessions_to_drop(records: Mapping[str, BuildRecord], now: datetime, keep: Keep) -> list[str]:
    """Return the ids of the sessions that are dropped, oldest first; of those that were dropped half, all of the rest.

    ``records``: of all sessions, by their ids."""
    half = [build_id for build_id, one in records.items() if one.dropping]
    closed = sorted(
        (one.closed_at, build_id)
        for build_id, one in records.items()
        if one.closed_at is not None and not one.dropping and (one.files or one.spec)
    )
    left = sum(records[build_id].size_bytes for _, build_id in closed)
    found: list[str] = []
    for closed_at, build_id in closed:
        is_old = bool(keep.days) and now - closed_at > timedelta(days=keep.days)
        if is_old or (keep.mb and left > keep.mb * 1024**2):
            found.append(build_id)
            left -= records[build_id].size_bytes
    return [*half, *found]

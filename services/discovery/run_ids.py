"""Pure: how runs are called."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count


def run_ids(now: datetime) -> Iterator[str]:
    """Names for a run that begins at ``now``, in UTC: ``run_2026-11-21_080102``, then the same with ``_2``, ``_3`` ...

    Take the first that is free.
    """
    name = f"run_{now.astimezone(UTC):%Y-%m-%d_%H%M%S}"
    yield name
    yield from (f"{name}_{number}" for number in count(2))


def rejected_id(now: datetime, digest: str) -> str:
    """What a request that became no run is called in the event that says so."""
    return f"rejected_{now.astimezone(UTC):%Y%m%d_%H%M%S_%f}_{digest[:8]}"

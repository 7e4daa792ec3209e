"""Compares two finished runs of the store, as `exhibit compare` does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager

from shared.comparing.read_run import StoredRun, in_threads
from shared.comparing.run_comparison import compare_runs
from shared.comparing.sides import NotComparable
from shared.contracts.comparing import ComparisonTold
from shared.errors import PermanentError
from shared.evidence_format import layout
from shared.evidence_format.signing import PublicKey
from shared.evidence_format.sources.source import NoRun, RunSource, Unreadable

OpenRun = Callable[[str], AbstractContextManager[RunSource]]


class Comparisons:
    """``open_run``: opens a run of the store by its id. ``key``: that runs are sealed with, where it is known."""

    def __init__(self, open_run: OpenRun, key: PublicKey | None) -> None:
        self._open_run, self._key = open_run, key

    async def compare(self, run_a: str, run_b: str) -> ComparisonTold:
        """Return what has changed from one run to the other, or why they cannot be compared. Raises Unavailable where a
        bucket does not answer."""
        if not (layout.is_safe(run_a) and layout.is_safe(run_b)):
            return ComparisonTold(run_a=run_a, run_b=run_b, refused="this is no id of a run")
        return await asyncio.to_thread(self._compare, run_a, run_b)

    def _compare(self, run_a: str, run_b: str) -> ComparisonTold:
        try:
            with self._open_run(run_a) as one, self._open_run(run_b) as other:
                compared = compare_runs(StoredRun(one, self._key), StoredRun(other, self._key), in_threads(one))
        except (NoRun, NotComparable, Unreadable, PermanentError) as exc:
            return ComparisonTold(run_a=run_a, run_b=run_b, refused=str(exc))
        return ComparisonTold(
            run_a=run_a,
            run_b=run_b,
            same=compared.same,
            counts=compared.counts,
            changed={one.name: one.changed for one in compared.fields if one.changed},
        )

"""Compares two finished runs of the store, as `exhibit compare` does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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

AT_ONCE = 2
LONGEST_S = 60.0
"""The webhook of a run waits for its comparison, and the events behind it wait for both."""


class Comparisons:
    """``open_run``: opens a run of the store by its id. ``key``: that runs are sealed with, where it is known.

    `AT_ONCE` are at work at a time, in threads of their own: one that is given up goes on until it has read what it is
    about to read, and must not take the threads that file events.
    """

    def __init__(self, open_run: OpenRun, key: PublicKey | None, longest_s: float = LONGEST_S) -> None:
        self._open_run, self._key, self._longest_s = open_run, key, longest_s
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="comparisons")

    async def compare(self, run_a: str, run_b: str) -> ComparisonTold:
        """Return what has changed from one run to the other, or why they are not compared, such as that it takes too
        long. Raises Unavailable where a bucket does not answer."""
        if not (layout.is_safe(run_a) and layout.is_safe(run_b)):
            return ComparisonTold(run_a=run_a, run_b=run_b, refused="this is no id of a run")
        try:
            async with asyncio.timeout(self._longest_s):
                return await asyncio.get_running_loop().run_in_executor(self._threads, self._compare, run_a, run_b)
        except TimeoutError:
            refused = f"it takes more than {self._longest_s:g} s: `exhibit compare {run_a} {run_b}` has the time"
            return ComparisonTold(run_a=run_a, run_b=run_b, refused=refused)

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

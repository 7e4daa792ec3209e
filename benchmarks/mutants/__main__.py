"""`make mutants`: whether the fast tests notice one changed condition in the modules that decide.

python -m benchmarks.mutants [--only PART]

Each mutant of the table is written into a copy of the tree, and the tests of its module run in it: first those that the
table names, then, if all pass, all fast tests in their folders. It is killed where a test fails or does not end.
``--only``: the mutants whose path, fragments or promise have these words; no results are written then.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from rich.console import Console
from rich.table import Table

from benchmarks.mutants.mutant import Module, Mutant, changed, line_of
from benchmarks.mutants.table import MODULES
from benchmarks.mutants.working_copy import NothingRanError, RanTests, WorkingCopy
from benchmarks.report import PIPED_WIDTH, Row, at_most, least, report, under

CHECKOUT = Path(__file__).parents[2]
PROCESSES = 2
LEAST_LIMIT_S = 60.0
LEAST_MUTANTS, LEAST_SHARE, MOST_S = 60, 0.95, 600.0

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Case:
    """A mutant of a module. ``line``: where it differs."""

    module: Module
    mutant: Mutant
    line: int

    @property
    def place(self) -> str:
        return f"{self.module.path}:{self.line}"

    def has_words(self, words: str) -> bool:
        texts = (self.place, self.mutant.before, self.mutant.after, self.mutant.promise)
        return any(words.casefold() in text.casefold() for text in texts)


@dataclass(frozen=True)
class Tried:
    """``run``: the tests that killed the mutant, or all of them."""

    case: Case
    run: RanTests

    @property
    def is_killed(self) -> bool:
        return bool(self.run.failed)


@dataclass
class Copies:
    """The copies of the tree that no process uses."""

    free: SimpleQueue[WorkingCopy] = field(default_factory=SimpleQueue[WorkingCopy])

    @contextmanager
    def one(self) -> Generator[WorkingCopy]:
        copy = self.free.get()
        try:
            yield copy
        finally:
            self.free.put(copy)

    def each(self, work: Callable[[WorkingCopy, ItemT], ResultT], items: Sequence[ItemT]) -> list[ResultT]:
        """Return what comes of each item, worked on side by side."""

        def with_a_copy(item: ItemT) -> ResultT:
            with self.one() as copy:
                return work(copy, item)

        pool = ThreadPoolExecutor(PROCESSES)
        try:
            return list(pool.map(with_a_copy, items))
        finally:
            pool.shutdown(cancel_futures=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants")
    parser.add_argument("--only", metavar="PART", default="", help="words of a path, a fragment or a promise")
    only = str(parser.parse_args().only)
    cases = [one for one in all_cases() if one.has_words(only)]
    if not cases:
        parser.error(f"no mutant has the words {only!r}")
    setup: dict[str, object] = {"cores": os.cpu_count(), "load before": f"{os.getloadavg()[0]:.1f}"}
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="exhibit-mutants-") as folder:
        copies = Copies()
        for number in range(PROCESSES):
            copies.free.put(WorkingCopy(CHECKOUT, Path(folder) / str(number)))
        try:
            tried = try_all(copies, cases)
        except NothingRanError as exc:
            print(exc, file=sys.stderr)
            return 1
    seconds = time.monotonic() - began
    show(tried)
    if only:
        print(f"{sum(one.is_killed for one in tried)} of {len(tried)} killed in {seconds:.0f} s")
    else:
        setup["killed by"] = {f"{one.case.place} {one.case.mutant.after.strip()}": one.run.failed for one in tried}
        report("mutants", "Mutants of the modules that decide, tried by the fast tests", rows(tried, seconds), setup)
    return 0


def all_cases() -> list[Case]:
    texts = {module.path: (CHECKOUT / module.path).read_text(encoding="utf-8") for module in MODULES}
    return [Case(one, mutant, line_of(texts[one.path], mutant)) for one in MODULES for mutant in one.mutants]


def try_all(copies: Copies, cases: Sequence[Case]) -> list[Tried]:
    """Try the mutants, once the tests are known to pass without one. Raises NothingRanError."""
    limit_s = _unchanged_s(copies, cases)

    def attempt(copy: WorkingCopy, case: Case) -> Tried:
        tried = try_one(copy, case, limit_s)
        told = tried.run.failed or ("equal" if case.mutant.equal else "SURVIVED")
        print(f"  {tried.run.seconds:5.1f} s  {case.place}  {told}", file=sys.stderr, flush=True)
        return tried

    return copies.each(attempt, cases)


def _unchanged_s(copies: Copies, cases: Sequence[Case]) -> float:
    """Return how long a mutant's tests may take. Raises NothingRanError if one fails without a mutant."""
    tests = sorted({one for case in cases for one in case.module.tests})

    def pass_unchanged(copy: WorkingCopy, some: Sequence[str]) -> float:
        copy.require_own_modules()
        run = copy.run_tests(some, 3600.0)
        if run.failed:
            raise NothingRanError(f"{run.failed} fails without a mutant:\n{run.said}")
        return run.seconds

    parts = [part for number in range(PROCESSES) if (part := tests[number::PROCESSES])]
    return LEAST_LIMIT_S + 2 * sum(copies.each(pass_unchanged, parts))


def try_one(copy: WorkingCopy, case: Case, limit_s: float) -> Tried:
    """Try a mutant with the tests that the table names, then with all in their folders. Raises NothingRanError."""
    text = (copy.folder / case.module.path).read_text(encoding="utf-8")
    tests = case.module.tests
    folders = sorted({one.rpartition("/")[0] if one.endswith(".py") else one for one in tests})
    with copy.holding(case.module.path, changed(text, case.mutant)):
        run = copy.run_tests(tests, limit_s)
        if run.failed or case.mutant.equal or set(folders) == set(tests):
            return Tried(case, run)
        wider = copy.run_tests(folders, 10 * limit_s)
    if wider.failed and not wider.by_time and copy.run_tests([wider.failed.removeprefix("tests/")], limit_s).failed:
        raise NothingRanError(f"{wider.failed} fails without a mutant")
    return Tried(case, RanTests(wider.failed, run.seconds + wider.seconds, wider.by_time))


def show(tried: Sequence[Tried]) -> None:
    """Print every mutant with the test that killed it, and those that none has killed."""
    table = Table("mutant", "killed by", "s", title="Mutants", title_justify="left")
    for one in tried:
        by = one.run.failed or (f"equal: {one.case.mutant.equal}" if one.case.mutant.equal else "none")
        table.add_row(one.case.place, by.removeprefix("tests/"), f"{one.run.seconds:.1f}")
    Console(width=None if sys.stdout.isatty() else PIPED_WIDTH).print(table)
    for one in survivors(tried):
        mutant = one.case.mutant
        print(
            f"\nsurvived: {one.case.place}: {mutant.promise}\n  - {mutant.before.strip()}\n  + {mutant.after.strip()}"
        )
    for one in tried:
        if one.is_killed and one.case.mutant.equal:
            print(f"\nnot equal: {one.case.place} is killed by {one.run.failed}")
    print()


def survivors(tried: Sequence[Tried]) -> list[Tried]:
    """Return the mutants that no test has killed, and of which nothing says why."""
    return [one for one in tried if not one.is_killed and not one.case.mutant.equal]


def rows(tried: Sequence[Tried], seconds: float) -> list[Row]:
    counted = [one for one in tried if not one.case.mutant.equal]
    left = survivors(tried)
    return [
        least(LEAST_MUTANTS, "mutants", "count", len(counted)),
        Row("modules", "count", len({one.case.module.path for one in tried})),
        least(LEAST_SHARE, "killed by the fast tests", "share", 1 - len(left) / len(counted)),
        at_most(0, "survivors without a test or a reason", "count", len(left)),
        Row("equal mutants, each with its reason", "count", len(tried) - len(counted)),
        Row("killed by time", "count", sum(one.run.by_time for one in tried)),
        Row("a mutant", "s, mean", sum(one.run.seconds for one in tried) / len(tried)),
        under(MOST_S, "all of them", "s", seconds),
    ]


if __name__ == "__main__":
    sys.exit(main())

"""`make bench-tests`: what the three test commands take, and whether tests fail on a busy machine.

    python -m benchmarks.suite [--long] [--loaded RUNS]

Seconds are those of the whole command, processor seconds those of the whole machine meanwhile, which has to have
nothing else to do. `make test` is run once alone, then ``--loaded`` times beside four processes that never rest.
`make test-long` is run with ``--long`` alone. What mutants survive is read from the last `make mutants`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.report import RESULTS, Row, at_most, least, report

ROOT = Path(__file__).parents[1]
BUSY_LOOPS = 4
BEFORE = "2936f38d"
"""The commit before the tests were made smaller. Its figures, from runs and counts of that commit:"""
LINES_BEFORE, TESTS_BEFORE, MINUTES_BEFORE, CPU_S_BEFORE = 80_801, 10_024, 41.3, 2_400.0
BOUND_S = 3 * 3600.0
SUMMARY = re.compile(r"=+ (?P<counts>.*) in [\d.]+s")


@dataclass(frozen=True)
class Timed:
    """A test command: seconds of clock and processor, and what pytest counted, by its words (``passed``)."""

    wall_s: float
    cpu_s: float
    counts: dict[str, int]
    exit_code: int


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite")
    parser.add_argument("--long", action="store_true", help="time `make test-long` too")
    parser.add_argument("--loaded", type=int, default=10, help="runs of `make test` beside four busy loops")
    asked = parser.parse_args()
    setup: dict[str, object] = {"cores": os.cpu_count(), "load before": f"{os.getloadavg()[0]:.1f}"}
    fast, whole = timed("test-fast"), timed("test")
    rows = [
        at_most(2.5, "make test-fast", "minutes", fast.wall_s / 60),
        Row("make test-fast", "CPU s", fast.cpu_s),
        at_most(10.0, "make test", "minutes", whole.wall_s / 60, MINUTES_BEFORE),
        at_most(1000.0, "make test", "CPU s", whole.cpu_s, CPU_S_BEFORE),
        at_most(0, "make test: failed", "tests", failed(whole)),
        Row("make test", "tests", whole.counts.get("passed", 0), TESTS_BEFORE),
        at_most(60_000, "test code", "lines", lines_of_tests(), LINES_BEFORE),
        *mutant_rows(),
    ]
    if asked.long:
        long = timed("test-long")
        rows += [
            Row("make test-long", "minutes", long.wall_s / 60),
            Row("make test-long", "CPU s", long.cpu_s),
            at_most(0, "make test-long: failed", "tests", failed(long)),
        ]
    if asked.loaded:
        rows += loaded_rows(asked.loaded)
    report("tests", f"The tests, beside those of {BEFORE}", rows, setup)


def timed(target: str) -> Timed:
    """Run ``make TARGET`` and return what it took."""
    print(f"make {target} ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryFile("w+") as output:
        began, taken = time.monotonic(), busy_s()
        ended = subprocess.run(["make", target], cwd=ROOT, stdout=output, stderr=output, check=False, timeout=BOUND_S)
        wall_s, cpu_s = time.monotonic() - began, busy_s() - taken
        output.seek(0)
        said = output.read()
    timing = Timed(wall_s, cpu_s, counts_in(said), ended.returncode)
    print(f"  {wall_s:.0f} s, {cpu_s:.0f} CPU s, {timing.counts}, exit code {ended.returncode}", file=sys.stderr)
    if timing.exit_code:
        print(said[-4000:], file=sys.stderr, flush=True)
    return timing


def busy_s() -> float:
    """Return the processor seconds that this machine has worked since it started."""
    times = psutil.cpu_times()
    return times.user + times.system + times.nice + getattr(times, "irq", 0.0) + getattr(times, "softirq", 0.0)


def counts_in(output: str) -> dict[str, int]:
    """Return what the last summary line of pytest counts, by its words."""
    summaries = SUMMARY.findall(output)
    words = re.findall(r"(\d+) (\w+)", summaries[-1]) if summaries else []
    return {word: int(number) for number, word in words}


def failed(timing: Timed) -> int:
    """Return how many tests failed; 1 if only the command did."""
    return timing.counts.get("failed", 0) + timing.counts.get("error", 0) + timing.counts.get("errors", 0) or int(
        timing.exit_code != 0
    )


def loaded_rows(runs: int) -> list[Row]:
    with busy_loops(BUSY_LOOPS):
        taken = [timed("test") for _ in range(runs)]
    beside = f"beside {BUSY_LOOPS} busy loops"
    return [
        least(10, f"runs of make test {beside}", "count", runs),
        at_most(0, f"failed {beside}", "tests", sum(map(failed, taken))),
        Row(f"make test {beside}", "minutes, most", max(one.wall_s for one in taken) / 60),
    ]


@contextmanager
def busy_loops(count: int) -> Generator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def lines_of_tests() -> int:
    return sum(path.read_text(encoding="utf-8").count("\n") for path in (ROOT / "tests").rglob("*.py"))


def mutant_rows() -> list[Row]:
    """Return the rows of the last `make mutants`; none if it never ran."""
    path = RESULTS / "mutants.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    return [Row(**{name: row[name] for name in ("what", "unit", "figure", "peer", "aim", "met")}) for row in rows]


if __name__ == "__main__":
    main()

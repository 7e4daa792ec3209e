"""`make bench-tests`: what the test commands take, and whether tests fail on a busy machine.

    python -m benchmarks.suite [alone] [loaded] [long] [--runs RUNS]

``alone``: `make test-fast` and `make test`, once each. ``loaded``: `make test` beside four processes that never rest,
RUNS times (10). ``long``: `make test-long`. Without a word: alone and loaded; only then results are written.
Seconds are those of the whole command, processor seconds those of the whole machine meanwhile, which has to have
nothing else to do. What mutants survive is read from the last `make mutants`. The exit code is 1 if a test failed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.junit import Outcome, read_cases
from benchmarks.report import RESULTS, Row, at_most, least, print_rows, report

ROOT = Path(__file__).parents[1]
BUSY_LOOPS = 4
BEFORE = "2936f38d"
"""The commit before the tests were made smaller. Its figures, from runs and counts of that commit:"""
LINES_BEFORE, TESTS_BEFORE, MINUTES_BEFORE, CPU_S_BEFORE = 80_801, 10_024, 41.3, 2_400.0
BOUND_S = 3 * 3600.0


@dataclass(frozen=True)
class Timed:
    """A test command: seconds of clock and processor, and how many tests came to what."""

    wall_s: float
    cpu_s: float
    counts: Counter[Outcome]
    exit_code: int


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--runs", type=int, default=10, help="how often `make test` is run beside busy loops")
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    setup: dict[str, object] = {"cores": os.cpu_count(), "load before": f"{os.getloadavg()[0]:.1f}"}
    rows: list[Row] = []
    failures = 0
    for part in asked.parts or ("alone", "loaded"):
        more, failed_here = PARTS[part](asked.runs)
        rows += more
        failures += failed_here
    title = f"The tests, beside those of {BEFORE}"
    if asked.parts:
        print_rows(title, rows)
    else:
        report("tests", title, rows, setup)
    return int(failures > 0)


def measure_alone(_: int) -> tuple[list[Row], int]:
    """Return the rows, and how many tests failed."""
    fast, whole = timed("test-fast"), timed("test")
    rows = [
        at_most(2.5, "make test-fast", "minutes", fast.wall_s / 60),
        Row("make test-fast", "CPU s", fast.cpu_s),
        at_most(0, "make test-fast: failed", "tests", failed(fast)),
        at_most(10.0, "make test", "minutes", whole.wall_s / 60, MINUTES_BEFORE),
        at_most(1000.0, "make test", "CPU s", whole.cpu_s, CPU_S_BEFORE),
        at_most(0, "make test: failed", "tests", failed(whole)),
        Row("make test", "tests", whole.counts["passed"], TESTS_BEFORE),
        at_most(60_000, "test code", "lines", lines_of_tests(), LINES_BEFORE),
        *mutant_rows(),
    ]
    return rows, failed(fast) + failed(whole)


def measure_long(_: int) -> tuple[list[Row], int]:
    long = timed("test-long")
    rows = [
        Row("make test-long", "minutes", long.wall_s / 60),
        Row("make test-long", "CPU s", long.cpu_s),
        at_most(0, "make test-long: failed", "tests", failed(long)),
    ]
    return rows, failed(long)


def timed(target: str) -> Timed:
    """Run ``make TARGET`` and return what it took."""
    print(f"make {target} ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="exhibit-suite-") as folder, tempfile.TemporaryFile("w+") as output:
        written = Path(folder) / "cases.xml"
        env = {**os.environ, "PYTEST_ADDOPTS": f"--junitxml={written}"}
        began, taken = time.monotonic(), busy_s()
        ended = subprocess.run(
            ["make", target], cwd=ROOT, env=env, stdout=output, stderr=output, check=False, timeout=BOUND_S
        )
        wall_s, cpu_s = time.monotonic() - began, busy_s() - taken
        output.seek(0)
        said = output.read()
        counts: Counter[Outcome] = Counter(case.outcome for case in read_cases(written))
    timing = Timed(wall_s, cpu_s, counts, ended.returncode)
    print(f"  {wall_s:.0f} s, {cpu_s:.0f} CPU s, {dict(timing.counts)}, exit code {ended.returncode}", file=sys.stderr)
    if timing.exit_code:
        print(said[-4000:], file=sys.stderr, flush=True)
    return timing


def busy_s() -> float:
    """Return the processor seconds that this machine has worked since it started."""
    times = psutil.cpu_times()
    return times.user + times.system + times.nice + getattr(times, "irq", 0.0) + getattr(times, "softirq", 0.0)


def failed(timing: Timed) -> int:
    """Return how many tests failed; 1 if only the command did."""
    return timing.counts["failed"] or int(timing.exit_code != 0)


def measure_loaded(runs: int) -> tuple[list[Row], int]:
    with busy_loops(BUSY_LOOPS):
        taken = [timed("test") for _ in range(runs)]
    beside = f"beside {BUSY_LOOPS} busy loops"
    failures = sum(map(failed, taken))
    rows = [
        least(10, f"runs of make test {beside}", "count", runs),
        at_most(0, f"make test {beside}: failed", "tests", failures),
        Row(f"make test {beside}", "minutes, most", max(one.wall_s for one in taken) / 60),
    ]
    return rows, failures


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


PARTS = {"alone": measure_alone, "loaded": measure_loaded, "long": measure_long}


if __name__ == "__main__":
    sys.exit(main())

"""`make bench-security`: attacks tried and stopped, the flood that an honest run bears, and what security costs.

Attacks are the tests of `security_attacks.py`, run anew. A test that is skipped has stopped nothing.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.junit import OPTIONS as JUNIT_OPTIONS
from benchmarks.junit import Case, read_cases
from benchmarks.report import PIPED_WIDTH, Row, at_most, least, report
from benchmarks.security_attacks import ATTACKS, Attack
from benchmarks.security_cost import authentication_rows, signing_rows, steps_of_a_run
from benchmarks.security_flood import RATE, SLOWER, Flood, measure_flood

TESTS_BOUND_S = 3600
TIMED = 20
"""Samples whose steps are timed."""


@dataclass(frozen=True)
class Tried:
    """``tests``: how many ran; ``failed``: names of those that failed or did not run."""

    attack: Attack
    tests: int
    failed: tuple[str, ...]

    @property
    def stopped(self) -> bool:
        return self.tests > 0 and not self.failed


def main() -> None:
    setup: dict[str, object] = {"cores": os.cpu_count(), "load before": f"{os.getloadavg()[0]:.1f}"}
    tried = judge(ATTACKS, run_tests(sorted({one.partition("::")[0] for attack in ATTACKS for one in attack.tests})))
    print_attacks(tried)
    flood, costs = asyncio.run(measure_flood()), asyncio.run(measure_costs())
    setup |= {f"seconds of a run, {RATE} {kind} a second": round(took_s, 1) for kind, took_s in flood.seconds.items()}
    setup["seconds of a run without"] = round(flood.plain_s, 1)
    report("security", "Attacks, floods, and what security costs", [*rows(tried, flood), *costs], setup)


async def measure_costs() -> list[Row]:
    """What signatures and users of the bus cost a step. `make bench-telemetry` tells it of traces, metrics and logs."""
    steps = await steps_of_a_run(TIMED)
    with tempfile.TemporaryDirectory() as folder:
        return [*signing_rows(steps), *await authentication_rows(steps, Path(folder))]


def run_tests(files: Sequence[str]) -> list[Case]:
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "cases.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-n",
            "2",
            "--dist",
            "loadfile",
            f"--junitxml={written}",
            *JUNIT_OPTIONS,
            "-m",
            "",  # what `make test` leaves to `make test-long` as well
        ]
        subprocess.run([*command, *(f"tests/{one}" for one in files)], check=False, timeout=TESTS_BOUND_S)
        return read_cases(written)


def is_of(case: Case, pattern: str) -> bool:
    """Return whether the case is of ``file`` or ``file::beginning of a name``."""
    file, _, begin = pattern.partition("::")
    return case.file == file and case.name.startswith(begin)


def judge(attacks: Iterable[Attack], cases: Sequence[Case]) -> list[Tried]:
    tried: list[Tried] = []
    for attack in attacks:
        found = {pattern: [case for case in cases if is_of(case, pattern)] for pattern in attack.tests}
        failed = [f"{case.file}::{case.name}" for own in found.values() for case in own if case.outcome != "passed"]
        missing = [pattern for pattern, own in found.items() if not own]
        tried.append(Tried(attack, sum(map(len, found.values())), (*failed, *missing)))
    return tried


def print_attacks(tried: Iterable[Tried]) -> None:
    table = Table(title="Attacks", title_justify="left")
    for column in ("who", "what is tried", "tests", "stopped"):
        table.add_column(column)
    for one in tried:
        told = "yes" if one.stopped else f"no: {', '.join(one.failed[:3])}"
        table.add_row(one.attack.adversary, one.attack.what, str(one.tests), told)
    Console(width=None if sys.stdout.isatty() else PIPED_WIDTH).print(table)


def rows(tried: Sequence[Tried], flood: Flood) -> list[Row]:
    stopped = sum(one.stopped for one in tried)
    return [
        least(len(tried), "attacks stopped", "attacks", stopped),
        Row("tests of them", "tests", sum(one.tests for one in tried)),
        *(
            at_most(SLOWER, f"a run with {RATE} {kind} a second takes longer", "times", seconds / flood.plain_s)
            for kind, seconds in flood.seconds.items()
        ),
    ]


if __name__ == "__main__":
    main()

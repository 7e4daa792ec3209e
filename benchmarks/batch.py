"""`make bench`: the system beside a hand-written Playwright script that does the same job.

Both drive the same browser at the same concurrency against the practice ticket site, alternating, each in its own
process; the table shows the median of the rounds. Memory is measured in runs of its own: sampling slows a run.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from benchmarks.memory import PeakMemory
from benchmarks.report import Row, at_least, report, under
from exhibit.demo import SPEC, practice_site
from practice.tickets.data import ground_truth
from practice.tickets.demo import compare, write_input

ROUNDS = int(os.environ.get("ROUNDS", "3"))
CONCURRENCY = 5
BOUND_S = 300


@dataclass(frozen=True)
class Measured:
    """``python_mb`` and ``tree_mb``: peak memory of the Python process and of all processes; 0 where it was not
    measured."""

    samples_per_s: float
    python_mb: float = 0.0
    tree_mb: float = 0.0
    location: Path | None = None


def main() -> None:
    tickets = ground_truth()
    with practice_site() as url, tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "tickets.csv"
        write_input(samples, url, tickets)
        ours, peers = [], []
        for turn in range(ROUNDS):
            peers.append(_peer(samples, Path(folder) / f"peer{turn}"))
            ours.append(_ours(samples, Path(folder) / f"ours{turn}", CONCURRENCY))
            must_agree(ours[-1], tickets)
        alone = _ours(samples, Path(folder) / "alone", 1)
        our_peak = _ours(samples, Path(folder) / "our peak", CONCURRENCY, memory=True)
        peer_peak = _peer(samples, Path(folder) / "peer peak", memory=True)
        rows = [
            at_least(0.8, f"samples, {CONCURRENCY} at a time", "per s", median(ours), median(peers)),
            under(5, "a step outside Playwright, 1 at a time", "ms, median", statistics.median(_outside_ms(alone))),
            _plain(f"the same, {CONCURRENCY} at a time", "ms, median", statistics.median(_outside_ms(ours[-1]))),
            Row("peak memory, Python", "MB", our_peak.python_mb, peer_peak.python_mb),
            Row("peak memory, all processes", "MB", our_peak.tree_mb, peer_peak.tree_mb),
        ]
    setup = {"samples": 60, "rounds": ROUNDS, "concurrency": CONCURRENCY, "cores": os.cpu_count()}
    report("batch", "60 practice tickets: the system beside a hand-written Playwright script", rows, setup)


def _peer(samples: Path, out: Path, *, memory: bool = False) -> Measured:
    out.mkdir()
    return measure("benchmarks.peer_playwright", str(samples), str(out), str(CONCURRENCY), memory=memory)


def _ours(samples: Path, evidence: Path, concurrency: int, *, memory: bool = False) -> Measured:
    return measure("benchmarks.system", str(SPEC), str(samples), str(evidence), str(concurrency), memory=memory)


def measure(module: str, *arguments: str, variables: Mapping[str, str] | None = None, memory: bool = False) -> Measured:
    """Run a module in a process of its own, with environment ``variables``; it prints its seconds and its samples.

    ``memory``: its memory is sampled. That slows what has many processes more than what has few, so that such a run
    tells nothing of speed."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, **(variables or {})}
    ) as process:
        try:
            with PeakMemory(process.pid) if memory else nullcontext() as peak:
                output, _ = process.communicate(timeout=BOUND_S)
        finally:
            process.kill()
    if process.returncode:
        raise SystemExit(f"{module} ended with {process.returncode}")
    figures = json.loads(output.splitlines()[-1])
    location = Path(figures["location"]) if "location" in figures else None
    peak_mb = (0.0, 0.0) if peak is None else (peak.python_mb, peak.tree_mb)
    return Measured(figures["samples"] / figures["seconds"], *peak_mb, location)


def must_agree(measured: Measured, tickets: list) -> None:
    """Exit if a cell is wrong: speed counts only with correct results."""
    assert measured.location is not None
    if differences := compare(measured.location / "combined.csv", tickets):
        raise SystemExit("the table is wrong:\n" + "\n".join(map(str, differences)))


def _outside_ms(measured: Measured) -> list[float]:
    """Return the wall time of each step without the time in Playwright, over all samples of a run."""
    assert measured.location is not None
    return [step["total_ms"] - step["browser_ms"] for steps in steps_of_samples(measured.location) for step in steps]


def steps_of_samples(location: Path) -> Iterator[list[dict]]:
    """Yield the steps of each sample of a run, as they are logged."""
    for log in sorted(location.glob("*/action_log.json")):
        yield json.loads(log.read_text(encoding="utf-8"))


def median(rounds: list[Measured]) -> float:
    return statistics.median(measured.samples_per_s for measured in rounds)


def _plain(what: str, unit: str, figure: float) -> Row:
    return Row(what, unit, figure)


if __name__ == "__main__":
    main()

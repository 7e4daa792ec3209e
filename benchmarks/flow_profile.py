"""Where the time of a flow goes, beside the hand-written script of `make bench-flows`: `make bench-flow-profile`.

The processor time of each kind of process, a sample, and the parts of each step. What starting takes is left out: it is
the same for few and for many samples.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.batch import BOUND_S, steps_of_samples
from benchmarks.cpu_time import CpuTime
from benchmarks.flows import publish_tickets_flow
from benchmarks.report import Row, report
from exhibit.demo import SPEC, practice_site
from practice.tickets.data import ground_truth
from practice.tickets.demo import write_input

FEW = 6
MANY = int(os.environ.get("SAMPLES", "36"))
AT_A_TIME = (1, 5)
LEAST_MS = 0.5
"""Kinds of process that take less of both are left out."""


@dataclass(frozen=True)
class Taken:
    """What a run took: seconds on the clock, and of the processor by kind of process."""

    clock_s: float
    cpu_s: dict[str, float]
    location: Path | None = None

    def beyond(self, less: Taken, samples: int) -> dict[str, float]:
        """Return the milliseconds of processor of a sample, from a run of so many samples less."""
        return {kind: (self.cpu_s[kind] - less.cpu_s.get(kind, 0.0)) / samples * 1000 for kind in self.cpu_s}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="exhibit-profile-") as temporary, practice_site() as url:
        folder = Path(temporary)
        asyncio.run(publish_tickets_flow(folder / "made"))
        rows = [row for at_a_time in AT_A_TIME for row in _rows(folder, url, at_a_time)]
    setup = {"samples": MANY, "cores": os.cpu_count(), "load before": f"{os.getloadavg()[0]:.1f}"}
    report("flow_profile", "A flow beside a hand-written script: what a sample takes", rows, setup)


def _rows(folder: Path, url: str, at_a_time: int) -> Iterator[Row]:
    runs = {
        (module, samples): _run(folder, url, module, samples, at_a_time)
        for module in ("system", "peer_playwright")
        for samples in (FEW, MANY)
    }
    flow, few_flow = runs["system", MANY], runs["system", FEW]
    script, few_script = runs["peer_playwright", MANY], runs["peer_playwright", FEW]
    samples = MANY - FEW
    clock = (flow.clock_s - few_flow.clock_s) / samples * 1000
    peers = (script.clock_s - few_script.clock_s) / samples * 1000
    yield Row(f"{at_a_time} at a time: on the clock", "ms", clock, peers)
    ours, theirs = flow.beyond(few_flow, samples), script.beyond(few_script, samples)
    yield Row(f"{at_a_time} at a time: processor", "ms", sum(ours.values()), sum(theirs.values()))
    for kind in sorted({*ours, *theirs}, key=lambda kind: -ours.get(kind, 0.0)):
        figure, peer = ours.get(kind, 0.0), theirs.get(kind, 0.0)
        if max(figure, peer) >= LEAST_MS:
            yield Row(f"{at_a_time} at a time: processor of {kind}", "ms", figure, peer)
    assert flow.location is not None
    for step, (total, browser, decide) in _steps(flow.location).items():
        what = f"{at_a_time} at a time: step {step}"
        yield Row(f"{what}, in and with the browser", "ms, median", browser)
        yield Row(f"{what}, deciding", "ms, median", decide)
        yield Row(f"{what}, all else", "ms, median", total - browser - decide)


def _run(folder: Path, url: str, module: str, samples: int, at_a_time: int) -> Taken:
    file, out = folder / f"{samples}.csv", folder / f"{module} {samples} {at_a_time}"
    write_input(file, url, ground_truth()[:samples])
    out.mkdir()
    arguments = [str(file), str(out), str(at_a_time)]
    arguments = [str(SPEC), *arguments, "flow"] if module == "system" else [*arguments, "store-page"]
    variables = {**os.environ, "EXHIBIT_WORKFLOWS_DIR": str(folder / "made" / "workflows")}
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables) as process:
        try:
            with CpuTime(process.pid) as taken:
                output, _ = process.communicate(timeout=BOUND_S)
        finally:
            process.kill()
    if process.returncode:
        raise SystemExit(f"{module} ended with {process.returncode}")
    figures = json.loads(output.splitlines()[-1])
    return Taken(figures["seconds"], taken.seconds, Path(figures["location"]) if "location" in figures else None)


def _steps(location: Path) -> dict[str, tuple[float, float, float]]:
    """Return the median of all, of the browser's and of the deciding time of each step, by its action."""
    times: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for steps in steps_of_samples(location):
        for step in steps:
            times[step["action"]].append((step["total_ms"], step["browser_ms"], step["decide_ms"]))
    return {action: _medians(some) for action, some in times.items()}


def _medians(times: list[tuple[float, float, float]]) -> tuple[float, float, float]:
    total, browser, decide = (statistics.median(one) for one in zip(*times, strict=True))
    return total, browser, decide


if __name__ == "__main__":
    main()

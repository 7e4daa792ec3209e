"""`make bench-telemetry`: what traces, metrics and JSON logs cost a step, beside the same run without them.

The kinds take turns, each run in a process of its own, against one practice site and one collector on loopback. The
cost is the processor time of the system's process for each step, as a share of the time that a step takes without
telemetry: of times on the wall a machine with other work says little.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks.batch import BOUND_S, steps_of_samples
from benchmarks.report import Row, report, under
from exhibit.demo import SPEC, practice_site
from practice.tickets.data import ground_truth
from practice.tickets.demo import compare, write_input

ROUNDS = int(os.environ.get("ROUNDS", "5"))
TICKETS = int(os.environ.get("TICKETS", "60"))
KINDS = ("off", "json", "traces", "metrics")
NAMES = {"json": "JSON logs at INFO", "traces": "traces to a collector", "metrics": "metrics to a collector"}
MOST_PERCENT = 3.0


@dataclass(frozen=True)
class Measured:
    """Of one run: ``cpu_ms`` of this system's process for each step, and the median ``step_ms`` on the wall."""

    cpu_ms: float
    step_ms: float
    samples_per_s: float


class Collector(ThreadingHTTPServer):
    """Takes whatever is sent, and counts the bytes."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.bytes = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Taking(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        size = int(self.headers["content-length"])
        self.rfile.read(size)
        assert isinstance(self.server, Collector)
        self.server.bytes += size
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None: ...


def main() -> None:
    tickets = ground_truth()[:TICKETS]
    collector = Collector()
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    runs: dict[str, list[Measured]] = {kind: [] for kind in KINDS}
    sent: dict[str, int] = dict.fromkeys(KINDS, 0)
    with practice_site() as url, tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "tickets.csv"
        write_input(samples, url, tickets)
        for turn in range(ROUNDS):
            for kind in KINDS[turn % len(KINDS) :] + KINDS[: turn % len(KINDS)]:
                before = collector.bytes
                runs[kind].append(_run(kind, samples, Path(folder) / f"{kind}{turn}", collector.url, tickets))
                sent[kind] += collector.bytes - before
    collector.shutdown()
    for kind in ("traces", "metrics"):
        if not sent[kind]:
            raise SystemExit(f"{kind}: nothing was sent to the collector, so nothing was measured")
    setup = {"samples": len(tickets), "rounds": ROUNDS, "cores": os.cpu_count(), "bytes_sent": sent}
    report("telemetry", "practice tickets: what telemetry costs a step", rows_of(runs), setup)


def rows_of(runs: dict[str, list[Measured]]) -> list[Row]:
    """Return the cost of each kind in percent of a step, and the figures that it is made of."""
    off_ms = statistics.median(one.cpu_ms for one in runs["off"])
    step_ms = statistics.median(one.step_ms for one in runs["off"])
    rows: list[Row] = []
    for kind, name in NAMES.items():
        cpu_ms = statistics.median(one.cpu_ms for one in runs[kind])
        rows.append(under(MOST_PERCENT, name, "% of a step", 100 * (cpu_ms - off_ms) / step_ms))
        rows.append(Row(f"{name}: processor", "ms a step", cpu_ms, off_ms))
        rate = statistics.median(one.samples_per_s for one in runs[kind])
        rows.append(Row(f"{name}: samples", "per s", rate, statistics.median(o.samples_per_s for o in runs["off"])))
    return [*rows, Row("a step without telemetry", "ms, median", step_ms)]


def _run(kind: str, samples: Path, evidence: Path, endpoint: str, tickets: list) -> Measured:
    command = [sys.executable, "-m", "benchmarks.telemetry_run", kind, str(SPEC), str(samples), str(evidence), endpoint]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S)
    if ended.returncode:
        raise SystemExit(f"{kind}: {ended.stderr[-2000:]}")
    figures = json.loads(ended.stdout.splitlines()[-1])
    location = Path(figures["location"])
    if differences := compare(location / "combined.csv", tickets):
        raise SystemExit("the table is wrong:\n" + "\n".join(map(str, differences)))
    times = [step["total_ms"] for steps in steps_of_samples(location) for step in steps]
    if kind == "json" and not ended.stderr.startswith("{"):
        raise SystemExit("no JSON line was logged, so nothing was measured")
    return Measured(
        figures["cpu_s"] * 1000 / len(times), statistics.median(times), figures["samples"] / figures["seconds"]
    )


if __name__ == "__main__":
    main()

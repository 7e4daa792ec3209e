"""10,000 synthetic samples through the real evidence service, in its own process, on a real nats-server.

Every sample sends the messages of a planner and a browser pool: four steps, two captures of three files each through
the ARTIFACTS bucket, and a result. There is no browser, so evidence and the bus are measured.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from msgspec.structs import replace
from nats.js.errors import NotFoundError

from benchmarks.evidence_files import artifact_bytes
from benchmarks.evidence_world import RUN_ID, finished_of, found, record, steps_of
from benchmarks.memory import PeakMemory
from benchmarks.report import Row, at_most
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.signing.registered_keys import RegisteredKeys
from shared.client import Client, connect
from shared.contracts.discovery import PopulationClosed, RunStarted
from shared.contracts.evidence import RunLoaded
from shared.contracts.steps import FiledArtifact
from shared.errors import Unavailable
from shared.host.nats_server import nats_server
from shared.host.services import service_user
from shared.streams import ARTIFACTS, EVENTS_STREAM
from shared.subjects import POPULATION_CLOSED, RUN_STARTED, SAMPLE_FINISHED, SAMPLE_FOUND, STEP_TAKEN

AT_ONCE, ARTIFACTS_EACH = 8, 6
AHEAD = 200
"""Number of events that the samples may be ahead of evidence: as many as a few pools would be."""
MB = 1024 * 1024
MOST_GROWTH_MB = 60
"""Memory limit from the first samples to the 10,000th: a few kilobytes are kept per sample."""


@dataclass
class Seen:
    """Figures of a run of the service; memory is the peak of its process."""

    samples: int
    filed_s: float = 0.0
    closed_s: float = 0.0
    recalled_s: float = 0.0
    peak_mb: dict[int, float] = field(default_factory=dict[int, float])
    closing_mb: float = 0.0
    closing_tree_mb: float = 0.0
    """Includes the child processes that write the outputs."""
    folder_mb: float = 0.0


@dataclass(frozen=True)
class Senders:
    """Who sends the events, and signs them, and who asks."""

    client: Client
    discovery: Bus
    planner: Bus


@asynccontextmanager
async def open_senders(url: str) -> AsyncGenerator[Senders]:
    keys = RegisteredKeys()
    async with (
        connect(url) as client,
        connect_bus(url, name="discovery", signing=keys.signing_of(service_user("discovery"))) as discovery,
        connect_bus(url, name="planner", signing=keys.signing_of(service_user("planner"))) as planner,
    ):
        yield Senders(client, discovery, planner)


@asynccontextmanager
async def evidence_at_work(folder: Path) -> AsyncGenerator[tuple[str, Senders]]:
    """A server with an evidence service that answers; yields its address and who sends to it."""
    async with (
        nats_server(folder / "streams") as url,
        open_senders(url) as senders,
        evidence_service(url, folder),
    ):
        while not await answers(senders.client):  # noqa: ASYNC110  it is another process
            await asyncio.sleep(0.05)
        yield url, senders


async def through_the_service(samples: int, marks: Iterable[int] = (1_000, 5_000, 10_000)) -> Seen:
    seen = Seen(samples)
    with tempfile.TemporaryDirectory(prefix="exhibit-bench-") as scratch:
        folder = Path(scratch)
        async with nats_server(folder / "streams") as url, open_senders(url) as senders:
            async with evidence_service(url, folder) as process:
                await _file(senders, process, seen, [mark for mark in marks if mark <= samples])
                await _close(senders, process, seen)
            async with evidence_service(url, folder):
                await _recall(senders.client, seen)
        seen.folder_mb = sum(path.stat().st_size for path in (folder / "evidence").rglob("*") if path.is_file()) / MB
    return seen


@asynccontextmanager
async def evidence_service(url: str, folder: Path) -> AsyncGenerator[psutil.Process]:
    env = {**os.environ, "EXHIBIT_NATS_URL": url, "EXHIBIT_EVIDENCE_DIR": str(folder / "evidence")}
    env |= {"EXHIBIT_STATE_DIR": str(folder / "state")}
    process = subprocess.Popen([sys.executable, "-m", "services.evidence"], env=env)  # noqa: ASYNC220
    try:
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)


async def _file(senders: Senders, process: psutil.Process, seen: Seen, marks: list[int]) -> None:
    """Send all samples as found, as in a run of a file; then work on them, some at the same time."""
    client, bus = senders.client, senders.discovery
    await bus.publish(RUN_STARTED, RunStarted(run_id=RUN_ID, record=record()))
    before = time.perf_counter()
    for start in range(1, seen.samples + 1, 100):
        some = range(start, min(start + 100, seen.samples + 1))
        await asyncio.gather(*(bus.publish(SAMPLE_FOUND, found(number)) for number in some))
    await bus.publish(POPULATION_CLOSED, PopulationClosed(run_id=RUN_ID, samples=seen.samples))
    for start in range(1, seen.samples, AT_ONCE):
        some = range(start, min(start + AT_ONCE, seen.samples))  # the last one ends the run: see `_close`
        await asyncio.gather(*(work_on(senders, number) for number in some))
        await caught_up(client, AHEAD)
        for mark in [mark for mark in marks if start + AT_ONCE > mark and mark not in seen.peak_mb]:
            await caught_up(client, 0)
            seen.peak_mb[mark] = _peak_mb(process)
    await caught_up(client, 0)
    seen.filed_s = time.perf_counter() - before
    seen.peak_mb[seen.samples] = _peak_mb(process)


async def work_on(senders: Senders, number: int) -> None:
    """Send one sample with all its files, as planner and browser pool do."""
    files, sent = artifact_bytes(number), list[FiledArtifact]()
    for step in steps_of(number):
        sent += step.artifacts
        for filed in step.artifacts:
            await senders.planner.put(ARTIFACTS, filed.artifact.blob, files[filed.filename])
        await senders.planner.publish(STEP_TAKEN, step)
    await senders.planner.publish(SAMPLE_FINISHED, replace(finished_of(number), artifacts=tuple(sent)))


async def _close(senders: Senders, process: psutil.Process, seen: Seen) -> None:
    """Measure the time from the last result to the message that the run is finished."""
    before = time.perf_counter()
    with PeakMemory(process.pid) as peak:
        await work_on(senders, seen.samples)
        finished = await senders.client.result(RUN_ID)
    seen.closing_tree_mb = peak.tree_mb
    seen.closed_s = time.perf_counter() - before
    seen.closing_mb = _peak_mb(process)
    if finished.samples != seen.samples:
        raise SystemExit(f"{finished.samples} of {seen.samples} samples are accounted for")


async def _recall(client: Client, seen: Seen) -> None:
    """Measure a new process that is asked for its whole knowledge of the run."""
    while not await answers(client):  # noqa: ASYNC110  it is another process
        await asyncio.sleep(0.05)
    before = time.perf_counter()
    loaded = await client.load(RUN_ID)
    seen.recalled_s = time.perf_counter() - before
    if not isinstance(loaded, RunLoaded) or len(loaded.samples) != seen.samples:
        raise SystemExit(f"not all of {seen.samples} samples are told")


async def answers(client: Client) -> bool:
    try:
        await client.load("run_nobody_knows")
    except Unavailable:
        return False
    return True


async def caught_up(client: Client, behind: int) -> None:
    """Wait until evidence has at most ``behind`` unprocessed events."""
    while await _left(client) > behind:  # noqa: ASYNC110  it is another process
        await asyncio.sleep(0.02)


async def _left(client: Client) -> int:
    try:
        info = await client.bus.js.consumer_info(EVENTS_STREAM.name, "evidence")
    except NotFoundError:  # the service has not begun yet
        return sys.maxsize
    return (info.num_pending or 0) + (info.num_ack_pending or 0)


def _peak_mb(process: psutil.Process) -> float:
    """Return the peak memory so far, as Linux counts it."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def most_mb(first: float, samples: int) -> int:
    """Return the memory limit: a share per sample, and a fixed share for closing a run."""
    return round(first + MOST_GROWTH_MB * samples / 10_000)


def service_rows(seen: Seen) -> list[Row]:
    marks = sorted(seen.peak_mb)
    first = seen.peak_mb[marks[0]]
    rows = [Row(f"{seen.samples:,} samples through the service", "samples/s", seen.samples / seen.filed_s)]
    rows += [Row(f"its memory at {marks[0]:,} samples, peak", "MB", first)]
    for mark in marks[1:]:
        rows.append(at_most(most_mb(first, mark), f"the same at {mark:,}", "MB", seen.peak_mb[mark], first))
    return [
        *rows,
        at_most(
            round(first + MOST_GROWTH_MB),
            f"the same while a run of {seen.samples:,} is closed",
            "MB",
            seen.closing_mb,
            first,
        ),
        Row("and of all processes that close it, together", "MB", seen.closing_tree_mb),
        Row("from the last result until the run is finished", "s", seen.closed_s),
        Row("a process that begins anew knows all of them again after", "s", seen.recalled_s),
    ]


if __name__ == "__main__":
    for row in service_rows(asyncio.run(through_the_service(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))):
        print(f"{row.what:75} {row.figure:9.1f} {row.unit}  {row.aim}")

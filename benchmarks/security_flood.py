"""How many forged events a second a client may send before an honest run slows down.

    python -m benchmarks.security_flood URL RATE SECONDS

sends well-formed results that evidence refuses: of a run that it does not know, of samples that nobody asked for. It is
bounded in rate and time, and goes to the bus that the benchmark has started on this machine.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from practice.tickets.data import ground_truth
from practice.tickets.demo import compare, write_input
from scripts.demo import SPEC, practice_site
from shared.bus.nats_bus import connect_bus
from shared.client import Client, connect
from shared.contracts.discovery import Sample
from shared.contracts.planner import SampleFinished
from shared.host.nats_server import nats_server
from shared.host.services import run_services
from shared.settings import Settings, with_capacity
from shared.subjects import SAMPLE_FINISHED, subject_for

RATES = (30, 100, 300, 1000, 3000)
"""Messages a second, tried in this order until the run slows down."""
CONCURRENCY = 5
MOST_S = 120
SLOWER = 1.10
EVERY_S = 0.05


@dataclass(frozen=True)
class Flood:
    """``plain_s``: of a run without a flood. ``borne``: the highest rate at which the run took at most 10 % longer."""

    plain_s: float
    borne: int
    seconds: dict[int, float]


async def measure_flood(rates: tuple[int, ...] = RATES, samples: int = 60) -> Flood:
    with tempfile.TemporaryDirectory(prefix="exhibit-flood-") as temporary, practice_site() as site:
        folder = Path(temporary)
        async with _served(folder) as (client, url):
            await _run_s(client, folder, site, 5)  # the first run of a browser is a slow one
            plain_s = min([await _run_s(client, folder, site, samples) for _ in range(2)])
            seconds, borne = dict[int, float](), 0
            for rate in rates:
                with _flooding(url, rate):
                    seconds[rate] = min([await _run_s(client, folder, site, samples) for _ in range(2)])
                if seconds[rate] > plain_s * SLOWER:
                    break
                borne = rate
        return Flood(plain_s, borne, seconds)


@asynccontextmanager
async def _served(folder: Path) -> AsyncGenerator[tuple[Client, str]]:
    settings = with_capacity(Settings().model_copy(update={"evidence_dir": folder / "evidence"}), CONCURRENCY)
    async with (
        nats_server(folder / "jetstream") as url,
        run_services(settings, url),
        connect(url) as client,
    ):
        yield client, url


async def _run_s(client: Client, folder: Path, site: str, samples: int) -> float:
    """Return the seconds of a run, all of whose cells are right."""
    tickets, rows = ground_truth()[:samples], folder / "tickets.csv"
    write_input(rows, site, tickets)
    begin_s = time.perf_counter()
    accepted = await client.submit(
        msgspec.json.decode(SPEC.read_bytes()), file=(rows.name, rows.read_bytes()), planner="rules",
        concurrency=CONCURRENCY,
    )  # fmt: skip
    finished = await client.result(accepted.run_id)
    took_s = time.perf_counter() - begin_s
    if differences := compare(Path(finished.table), tickets):
        raise SystemExit("the table is wrong:\n" + "\n".join(map(str, differences)))
    return took_s


@contextmanager
def _flooding(url: str, rate: int) -> Generator[None]:
    command = [sys.executable, "-m", "benchmarks.security_flood", url, str(rate), str(MOST_S)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()  # it is connected: its start is no part of what the run bears
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


# --- the one who floods


def forged(number: int) -> SampleFinished:
    name, now = f"forged-{number}", datetime.now(UTC)
    return SampleFinished(
        run_id="run_2026-01-01_000000", sample_id=name, attempt=1, status="done",
        sample=Sample(sample_id=name, key=name, row=1), started_at=now, finished_at=now,
    )  # fmt: skip


async def flood(url: str, rate: int, seconds: float) -> None:
    async with connect_bus(url, name="client", streams=frozenset()) as bus:
        begin_s, sent = time.monotonic(), 0
        print("begun", flush=True)
        while (passed_s := time.monotonic() - begin_s) < seconds:
            while sent < rate * passed_s:
                message: Any = forged(sent)
                await bus.nc.publish(subject_for(SAMPLE_FINISHED, message), msgspec.json.encode(message))
                sent += 1
            await asyncio.sleep(EVERY_S)


if __name__ == "__main__":
    asyncio.run(flood(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))

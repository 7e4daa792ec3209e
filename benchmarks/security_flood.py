"""What a flood costs an honest run: forged events and asks, of one client and of many.

    python -m benchmarks.security_flood URL KIND RATE SECONDS

sends well-formed results of a run that is not there, or asks. It is bounded in rate and time, and goes to the bus that
the benchmark has started on this machine.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from exhibit.demo import SPEC, practice_site
from practice.tickets.data import ground_truth
from practice.tickets.demo import compare, write_input
from shared.bus.nats_bus import connect_bus
from shared.client import Client, connect
from shared.contracts.base import Message
from shared.contracts.discovery import Sample, SubmitRun
from shared.contracts.evidence import AskSql, FindRuns
from shared.contracts.planner import SampleFinished
from shared.contracts.sessions.status import LoadStatus
from shared.host.nats_server import nats_server
from shared.host.services import run_services
from shared.settings import Settings, with_capacity
from shared.subjects import ASK_SQL, FIND_RUNS, LOAD_STATUS, SAMPLE_FINISHED, SUBMIT_RUN, subject_for

RATE = 100
"""Messages a second, of all who flood together."""
KINDS = {
    "forged events of one client": 1,
    "forged events of 20 clients": 20,
    "asks of one client": 1,
    "asks of 20 clients": 20,
}
"""Each with the number of connections that it comes from."""
CONCURRENCY = 5
MOST_S = 120
SLOWER = 1.10
EVERY_S = 0.05
ROUNDS = 3


@dataclass(frozen=True)
class Flood:
    """Seconds of a run: ``plain_s`` without a flood, ``seconds`` with one of each kind. The least of all rounds."""

    plain_s: float
    seconds: dict[str, float]


async def measure_flood(samples: int = 60) -> Flood:
    with tempfile.TemporaryDirectory(prefix="exhibit-flood-") as temporary, practice_site() as site:
        folder = Path(temporary)
        async with _served(folder) as (client, url):
            await _run_s(client, folder, site, 5)  # the first run of a browser is a slow one
            plain: list[float] = []
            taken: dict[str, list[float]] = {kind: [] for kind in KINDS}
            for _ in range(ROUNDS):
                plain.append(await _run_s(client, folder, site, samples))
                for kind in KINDS:
                    with _flooding(url, kind):
                        taken[kind].append(await _run_s(client, folder, site, samples))
        return Flood(min(plain), {kind: min(seconds) for kind, seconds in taken.items()})


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
def _flooding(url: str, kind: str) -> Generator[None]:
    command = [sys.executable, "-m", "benchmarks.security_flood", url, kind, str(RATE), str(MOST_S)]
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


def _asks(number: int) -> tuple[str, Message]:
    """Return one of the asks of a client, with its subject: cheap and dear ones take turns."""
    subject, request = (
        (FIND_RUNS, FindRuns(task_id="flood")),
        (LOAD_STATUS, LoadStatus(run_id="run_2026-01-01_000000")),
        (ASK_SQL, AskSql(query="SELECT 1")),
        (SUBMIT_RUN, SubmitRun(spec={"task_id": "flood"}, samples=({"x": "1"},) * 100)),
    )[number % 4]
    return subject_for(subject, request), request


async def flood(url: str, kind: str, rate: int, seconds: float) -> None:
    async with AsyncExitStack() as stack:
        connecting = [connect_bus(url, name="client") for _ in range(KINDS[kind])]
        clients = [await stack.enter_async_context(one) for one in connecting]
        inboxes = [one.nc.new_inbox() for one in clients]
        begin_s, sent = time.monotonic(), 0
        print("begun", flush=True)
        while (passed_s := time.monotonic() - begin_s) < seconds:
            while sent < rate * passed_s:
                client, inbox = clients[sent % len(clients)], inboxes[sent % len(clients)]
                if kind.startswith("asks"):
                    where, message = _asks(sent)
                    await client.nc.publish(where, msgspec.json.encode(message), reply=inbox)
                else:
                    event: Any = forged(sent)
                    await client.nc.publish(subject_for(SAMPLE_FINISHED, event), msgspec.json.encode(event))
                sent += 1
            await asyncio.sleep(EVERY_S)


if __name__ == "__main__":
    asyncio.run(flood(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))

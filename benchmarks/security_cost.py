"""What it costs a step that the bus knows its users, and that events are signed: beside the time that a step takes.

The steps are those of a run on the practice site, by the rules: the shortest that there are with a browser.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
import nats
from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg

from benchmarks.report import Row, at_most
from exhibit.demo import practice_site
from practice.tickets.data import ground_truth
from shared.bus.signing.service_keys import KeysInMemory
from shared.bus.signing.signatures import SIGNATURE, require_signature
from shared.contracts.evidence import RunFinished
from shared.contracts.steps import StepTaken
from shared.host.nats_server import run_server
from shared.host.services import run_embedded
from shared.subjects import LOAD_STEPS, STEP_TAKEN, subject_for
from shared.testing.settings import library_settings
from tests.bus_with_users import bus_with_users

ROOT = Path(__file__).parents[1]
TIMES = 50
ASKS, ASKED, STEP_BYTES = 4, 2000, 5000
"""A step asks for an observation, an action, a capture and a heartbeat at most."""
MOST_SHARE = 0.03
"""Of the time of a step."""


async def steps_of_a_run(samples: int) -> list[StepTaken]:
    """Run so many samples of the practice site, one at a time; return all steps."""
    spec: dict[str, Any] = msgspec.json.decode((ROOT / "task_specs" / "practice_tickets.json").read_bytes())
    taken: list[StepTaken] = []
    with practice_site() as site, tempfile.TemporaryDirectory(prefix="exhibit-bench-") as scratch:
        numbers = [ticket.number for ticket in ground_truth()[:samples]]
        rows = [{"ticket_number": number, "url": f"{site}/tickets/{number}"} for number in numbers]
        async with run_embedded(library_settings(Path(scratch), planner="rules")) as client:
            accepted = await client.submit(spec, rows=rows, concurrency=1)
            async with aclosing(client.watch(accepted.run_id)) as events:
                async for event in events:
                    if isinstance(event, RunFinished):
                        break
                    if isinstance(event, StepTaken):
                        taken.append(event)
    return taken


def signing_ms(steps: Sequence[StepTaken], times: int = TIMES) -> float:
    """Return the median time to sign one of these steps and to check it, as planner and evidence do."""
    keys, took = KeysInMemory(), list[float]()
    signer = keys.signer_of("planner")
    assert signer is not None
    for step in steps:
        where, data = subject_for(STEP_TAKEN, step), msgspec.json.encode(step)
        for _ in range(times):
            before = time.perf_counter()
            headers = {SIGNATURE: signer.header(where, data)}
            require_signature(keys, STEP_TAKEN, where, data, headers)
            took.append((time.perf_counter() - before) * 1000)
    return statistics.median(took)


def signing_rows(steps: Sequence[StepTaken], times: int = TIMES) -> list[Row]:
    """Return the rows of a report. The peer is the step itself."""
    step_ms = statistics.median(step.total_ms for step in steps)
    cost_ms = signing_ms(steps, times)
    return [at_most(step_ms * MOST_SHARE, "a step is signed and checked", "ms a step", cost_ms, step_ms)]


async def authentication_rows(steps: Sequence[StepTaken], folder: Path) -> list[Row]:
    """Return what the asks of a step take longer on a bus with users than on one that takes everybody."""
    step_ms = statistics.median(step.total_ms for step in steps)
    async with run_server(folder / "open", "") as (url, _):
        asker, answerer = await nats.connect(url), await nats.connect(url)
        open_ms = await _ask_ms(asker, answerer)
        await asker.close()
        await answerer.close()
    async with (
        bus_with_users(folder / "users") as bus,
        bus.raw("planner") as (asker, _),
        bus.raw("evidence") as (one, _),
    ):
        users_ms = await _ask_ms(asker, one)
    longer_ms = ASKS * max(users_ms - open_ms, 0.0)
    return [at_most(step_ms * MOST_SHARE, f"{ASKS} asks of a user of the bus take longer by", "ms", longer_ms, step_ms)]


async def _ask_ms(asker: NatsClient, answerer: NatsClient) -> float:
    """Return the median time from an ask of the size of a step to its answer."""

    async def answer(message: Msg) -> None:
        await message.respond(message.data)

    await answerer.subscribe(LOAD_STEPS.pattern, cb=answer)
    await answerer.flush()
    took: list[float] = []
    for _ in range(ASKED):
        before = time.perf_counter()
        await asker.request(LOAD_STEPS.pattern, bytes(STEP_BYTES))
        took.append((time.perf_counter() - before) * 1000)
    return statistics.median(took)

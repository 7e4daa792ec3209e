"""The cost of a review: 500 decisions on a run of 10,000 samples, its sign-off, its check with all decisions; papers.

    make bench-review
    python -m benchmarks.review 1000    (fewer samples)

The decisions go over a real nats-server to the evidence service in a process of its own, while it files the samples of
another run. Only loopback is contacted.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from benchmarks.evidence_files import artifact_bytes
from benchmarks.evidence_service import AHEAD, Senders, caught_up, evidence_at_work
from benchmarks.evidence_world import RUN_ID, World, finished_of, found, record, steps_of
from benchmarks.papers_made import SIZES, paper_rows, paper_times
from benchmarks.report import Row, at_most, least, report, under
from services.evidence.deps import EvidenceDeps
from services.evidence.lifecycle import close_run_if_complete
from services.evidence.outputs.make_products import ALL_PRODUCTS
from services.evidence.store.folder_store import FolderStore
from shared.client import connect
from shared.client.person_keys import PersonKey
from shared.client.reviews import Reviewer
from shared.contracts.discovery import PopulationClosed, RunStarted
from shared.contracts.sessions.reviewing import ReviewItem
from shared.evidence_format.signing import SigningKey, load_signing_key
from shared.evidence_format.sources.folder import FolderSource
from shared.evidence_format.verify.verify_run import check_run
from shared.settings import Settings
from shared.streams import ARTIFACTS
from shared.subjects import POPULATION_CLOSED, RUN_STARTED, SAMPLE_FINISHED, SAMPLE_FOUND, STEP_TAKEN
from shared.testing.bus import MemoryBus

SAMPLES, DECISIONS, PEOPLE = 10_000, 500, 2
OTHER_RUN, OTHER_SAMPLES = "run_2026-03-02_090000", 600
TIMES = 3


@dataclass
class Reviewed:
    """``other_samples``: of the run at work that were sent while decisions were filed."""

    samples: int
    verified_before_s: float
    decided_s: float = 0.0
    other_samples: int = 0
    closed_s: float = 0.0
    verified_s: float = 0.0


async def reviewed(samples: int) -> Reviewed:
    """Make a sealed run, decide, sign off, and check it before and after."""
    with tempfile.TemporaryDirectory(prefix="exhibit-bench-") as scratch:
        folder = Path(scratch)
        key = load_signing_key(Settings(state_dir=folder / "state", evidence_dir=folder / "evidence"))
        await _sealed_run(folder / "evidence", samples, key)
        run = folder / "evidence" / RUN_ID
        seen = Reviewed(samples, _verified_s(run, key))
        async with evidence_at_work(folder) as (url, senders):
            await _decide(url, senders, seen)
        seen.verified_s = _verified_s(run, key)
    return seen


async def _sealed_run(root: Path, samples: int, key: SigningKey) -> None:
    World(samples).write(root, artifacts=True)
    deps = EvidenceDeps(
        store=FolderStore(root), blobs=MemoryBus(), now=lambda: datetime.now(UTC), products=ALL_PRODUCTS, signer=key
    )
    if await close_run_if_complete(deps, await deps.ledger.lock_and_read(RUN_ID)) is None:
        raise SystemExit("the run is not complete")


def _verified_s(run: Path, key: SigningKey) -> float:
    """Return the best time of a check; each must find nothing."""
    best_s = float("inf")
    for _ in range(TIMES):
        before = time.perf_counter()
        problems = check_run(FolderSource(run), key.public).problems
        best_s = min(best_s, time.perf_counter() - before)
        if problems:
            raise SystemExit(f"the run does not verify: {problems[:3]}")
    return best_s


async def _decide(url: str, senders: Senders, seen: Reviewed) -> None:
    """Let two people decide at the same time, each over a connection of his own, while another run is at work."""
    work = asyncio.create_task(_work_on_another_run(senders, seen))
    async with connect(url) as one, connect(url) as other:
        people = [
            Reviewer(client.bus, RUN_ID, name, PersonKey(Ed25519PrivateKey.generate()))
            for client, name in ((one, "ann"), (other, "ben"))
        ]
        items = await people[0].items()
        await people[1].load()
        while not seen.other_samples:  # noqa: ASYNC110  the other run is not at work yet
            await asyncio.sleep(0.05)
        sent = seen.other_samples
        before = time.perf_counter()
        await asyncio.gather(*(_decide_each(who, items[at:DECISIONS:PEOPLE]) for at, who in enumerate(people)))
        seen.decided_s = time.perf_counter() - before
        seen.other_samples -= sent
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        await people[0].decide("accept", items)
        await caught_up(senders.client, 0)
        before = time.perf_counter()
        await people[0].decide("sign")
        seen.closed_s = time.perf_counter() - before


async def _decide_each(who: Reviewer, items: Sequence[ReviewItem]) -> None:
    for item in items:
        await who.decide("accept", [item], reason="as the page says")


async def _work_on_another_run(senders: Senders, seen: Reviewed) -> None:
    def of_other(message: Any) -> Any:
        return replace(message, run_id=OTHER_RUN)

    bus = senders.discovery
    await bus.publish(RUN_STARTED, RunStarted(run_id=OTHER_RUN, record=replace(record(), run_id=OTHER_RUN)))
    for number in range(1, OTHER_SAMPLES + 1):
        await bus.publish(SAMPLE_FOUND, of_other(found(number)))
    await bus.publish(POPULATION_CLOSED, PopulationClosed(run_id=OTHER_RUN, samples=OTHER_SAMPLES))
    for number in range(1, OTHER_SAMPLES):
        await caught_up(senders.client, AHEAD)
        files, steps = artifact_bytes(number), list(steps_of(number))
        for step in steps:
            for filed in step.artifacts:
                await senders.planner.put(ARTIFACTS, filed.artifact.blob, files[filed.filename])
            await senders.planner.publish(STEP_TAKEN, of_other(step))
        artifacts = tuple(filed for step in steps for filed in step.artifacts)
        await senders.planner.publish(SAMPLE_FINISHED, of_other(replace(finished_of(number), artifacts=artifacts)))
        seen.other_samples += 1


def rows_of(seen: Reviewed) -> list[Row]:
    """Return the figures with their aims."""
    return [
        least(50, f"decisions filed on a run of {seen.samples:,}, beside a run at work", "a second", DECISIONS /
        seen.decided_s), Row("samples of the run at work sent meanwhile", "a second", seen.other_samples /
        seen.decided_s), under(15.0, f"from the last signature until {seen.samples:,} samples are sealed again", "s",
        seen.closed_s), Row("the run verified before its review", "s", seen.verified_before_s),
        at_most(1.2, "the same with all decisions and both rounds", "times", seen.verified_s / seen.verified_before_s),
    ]  # fmt: skip


def main(samples: int = SAMPLES) -> None:
    setup = {
        "processors": os.cpu_count(),
        "decisions": f"{DECISIONS}, each on one sample and signed by itself, by {PEOPLE} people at the same time",
        "connections": "one for each person; a service takes 50 asks a second of one",
        "service": "a process of its own on a real nats-server; it files the samples of another run meanwhile",
        "load before": f"{os.getloadavg()[0]:.1f}",
    }
    rows = rows_of(asyncio.run(reviewed(samples)))
    for papers in SIZES:
        rows += paper_rows(asyncio.run(paper_times(papers)))
    report("review", "What a review costs", rows, setup)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))

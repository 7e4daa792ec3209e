"""Two sealed runs of 10,000 samples and 20 fields compared: the time, with every file that is read checked by its seal.

    make bench-compare
    python -m benchmarks.compare 1000    (fewer samples)

In the second run one sample in a hundred has another value, so the comparison has to find exactly those.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.evidence_world import RUN_ID, World, outcome_of, sample_of
from benchmarks.report import Row, at_most, report, under
from services.evidence.deps import EvidenceDeps
from services.evidence.lifecycle import close_run_if_complete
from services.evidence.store.folder_store import FolderStore
from shared.comparing.read_run import StoredRun
from shared.comparing.run_comparison import RunComparison, compare_runs
from shared.evidence_format.signing import SigningKey
from shared.evidence_format.sources.folder import FolderSource
from shared.testing.bus import MemoryBus

SAMPLES, EVERY, FIELD = 10_000, 100, "title"
LIMIT_S, TIMES = 5.0, 3


async def sealed_run(root: Path, samples: int, key: SigningKey, *, changed: bool) -> Path:
    """Write a run of the world below ``root`` and seal it. ``changed``: every `EVERY`-th sample has another value."""
    folder = World(samples).write(root)
    for number in changed_numbers(samples) if changed else ():
        path = folder / sample_of(number).sample_id / "result.json"
        told = msgspec.json.decode(path.read_bytes())
        told["fields"][FIELD]["value"] += " (reopened)"
        path.write_bytes(msgspec.json.encode(told))
    deps = EvidenceDeps(
        store=FolderStore(root), blobs=MemoryBus(), now=lambda: datetime.now(UTC), products=(), signer=key
    )
    if await close_run_if_complete(deps, await deps.ledger.lock_and_read(RUN_ID)) is None:
        raise SystemExit("the run is not complete")
    return folder


def changed_numbers(samples: int) -> range:
    """The samples that differ; each of them is done in both runs."""
    numbers = range(EVERY, samples + 1, EVERY)
    assert all(outcome_of(number)[0] == "done" for number in numbers)
    return numbers


def compared(a: Path, b: Path, key: SigningKey) -> tuple[RunComparison, float]:
    """Return the comparison, and the time with reading both runs."""
    began_s = time.perf_counter()
    one, other = (StoredRun(FolderSource(folder), key.public) for folder in (a, b))
    found = compare_runs(one, other)
    return found, time.perf_counter() - began_s


def measured(samples: int) -> list[Row]:
    key = SigningKey(Ed25519PrivateKey.generate())
    with tempfile.TemporaryDirectory(prefix="exhibit-compare-") as below:
        a = asyncio.run(sealed_run(Path(below, "a"), samples, key, changed=False))
        b = asyncio.run(sealed_run(Path(below, "b"), samples, key, changed=True))
        runs = [compared(a, b, key) for _ in range(TIMES)]
    found, best_s = min(runs, key=lambda run: run[1])
    wanted = {sample_of(number).key for number in changed_numbers(samples)}
    told = {one.key for one in found.samples if one.verdict == "changed"}
    return [
        under(LIMIT_S, f"two runs of {samples:,} samples and 20 fields compared", "s", best_s),
        at_most(0, "samples told as changed that are not, or not told", "samples", len(wanted ^ told)),
        Row("of them for a person in both runs, so that nothing is said of them", "samples", found.counts["unclear"]),
    ]


def main(samples: int = SAMPLES) -> None:
    setup = {
        "processors": os.cpu_count(),
        "runs": "sealed, in folders; run.json, manifests and results are read and checked by the seal",
        "times": f"the best of {TIMES}; the files were just written, so that they are in memory",
        "load before": f"{os.getloadavg()[0]:.1f}",
    }
    report("compare", "What a comparison of two runs costs", measured(samples), setup)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))

"""The same job by the whole system, in its own process.

    python -m benchmarks.system SPEC INPUT.csv EVIDENCE_DIR CONCURRENCY [MODE]

Prints the seconds from the request to the table, and the run's folder, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import msgspec

from shared.contracts.discovery import RunMode
from shared.host.services import run_embedded
from shared.settings import Settings, with_capacity


async def main(spec: Path, samples: Path, evidence: Path, concurrency: int, mode: RunMode | None) -> None:
    settings = with_capacity(Settings().model_copy(update={"evidence_dir": evidence}), concurrency)
    async with run_embedded(settings) as client:
        started_s = time.perf_counter()
        accepted = await client.submit(
            json.loads(spec.read_text()),
            file=(samples.name, samples.read_bytes()),
            planner="rules",
            concurrency=concurrency,
            mode=mode,
        )
        finished = await client.result(accepted.run_id)
        seconds = time.perf_counter() - started_s
    outcomes = {f"{o.status} {o.reason}".strip(): o.samples for o in finished.outcomes}
    print(
        json.dumps(
            {"seconds": seconds, "samples": finished.samples, "location": finished.location, "outcomes": outcomes}
        )
    )


if __name__ == "__main__":
    mode = msgspec.convert(sys.argv[5], RunMode) if sys.argv[5:] else None
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), mode))

"""Forty samples through what a deployment starts, asked for by a client, and looked at in the bucket."""

from __future__ import annotations

import json
import time
from pathlib import Path

from practice.tickets.demo import ABSENT
from shared.bus.access.credentials import BusAccess
from shared.client import connect
from shared.s3.opening import open_bucket
from shared.settings import Settings
from tests.deployed.containers import ROOT
from tests.end_to_end.tickets import EVERY, rows_of_demo, wrong_cells

SAMPLES, CONCURRENCY = 40, 8
ASKED = EVERY[: SAMPLES - len(ABSENT)]


async def collect(url: str, access: BusAccess, site: str, evidence: Settings, folder: Path) -> float:
    """Request the samples, and compare every cell of the sealed table with the site. Return the seconds it took."""
    spec = json.loads((ROOT / "task_specs/practice_tickets.json").read_text(encoding="utf-8"))
    began_s = time.monotonic()
    async with connect(url, access) as client:
        accepted = await client.submit(spec, rows=rows_of_demo(site, ASKED), concurrency=CONCURRENCY)
        finished = await client.result(accepted.run_id)
    took_s = time.monotonic() - began_s
    outcomes = {(one.status, one.reason): one.samples for one in finished.outcomes}
    assert outcomes == {("done", ""): SAMPLES - len(ABSENT), ("failed", "not_found"): len(ABSENT)}
    bucket = open_bucket(evidence)
    table = bucket.read(f"{accepted.run_id}/combined.csv")
    assert table is not None
    assert bucket.stat(f"{accepted.run_id}/seal.json") is not None
    (folder / "combined.csv").write_bytes(table[1])
    assert wrong_cells(folder / "combined.csv", ASKED) == []
    return took_s

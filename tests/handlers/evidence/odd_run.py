"""A run whose result says what no column of the tables holds."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from benchmarks.evidence_world import World, record
from services.evidence.adapters.folder_store import FolderStore
from services.evidence.closing.making import Products, make_products
from services.evidence.closing.products import MakeProduct
from services.evidence.deps import Deps
from services.evidence.filing.contents import as_json
from services.evidence.recalling.rounds import RunState
from shared.contracts.discovery import Sample
from shared.testing.bus import MemoryBus

SAMPLE = b'{"sample_id": "A-1", "key": "A-1", "row": 1, "found_at": "2026-03-01T00:00:00Z"}'


async def made_of_what_no_column_holds(folder: Path, *products: MakeProduct) -> Products:
    store, now = FolderStore(folder), datetime(2026, 3, 1, tzinfo=UTC)
    deps = Deps(store=store, blobs=MemoryBus(), now=lambda: now, products=products)
    state = RunState(record=record(), expected=1)
    state.found(Sample(sample_id="A-1", key="A-1", row=1), now)
    await store.write(f"{record().run_id}/A-1/sample.json", SAMPLE)
    result = {"status": "done", "reason": "", "attempt": 1, "flagged": "who knows", "usage": {}}
    await store.write(f"{record().run_id}/A-1/result.json", as_json(result))
    return await make_products(deps, state, World(0).finished())

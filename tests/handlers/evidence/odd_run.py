"""A run with values in its files that fit no column of the tables."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from benchmarks.evidence_world import World, record
from services.evidence.deps import EvidenceDeps
from services.evidence.outputs.make_products import MadeProducts, make_products
from services.evidence.outputs.products import MakeProduct
from services.evidence.state.run_state import RunState
from services.evidence.store.folder_store import FolderStore
from shared.contracts.discovery import Sample
from shared.testing.bus import MemoryBus
from tests.handlers.evidence.written_sample import files_of


async def made_of_what_no_column_holds(folder: Path, *products: MakeProduct) -> MadeProducts:
    store, now = FolderStore(folder), datetime(2026, 3, 1, tzinfo=UTC)
    deps = EvidenceDeps(store=store, blobs=MemoryBus(), now=lambda: now, products=products)
    state = RunState(record=record(), expected=1)
    state.add_sample(Sample(sample_id="A-1", key="A-1", row=1), now)
    files = files_of({"sample_id": "A-1", "key": "A-1"}, {"steps": 2**40})
    await store.write(f"{record().run_id}/A-1/sample.json", files.sample or b"")
    await store.write(f"{record().run_id}/A-1/result.json", files.result or b"")
    return await make_products(deps.store, deps.products, state, World(0).finished(), deps.on_blocked)

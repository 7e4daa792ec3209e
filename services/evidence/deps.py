"""What the handlers of evidence need: a store, the bus's blobs and a clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from services.evidence.library_artifacts import LibraryArtifacts
from services.evidence.outputs.products import MakeProduct
from services.evidence.ports import OnBlocked, Signer, SqlAnswers, Store, ignore_blocked
from services.evidence.run_ledger import RunLedger
from services.evidence.webhooks.delivery import Webhooks
from shared.bus.ports import Blobs, EventReader, Records


@dataclass
class EvidenceDeps:
    store: Store
    blobs: Blobs
    now: Callable[[], datetime]
    products: tuple[MakeProduct, ...] = ()
    """Makers of the outputs of a complete run, in this order."""
    on_blocked: OnBlocked = ignore_blocked
    signer: Signer | None = None
    """None: runs are not sealed."""
    questions: SqlAnswers | None = None
    """None: queries in SQL are refused."""
    read_only: bool = False
    records: Records | None = None
    """Where the controls of runs are; None: no status says that a run is paused."""
    events: EventReader | None = None
    """None: the event log is not read."""
    webhooks: Webhooks | None = None
    """None: the settings name no receiver."""
    ledger: RunLedger = field(init=False)
    library: LibraryArtifacts = field(init=False)

    def __post_init__(self) -> None:
        self.ledger = RunLedger(self.store)
        self.library = LibraryArtifacts(self.store, self.blobs, self.now, read_only=self.read_only)

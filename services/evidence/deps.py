"""What the handlers of evidence need: a store, the bus's blobs and a clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from services.evidence.comparisons import Comparisons
from services.evidence.library_artifacts import LibraryArtifacts
from services.evidence.outputs.products import MakeProduct
from services.evidence.ports import OnBlocked, Signer, SqlAnswers, Store, ignore_blocked
from services.evidence.refused_results import RefusedResults
from services.evidence.reviews.review_logs import ReviewLogs
from services.evidence.run_ledger import RunLedger
from services.evidence.store.quarantine import Quarantine
from services.evidence.store.run_tags import RunTags
from services.evidence.timestamps.asking import Timestamps
from services.evidence.webhooks.delivery import Webhooks
from shared.bus.access.use import BusUse
from shared.bus.ports import Blobs, EventReader, Publishes, Records
from shared.streams import ANSWERS, ARTIFACTS, DELIVERIES, INBOX, INPUTS, RUN_CONTROL, WEBHOOKS
from shared.subjects import EVIDENCE_BLOCKED, REVIEW_SIGNED_OFF, SAMPLE_FINISHED, SAMPLE_SETTLED


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
    timestamps: Timestamps | None = None
    """None: the settings name no time-stamping authority."""
    comparisons: Comparisons | None = None
    """None: runs are not compared here."""
    most_decisions: int = 20_000
    """Of the review of one run; signatures and reopenings are taken also after that."""
    publishes: Publishes | None = None
    """None: samples are not settled here."""
    ledger: RunLedger = field(init=False)
    reviews: ReviewLogs = field(init=False)
    library: LibraryArtifacts = field(init=False)
    quarantine: Quarantine = field(init=False)
    tags: RunTags = field(init=False)
    refused_results: RefusedResults = field(init=False)

    def __post_init__(self) -> None:
        self.ledger = RunLedger(self.store)
        self.reviews = ReviewLogs(self.store)
        self.quarantine = Quarantine(self.store, lambda: self.now())
        self.tags = RunTags(self.store, lambda: self.now(), read_only=self.read_only)
        self.refused_results = RefusedResults(self.store, self.ledger, lambda: self.now())
        self.library = LibraryArtifacts(self.store, self.blobs, self.now, read_only=self.read_only)


BUS_USE = BusUse(
    publishes=(
        SAMPLE_FINISHED,
        SAMPLE_SETTLED,
        REVIEW_SIGNED_OFF,
        EVIDENCE_BLOCKED,
    ),
    opens=(DELIVERIES,),
    follows=True,
    reads=(RUN_CONTROL, INBOX),
    records=(WEBHOOKS,),
    gets=(ARTIFACTS, INPUTS),
    puts=(ANSWERS,),
    removes=(
        ARTIFACTS,
        ANSWERS,
    ),
)
"""What the service does on the bus besides what its actor says; its rights follow from it."""

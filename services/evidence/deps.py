"""What evidence needs: a store, the bus's blobs and a clock."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime

from services.evidence.outputs.products import MakeProduct
from services.evidence.ports import Questions, Signer, Store
from services.evidence.run_ledger import RunLedger
from shared.bus.ports import Blobs


async def _say_nothing(key: str, why: str) -> None: ...


@dataclass
class Deps:
    store: Store
    blobs: Blobs
    now: Callable[[], datetime]
    products: tuple[MakeProduct, ...] = ()
    """What is made of a run once it is complete, in this order."""
    on_blocked: Callable[[str, str], Awaitable[None]] = _say_nothing
    """Told of what cannot be made now, and why, in words for people."""
    signer: Signer | None = None
    """Who seals a run; None: it is not sealed."""
    questions: Questions | None = None
    """Who answers in SQL; None: nobody."""
    ledger: RunLedger = field(init=False)

    def __post_init__(self) -> None:
        self.ledger = RunLedger(self.store)

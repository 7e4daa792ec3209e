"""What evidence needs: a store, the bus's blobs and a clock."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime

from services.evidence.closing.products import MakeProduct
from services.evidence.filing.contents import AttemptLog
from services.evidence.ports import Questions, Signer, Store
from services.evidence.recalling.rounds import RunState
from shared.bus.ports import Blobs


async def _say_nothing(key: str, why: str) -> None: ...


@dataclass
class Deps:
    """``runs`` and ``logs`` are what is known of work in progress; both can be read anew from the store."""

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
    claiming: asyncio.Lock = field(default_factory=asyncio.Lock)
    recalling: asyncio.Lock = field(default_factory=asyncio.Lock)
    runs: dict[str, RunState] = field(default_factory=dict[str, RunState])
    logs: dict[tuple[str, str], AttemptLog] = field(default_factory=dict[tuple[str, str], AttemptLog])

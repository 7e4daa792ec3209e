"""What evidence needs: a store, the bus's blobs, a table writer and a clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from services.evidence.filing import AttemptLog
from services.evidence.rounds import RunState
from shared.actor.ports import Blobs


class Store(Protocol):
    """Where evidence lies. Keys are paths with ``/`` below one root; no key ever leads out of it.

    Every call raises Unavailable where the place cannot be used now (a full disk: code ``disk_full``),
    and PolicyDenied for a key that would lead out of the root.
    """

    async def write(self, key: str, data: bytes) -> None:
        """All of it or nothing: a reader never sees half a file. What was there is replaced."""
        ...

    async def secure(self, prefix: str) -> None:
        """What was written directly below ``prefix`` outlives a power failure from here on."""
        ...

    async def read(self, key: str) -> bytes | None: ...

    async def names(self, prefix: str) -> list[str]:
        """Names directly below ``prefix``, files and folders, sorted."""
        ...

    async def move(self, key: str, to: str) -> None:
        """Moves one file; a file that is not there is no error (an earlier try moved it)."""
        ...

    def location(self, key: str) -> str:
        """What a person would open."""
        ...


class Tables(Protocol):
    async def combined(self, results: Sequence[str], fields: Sequence[str], *, judged: bool = False) -> bytes:
        """combined.csv made of the result.json files at these locations; ``judged``: with the judgments in it."""
        ...


@dataclass
class Deps:
    """``runs`` and ``logs`` are what is known of work in progress; both can be read anew from the store."""

    store: Store
    blobs: Blobs
    tables: Tables
    now: Callable[[], datetime]
    claiming: asyncio.Lock = field(default_factory=asyncio.Lock)
    runs: dict[str, RunState] = field(default_factory=dict[str, RunState])
    logs: dict[tuple[str, str], AttemptLog] = field(default_factory=dict[tuple[str, str], AttemptLog])

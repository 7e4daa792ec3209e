"""Evidence as a service: settings, adapters, deps."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from services.evidence.adapters.blocked import BlockedReporter
from services.evidence.adapters.duckdb_table import DuckDbTables
from services.evidence.adapters.folder_store import FolderStore
from services.evidence.deps import Deps
from services.evidence.handlers import actor
from shared.actor.bus import Bus
from shared.settings import Settings

__all__ = ["NAME", "actor", "open_deps"]

NAME = "evidence"


def _now() -> datetime:
    return datetime.now(UTC)


@asynccontextmanager
async def open_deps(settings: Settings, bus: Bus) -> AsyncGenerator[Deps]:
    blocked = BlockedReporter(bus, _now)
    store = FolderStore(settings.evidence_dir, blocked)
    store.must_be_usable()
    yield Deps(store=store, blobs=bus, tables=DuckDbTables(blocked), now=_now)


if __name__ == "__main__":
    from shared.host.process import main

    main(NAME)

"""Evidence as a service: opens what the handlers need, as the settings say."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from services.evidence.deps import EvidenceDeps
from services.evidence.handlers import actor
from services.evidence.outputs.make_products import ALL_PRODUCTS
from services.evidence.read_api.sql_service import open_sql_service
from services.evidence.store.open_store import BlockedReporter, open_store
from shared.bus.nats_bus import Bus
from shared.evidence_format.signing import load_signing_key
from shared.settings import Settings

__all__ = ["NAME", "actor", "open_deps"]

NAME = "evidence"


def _now() -> datetime:
    return datetime.now(UTC)


@asynccontextmanager
async def open_deps(settings: Settings, bus: Bus) -> AsyncGenerator[EvidenceDeps]:
    blocked = BlockedReporter(bus, _now)
    # Without writing there is no signer: a key that is made now would be trusted by `exhibit verify` from then on.
    signer = None if settings.evidence_read_only else load_signing_key(settings)
    async with open_store(settings, blocked, _now) as store, open_sql_service(settings, store, bus, _now) as sql:
        yield EvidenceDeps(store, bus, _now, ALL_PRODUCTS, blocked, signer, sql, read_only=settings.evidence_read_only)


if __name__ == "__main__":
    from shared.host.services import main

    main(NAME)

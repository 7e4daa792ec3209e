"""Evidence as a service: settings, adapters, deps."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from services.evidence.deps import Deps
from services.evidence.handlers import actor
from services.evidence.outputs.combined_tables import CombinedTables
from services.evidence.outputs.enriched_table import EnrichedTable
from services.evidence.outputs.parquet_tables import ParquetTables
from services.evidence.outputs.report_file import ReportFile
from services.evidence.outputs.subprocess_product import apart_if_large
from services.evidence.read_api.open_sql import answering_desk
from services.evidence.store.blocked_reporter import BlockedReporter
from services.evidence.store.open_store import open_store
from shared.bus.nats_bus import Bus
from shared.evidence_format.signing import signing_key
from shared.settings import Settings

__all__ = ["NAME", "actor", "open_deps"]

NAME = "evidence"


def _now() -> datetime:
    return datetime.now(UTC)


@asynccontextmanager
async def open_deps(settings: Settings, bus: Bus) -> AsyncGenerator[Deps]:
    blocked = BlockedReporter(bus, _now)
    async with open_store(settings, blocked, _now) as store, answering_desk(settings, store, bus, _now) as desk:
        yield Deps(
            store=store,
            blobs=bus,
            now=_now,
            products=(
                CombinedTables,
                EnrichedTable,
                apart_if_large(ParquetTables, ParquetTables.makes),
                apart_if_large(ReportFile, ReportFile.makes),
            ),
            on_blocked=blocked,
            # A key that reading made would be the one that `exhibit verify` trusts from then on.
            signer=None if settings.evidence_read_only else signing_key(settings),
            questions=desk,
        )


if __name__ == "__main__":
    from shared.host.process import main

    main(NAME)

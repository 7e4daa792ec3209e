"""Evidence as a service: settings, adapters, deps."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from services.evidence.adapters.apart import apart_if_large
from services.evidence.adapters.blocked import BlockedReporter
from services.evidence.adapters.combined_tables import CombinedTables
from services.evidence.adapters.duckdb_parquet import ParquetTables
from services.evidence.adapters.enriched_table import EnrichedTable
from services.evidence.adapters.opening import open_store
from services.evidence.adapters.report_file import ReportFile
from services.evidence.deps import Deps
from services.evidence.desk import answering_desk
from services.evidence.handlers import actor
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

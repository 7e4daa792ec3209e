"""Evidence as a service: opens what the handlers need, as the settings say."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from services.evidence.comparisons import Comparisons
from services.evidence.deps import BUS_USE, EvidenceDeps
from services.evidence.handlers import actor
from services.evidence.outputs.make_products import ALL_PRODUCTS
from services.evidence.ports import Store
from services.evidence.read_api.sql_service import open_sql_service
from services.evidence.store.open_store import BlockedReporter, open_store
from services.evidence.store.setup_checks import SETUP_CHECKS
from services.evidence.timestamps.asking import Timestamps, timestamped
from services.evidence.timestamps.tsa_client import TsaClient
from services.evidence.webhooks.delivery import Webhooks
from services.evidence.webhooks.sender import HttpSender
from shared.aio import run_alongside
from shared.bus.nats_bus import Bus
from shared.evidence_format import layout
from shared.evidence_format.seals.timestamp import TimestampAuthority, can_read_tokens
from shared.evidence_format.signing import load_known_key, load_signing_key
from shared.evidence_format.sources.opening import open_source
from shared.evidence_format.sources.source import RunSource
from shared.extras import missing_extra
from shared.health.readiness import ReadyCheck
from shared.network.name_resolver import NameResolver
from shared.s3.location import SCHEME
from shared.settings import Settings
from shared.streams import DELIVERY_QUEUE

__all__ = ["BUS_USE", "NAME", "READY_WHEN", "SETUP_CHECKS", "actor", "open_deps"]

log = logging.getLogger(__name__)
NAME = "evidence"


def _now() -> datetime:
    return datetime.now(UTC)


async def _try_store(deps: EvidenceDeps) -> None:
    if not deps.read_only:
        await asyncio.to_thread(deps.store.try_store)


READY_WHEN = (ReadyCheck("store", _try_store),)


@asynccontextmanager
async def open_deps(settings: Settings, bus: Bus) -> AsyncGenerator[EvidenceDeps]:
    await bus.open_queue(DELIVERY_QUEUE)
    blocked = BlockedReporter(bus, _now)
    # Without writing there is no signer: a key that is made now would be trusted by `exhibit verify` from then on.
    signer = None if settings.evidence_read_only else load_signing_key(settings)
    async with open_store(settings, blocked, _now) as store, open_sql_service(settings, store, bus, _now) as sql:
        deps = EvidenceDeps(
            store, bus, _now, ALL_PRODUCTS, blocked, signer, sql,
            read_only=settings.evidence_read_only, records=bus, events=bus,
            webhooks=open_webhooks(settings, bus), publishes=bus, timestamps=open_timestamps(settings, store),
            comparisons=open_comparisons(settings, store), most_decisions=settings.review_max_decisions,
        )  # fmt: skip
        if settings.evidence_read_only:
            yield deps
            return
        async with run_alongside(deps.refused_results.watch(bus, bus)), timestamped(deps.timestamps):
            yield deps


def open_webhooks(settings: Settings, bus: Bus) -> Webhooks | None:
    """Return where webhooks are sent; None if the settings name no receiver."""
    if settings.webhook_url is None:
        return None
    private = tuple(filter(None, (rule.strip() for rule in settings.webhook_private_hosts.split(","))))
    return Webhooks(
        url=settings.webhook_url.get_secret_value(),
        secret=settings.webhook_secret.get_secret_value() if settings.webhook_secret is not None else "",
        sender=HttpSender(NameResolver().addresses, private, settings.webhook_timeout_s),
        records=bus,
        now=_now,
        most_attempts=settings.webhook_attempts,
        first_pause_s=settings.webhook_retry_s,
    )


def open_comparisons(settings: Settings, store: Store) -> Comparisons:
    """Return what compares runs of the store."""

    def open_run(run_id: str) -> AbstractContextManager[RunSource]:
        place = store.location(layout.run_key(run_id))
        return open_source(settings, place if place.startswith(SCHEME) else Path(place))

    return Comparisons(open_run, load_known_key(settings), settings.compare_timeout_s)


def open_timestamps(settings: Settings, store: Store) -> Timestamps | None:
    """Return who is asked for timestamps; None if the settings name no authority. Runs are sealed without where the
    extra is missing, which is logged."""
    if settings.tsa_url is None or settings.evidence_read_only:
        return None
    if not can_read_tokens():
        log.warning("seals get no timestamp: %s", missing_extra("tsa"))
        return None
    path = settings.tsa_certificate
    return Timestamps(
        store,
        TsaClient(settings.tsa_url, NameResolver().addresses, settings.tsa_timeout_s),
        TimestampAuthority.parse(path.read_bytes(), str(path)) if path is not None else None,
        settings.tsa_policy or "",
        first_pause_s=settings.tsa_retry_s,
        longest_s=settings.tsa_timeout_s,
    )


if __name__ == "__main__":
    from shared.host.services import main

    main(NAME)

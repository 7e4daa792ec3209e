"""Opens the store that the settings name, and reports on the bus when it cannot be written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from services.evidence.ports import OnBlocked
from services.evidence.store.folder_store import FolderStore
from shared.bus.ports import Publishes
from shared.contracts.evidence import EvidenceBlocked
from shared.s3.opening import open_bucket
from shared.settings import Settings
from shared.subjects import EVIDENCE_BLOCKED

if TYPE_CHECKING:
    from services.evidence.store.s3_store import S3Store

REPORT_INTERVAL = timedelta(minutes=1)


@asynccontextmanager
async def open_store(
    settings: Settings, on_blocked: OnBlocked, now: Callable[[], datetime]
) -> AsyncGenerator[FolderStore | S3Store]:
    """Return the store: a bucket if one is named, else the folder.

    Raises Unavailable or PermanentError if evidence cannot be written there, so that the service does not start. If
    evidence is only read, nothing is tried or made: the disk may be read-only, and a mistyped name must not become a
    new bucket or folder.
    """
    store = _bucket(settings, on_blocked, now) if settings.evidence_bucket else _folder(settings, on_blocked)
    try:
        if not settings.evidence_read_only:
            await asyncio.to_thread(store.check_usable)
        yield store
    finally:
        await asyncio.to_thread(store.close)


def _folder(settings: Settings, on_blocked: OnBlocked) -> FolderStore:
    spool = settings.state_dir / "spool" if settings.evidence_read_only else None
    return FolderStore(settings.evidence_dir, on_blocked, spool)


def _bucket(settings: Settings, on_blocked: OnBlocked, now: Callable[[], datetime]) -> S3Store:
    bucket = open_bucket(settings)
    from services.evidence.store.s3_store import Retention, S3Store  # needs the extra, which open_bucket has found

    days, mode = settings.s3_retention_days, settings.s3_retention_mode
    retention = Retention(mode, days, now) if days else None
    return S3Store(bucket, settings.state_dir / "spool", retention, on_blocked)


class BlockedReporter:
    """An `OnBlocked` that publishes an event, at most once per `REPORT_INTERVAL`.

    The first two parts of a key are the run and the sample.
    """

    def __init__(self, publishes: Publishes, now: Callable[[], datetime]) -> None:
        self._publishes, self._now = publishes, now
        self._last: datetime | None = None

    async def __call__(self, key: str, why: str) -> None:
        now = self._now()
        if self._last is not None and now - self._last < REPORT_INTERVAL:
            return
        self._last = now
        run_id, sample_id, *_ = [*key.split("/"), "-"]
        event = EvidenceBlocked(run_id=run_id, sample_id=sample_id, message=why, at=now)
        await self._publishes.publish(EVIDENCE_BLOCKED, event)

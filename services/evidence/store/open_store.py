"""The store that the settings name."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from services.evidence.store.disk_errors import Blocked
from services.evidence.store.folder_store import FolderStore
from services.evidence.store.s3_store import Retaining, S3Store
from shared.s3.opening import open_bucket
from shared.settings import Settings


@asynccontextmanager
async def open_store(
    settings: Settings, on_blocked: Blocked, now: Callable[[], datetime]
) -> AsyncGenerator[FolderStore | S3Store]:
    """A bucket where one is named, else the folder. Unavailable or PermanentError where evidence cannot be kept there:
    better now than in the middle of a run. Where it is only read, nothing is tried or prepared there: it may be on a
    disk that nobody can write to, and a name that was mistyped must not become a new bucket or folder."""
    store = _bucket(settings, on_blocked, now) if settings.evidence_bucket else _folder(settings, on_blocked)
    try:
        if not settings.evidence_read_only:
            await asyncio.to_thread(store.must_be_usable)
        yield store
    finally:
        await asyncio.to_thread(store.close)


def _folder(settings: Settings, on_blocked: Blocked) -> FolderStore:
    spool = settings.state_dir / "spool" if settings.evidence_read_only else None
    return FolderStore(settings.evidence_dir, on_blocked, spool)


def _bucket(settings: Settings, on_blocked: Blocked, now: Callable[[], datetime]) -> S3Store:
    days, mode = settings.s3_retention_days, settings.s3_retention_mode
    retaining = Retaining(mode, days, now) if days else None
    return S3Store(open_bucket(settings), settings.state_dir / "spool", retaining, on_blocked)

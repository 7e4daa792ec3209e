"""Keeps refused events beside the runs, in ``.quarantine/RUN/``: they are in no run and in no seal."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from datetime import datetime

import msgspec

from services.evidence.ports import Store
from shared.contracts.base import Message
from shared.evidence_format import layout
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.refused import RefusalCode, RefusedEvent

log = logging.getLogger(__name__)
MAX_EVENTS = 1000
"""Of one run. Of a flood of events the first tell what it is; the others are counted in the log of the service."""
MAX_CONTENT_BYTES = 100_000


class Quarantine:
    """Keeps each refused event once, under its hash."""

    def __init__(self, store: Store, now: Callable[[], datetime]) -> None:
        self._store, self._now = store, now
        self._kept: dict[str, int] = {}

    async def keep(self, run_id: str, message: Message, code: RefusalCode, text: str) -> None:
        """Record why an event of a run was refused. Idempotent. ``text``: for people."""
        encoded = msgspec.json.encode(message)
        sha256 = hashlib.sha256(encoded).hexdigest()
        refused = RefusedEvent(
            run_id=run_id,
            sample_id=getattr(message, "sample_id", ""),
            event=type(message).__name__,
            attempt=getattr(message, "attempt", 0),
            step=getattr(message, "step", 0),
            code=code,
            text=text,
            refused_at=self._now(),
            sha256=sha256,
            size_bytes=len(encoded),
            content=msgspec.Raw(encoded) if len(encoded) <= MAX_CONTENT_BYTES else None,
        )
        log.warning(
            "%s/%s: %s refused (%s): exhibit doctor RUN tells why", run_id, refused.sample_id, refused.event, code
        )
        names = await self._store.names(layout.quarantine_key(run_id)) if run_id not in self._kept else []
        count = self._kept.setdefault(run_id, len(names))
        key = layout.quarantine_key(run_id, f"{sha256[:32]}.json")
        if count < MAX_EVENTS and await self._store.read(key) is None:
            await self._store.write(key, encode_file(refused))
            self._kept[run_id] = count + 1

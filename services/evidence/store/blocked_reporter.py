"""Reports on the bus that evidence cannot be written now, at most once a minute."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from shared.bus.ports import Publishes
from shared.contracts.evidence import EvidenceBlocked
from shared.subjects import EVIDENCE_BLOCKED

REPORT_INTERVAL = timedelta(minutes=1)


class BlockedReporter:
    """An `OnBlocked`. The first two parts of a key are the run and the sample."""

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

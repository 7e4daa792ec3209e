"""How many look at sessions of this process, and who; each that begins is told in the log."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager

from shared.errors import RateLimited
from shared.text.normal import tidy

log = logging.getLogger(__name__)

MOST_SESSIONS = 4
"""Looked at at a time: the browser draws each of them."""
MOST_LOOKS = 12
"""Asks of one session at a time."""
KEPT_S = 20.0
"""Whoever has not asked for so long has gone."""


class Viewers:
    """Counts asks for pictures. ``now_s``: a monotonic clock."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._open: Counter[str] = Counter()
        self._seen: dict[tuple[str, str], float] = {}

    @contextmanager
    def one_more(self, session_id: str, by: str) -> Generator[None]:
        """Count one ask within the block. Raises RateLimited where as many are open as may be."""
        sessions = len(+self._open)
        if self._open[session_id] >= MOST_LOOKS or (not self._open[session_id] and sessions >= MOST_SESSIONS):
            raise RateLimited("as many look at browsers of this pool as may; close a live view", retry_after_s=2.0)
        self._note(session_id, tidy(by)[:60] or "unnamed")
        self._open[session_id] += 1
        try:
            yield
        finally:
            self._open[session_id] -= 1
            self._open = +self._open

    def _note(self, session_id: str, by: str) -> None:
        now_s = self._now_s()
        self._seen = {key: at_s for key, at_s in self._seen.items() if now_s - at_s < KEPT_S}
        if (session_id, by) not in self._seen:
            log.info("session %s is looked at by %s", session_id, by)
        self._seen[session_id, by] = now_s

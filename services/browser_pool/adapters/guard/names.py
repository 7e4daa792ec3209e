"""Resolves host names to addresses."""

from __future__ import annotations

import asyncio
import time
from socket import SOCK_STREAM

BOUND_S = 5.0
KEPT_S = 30.0
MAX_KEPT = 2000


class NameResolver:
    """Uses the machine's resolver and caches answers for half a minute."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, tuple[str, ...]]] = {}

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Return the addresses; empty when the name is unknown here, as it is to the browser then."""
        kept = self._kept.get(host)
        if kept is not None and time.monotonic() - kept[0] < KEPT_S:
            return kept[1]
        found = await _asked(host)
        if len(self._kept) >= MAX_KEPT:
            self._kept.clear()
        self._kept[host] = (time.monotonic(), found)
        return found


async def _asked(host: str) -> tuple[str, ...]:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(BOUND_S):
            answers = await loop.getaddrinfo(host, None, type=SOCK_STREAM)
    except (OSError, UnicodeError, TimeoutError):
        return ()
    return tuple(dict.fromkeys(str(answer[4][0]) for answer in answers))

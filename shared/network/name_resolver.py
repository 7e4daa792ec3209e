"""The addresses of host names, as the machine's resolver knows them."""

from __future__ import annotations

import asyncio
import time
from socket import SOCK_STREAM

RESOLVE_BOUND_S = 5.0
CACHE_S = 30.0
MAX_CACHED = 2000


class NameResolver:
    """Uses the machine's resolver and caches answers for half a minute."""

    def __init__(self) -> None:
        self._cached: dict[str, tuple[float, tuple[str, ...]]] = {}

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Return the addresses; empty when the name is unknown here, as it is to the browser then."""
        cached = self._cached.get(host)
        if cached is not None and time.monotonic() - cached[0] < CACHE_S:
            return cached[1]
        found = await _resolve(host)
        if len(self._cached) >= MAX_CACHED:
            self._cached.clear()
        self._cached[host] = (time.monotonic(), found)
        return found


async def _resolve(host: str) -> tuple[str, ...]:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(RESOLVE_BOUND_S):
            answers = await loop.getaddrinfo(host, None, type=SOCK_STREAM)
    except (OSError, UnicodeError, TimeoutError):
        return ()
    return tuple(dict.fromkeys(str(answer[4][0]) for answer in answers))

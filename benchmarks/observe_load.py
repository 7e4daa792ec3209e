"""Several sessions at once, leases, actions, memory, and what a killed service leaves behind."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.observe_pool import Pool
from benchmarks.report import Row


async def loads(pool: Pool, url: str, say: Callable[[str], None]) -> list[Row]:
    return []

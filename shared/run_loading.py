"""Loads what evidence knows of a run, page by page."""

from __future__ import annotations

import msgspec

from shared.bus.ports import Asks
from shared.contracts.evidence import LoadedSample, LoadReply, LoadRun, RunUnknown
from shared.subjects import LOAD_RUN

LOAD_BOUND_S = 60.0
"""Of one page."""


async def load_run(asks: Asks, run_id: str) -> LoadReply:
    """Return the run with all its samples; its other facts are those of the first page."""
    first: LoadReply = await asks.ask(LOAD_RUN, LoadRun(run_id=run_id), timeout_s=LOAD_BOUND_S)
    if isinstance(first, RunUnknown):
        return first
    samples: list[LoadedSample] = list(first.samples)
    while len(samples) < first.total:
        request = LoadRun(run_id=run_id, skip=len(samples))
        page: LoadReply = await asks.ask(LOAD_RUN, request, timeout_s=LOAD_BOUND_S)
        if isinstance(page, RunUnknown):
            return page
        if not page.samples:
            break
        samples += page.samples
    return msgspec.structs.replace(first, samples=tuple(samples))


async def run_exists(asks: Asks, run_id: str) -> bool:
    """Whether evidence has a run of this id."""
    request = LoadRun(run_id=run_id, count_only=True)
    return not isinstance(await asks.ask(LOAD_RUN, request, timeout_s=LOAD_BOUND_S), RunUnknown)

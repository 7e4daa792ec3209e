"""Asks evidence whether the logs of a run are whole, some at a time."""

from __future__ import annotations

import asyncio

from services.discovery.replays import wanted_ids
from shared.bus.ports import Asks
from shared.contracts.discovery import SubmitRun
from shared.contracts.evidence import LoadSteps, RunLoaded, StepsReply, StepsUnknown
from shared.subjects import LOAD_STEPS

AT_ONCE = 100
BOUND_S = 60.0


async def log_problems(request: SubmitRun, loaded: RunLoaded, asks: Asks) -> dict[str, str]:
    """Of each sample that is to be replayed: what is wrong with its log, empty where nothing is."""
    run_id, ids = loaded.record.run_id, wanted_ids(request, loaded)
    found: dict[str, str] = {}
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        found |= dict(zip(some, await asyncio.gather(*(_problem(run_id, one, asks) for one in some)), strict=True))
    return found


async def _problem(run_id: str, sample_id: str, asks: Asks) -> str:
    request = LoadSteps(run_id=run_id, sample_id=sample_id, count_only=True)
    reply: StepsReply = await asks.ask(LOAD_STEPS, request, timeout_s=BOUND_S)
    return reply.message if isinstance(reply, StepsUnknown) else reply.problem

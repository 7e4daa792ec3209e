"""Asks evidence whether the logs of a run are whole, some at a time."""

from __future__ import annotations

from services.discovery.planning.replay_plan import wanted_ids
from shared.aio import map_concurrently
from shared.bus.ports import Asks
from shared.contracts.discovery import SubmitRun
from shared.contracts.evidence import LoadSteps, RunLoaded, StepsReply, StepsUnknown
from shared.subjects import LOAD_STEPS

AT_ONCE = 100
BOUND_S = 60.0


async def log_problems(request: SubmitRun, loaded: RunLoaded, asks: Asks) -> dict[str, str]:
    """Of each sample that is to be replayed: what is wrong with its log, empty where nothing is."""
    run_id, ids = loaded.record.run_id, wanted_ids(request, loaded)
    problems = await map_concurrently(lambda sample_id: _problem(run_id, sample_id, asks), ids, AT_ONCE)
    return dict(zip(ids, problems, strict=True))


async def _problem(run_id: str, sample_id: str, asks: Asks) -> str:
    request = LoadSteps(run_id=run_id, sample_id=sample_id, count_only=True)
    reply: StepsReply = await asks.ask(LOAD_STEPS, request, timeout_s=BOUND_S)
    return reply.message if isinstance(reply, StepsUnknown) else reply.problem

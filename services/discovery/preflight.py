"""Ask browser pools, planners and evidence, before anything starts, whether they have what a run needs."""

from __future__ import annotations

import logging
from typing import Any

from services.discovery.planning.plan import replay_sample_ids
from shared.aio import map_concurrently
from shared.bus.ports import Asks
from shared.contracts.browser.logins import CheckAccess
from shared.contracts.discovery import Problem, RunMode, SubmitRun
from shared.contracts.evidence import LoadSteps, RunLoaded, StepsReply, StepsUnknown
from shared.contracts.planner import CheckPlanner
from shared.errors import TransientError
from shared.subjects import CHECK_ACCESS, CHECK_PLANNER, LOAD_STEPS
from shared.task.allowed_hosts import known_hosts
from shared.task.spec import check_spec

log = logging.getLogger(__name__)

TIMEOUT_S = 10.0
MAX_CONCURRENT_LOADS, LOAD_TIMEOUT_S = 100, 60.0


async def check_access(data: dict[str, Any], asks: Asks, name: str = "spec") -> tuple[Problem, ...]:
    """Return the login state and secrets that are missing.

    No reply is no problem: browser pools may be scaled to zero while nothing runs, and a session without its login
    state reports that itself. ``name`` is what the request calls the spec.
    """
    spec, _ = check_spec(data)
    if spec is None or (spec.auth_profile is None and not spec.secrets):
        return ()
    request = CheckAccess(auth_profile=spec.auth_profile, secrets=tuple(spec.secrets), hosts=known_hosts(spec))
    try:
        checked = await asks.ask(CHECK_ACCESS, request, timeout_s=TIMEOUT_S)
    except TransientError as exc:
        log.warning("no browser pool could be asked for login state and secrets of %s: %s", spec.task_id, exc)
        return ()
    return tuple(Problem(where=f"{name}.{found.where}", message=found.message) for found in checked.problems)


async def check_planner(
    planner: str | None, asks: Asks, *, mode: RunMode = "auto", spec: dict[str, Any] | None = None
) -> tuple[tuple[Problem, ...], bool]:
    """Return why the planner cannot decide, such as a missing key, which would end every sample; and whether it asks a
    model. With the mode ``flow`` that is a task without a flow. A task that has a planner heal its flow needs a model.

    No reply is no problem: planners may be scaled to zero while nothing runs.
    """
    try:
        request = CheckPlanner(planner=planner, mode=mode, spec=spec)
        checked = await asks.ask(CHECK_PLANNER, request, timeout_s=TIMEOUT_S)
    except TransientError as exc:
        log.warning("no planner could be asked whether it can decide: %s", exc)
        return (), False
    where = "mode" if mode == "flow" else "planner"
    return ((Problem(where=where, message=checked.problem),) if checked.problem else ()), checked.asks_model


async def check_logs(request: SubmitRun, loaded: RunLoaded, asks: Asks) -> dict[str, str]:
    """Return, for each sample to replay, what is wrong with its step log; empty when it is complete."""
    run_id, ids = loaded.record.run_id, replay_sample_ids(request, loaded)
    problems = await map_concurrently(lambda each: _log_problem(run_id, each, asks), ids, MAX_CONCURRENT_LOADS)
    return dict(zip(ids, problems, strict=True))


async def _log_problem(run_id: str, sample_id: str, asks: Asks) -> str:
    request = LoadSteps(run_id=run_id, sample_id=sample_id, count_only=True)
    reply: StepsReply = await asks.ask(LOAD_STEPS, request, timeout_s=LOAD_TIMEOUT_S)
    return reply.message if isinstance(reply, StepsUnknown) else reply.problem

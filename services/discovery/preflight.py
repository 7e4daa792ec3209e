"""Whether browser pools and planners have what a run will need: asked before anything starts."""

from __future__ import annotations

import logging
from typing import Any

from shared.bus.ports import Asks
from shared.contracts.browser_pool import CheckAccess
from shared.contracts.discovery import Problem
from shared.contracts.planner import CheckPlanner
from shared.errors import TransientError
from shared.subjects import CHECK_ACCESS, CHECK_PLANNER
from shared.task.spec import check_spec

log = logging.getLogger(__name__)

BOUND_S = 10.0


async def access_problems(data: dict[str, Any], asks: Asks, name: str = "spec") -> tuple[Problem, ...]:
    """What is missing. Browser pools may be scaled to none while nothing runs: that nobody can tell is no problem,
    for a session that lacks its login state says so itself. ``name``: what the spec is called in the request."""
    spec, _ = check_spec(data)
    if spec is None or (spec.auth_profile is None and not spec.secrets):
        return ()
    request = CheckAccess(auth_profile=spec.auth_profile, secrets=tuple(spec.secrets))
    try:
        checked = await asks.ask(CHECK_ACCESS, request, timeout_s=BOUND_S)
    except TransientError as exc:
        log.warning("no browser pool could be asked for login state and secrets of %s: %s", spec.task_id, exc)
        return ()
    return tuple(Problem(where=f"{name}.{found.where}", message=found.message) for found in checked.problems)


async def planner_problems(planner: str | None, asks: Asks) -> tuple[Problem, ...]:
    """Whether the planner can decide at all: a key that is missing would end every sample. Planners may be scaled to
    none while nothing runs: that nobody can tell is no problem."""
    try:
        checked = await asks.ask(CHECK_PLANNER, CheckPlanner(planner=planner), timeout_s=BOUND_S)
    except TransientError as exc:
        log.warning("no planner could be asked whether it can decide: %s", exc)
        return ()
    return (Problem(where="planner", message=checked.problem),) if checked.problem else ()

"""The flow of the library that the runs of a task use."""

from __future__ import annotations

import asyncio
from typing import Any

from services.console.web.desk import Desk
from shared.client.workflow_calls import get_workflow
from shared.contracts.workflows.library import WorkflowShown
from shared.errors import ExhibitError
from shared.flows.files import is_flow
from shared.flows.made_for import other_task_problems
from shared.task.spec import check_spec

BOUND_S = 3.0


async def flow_of_task(desk: Desk, spec: dict[str, Any]) -> str:
    """Return the name of the flow that was made for the task as it is, and is not set aside; empty: there is none, or
    the library does not answer."""
    task, _ = check_spec(spec)
    if task is None or task.workflow != "auto" or not desk.has_bus:
        return ""
    try:
        async with asyncio.timeout(BOUND_S):  # the page of a draft is there without it
            library = await desk.library()
            shown = await get_workflow(library, task.task_id) if library is not None else None
    except (ExhibitError, TimeoutError):
        return ""
    if not isinstance(shown, WorkflowShown) or shown.set_aside or not is_flow(shown.source, shown.files):
        return ""
    return "" if other_task_problems(shown, task) else task.task_id

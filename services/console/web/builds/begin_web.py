"""A build session is begun with the task and the rows of a draft."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.web.builds.builds_web import BUILD_ID, reader_of
from services.console.web.desk import desk_of
from services.console.web.new_run.drafts import ReadDraft
from services.console.web.new_run.new_web import (
    changed_draft,
    draft_of,
    draft_page,
    drafts_of,
    need_services,
    read_of,
)
from shared.contracts.discovery import Problem
from shared.contracts.workflows.builds import BuildRow
from shared.errors import PermanentError
from shared.flows.building.input_rows import input_rows
from shared.task.spec import check_spec
from shared.task.workflow_use import example_refusal

MOST_ROWS = 200
"""Of the input, in one session: two or three are worked out, and one proves the flow."""


async def begin_build(request: Request) -> Response:
    """Take what the form says of the columns, and begin a session; tell all that is wrong, if something is. A form that
    is sent twice begins one: its key is the id of the session."""
    desk, drafts, reader = desk_of(request), drafts_of(request), reader_of(request)
    need_services(desk)
    form: Mapping[str, str] = request.state.form
    async with drafts.changing:  # of the drafts alone: a bus that does not answer holds up no other one
        draft = changed_draft(draft_of(request, request.path_params["draft"]), form)
        drafts.put(draft)
    build_id = form.get("once", "")
    if BUILD_ID.fullmatch(build_id) and await reader.record(desk.client.bus, build_id) is not None:
        return RedirectResponse(f"/builds/{build_id}", 303)
    read = await read_of(draft)
    rows, problems = _rows_of(read)
    if not BUILD_ID.fullmatch(build_id):
        problems = (*problems, Problem(where="", message="the page is an old one: load it again"))
    if problems:
        return await draft_page(request, replace(read, problems=problems), 409)
    agent = form.get("agent", "") == "1"
    try:
        await reader.open(desk.client.bus, build_id, draft.spec, rows, desk.person, agent=agent, begin_id=build_id)
    except PermanentError as exc:
        return await draft_page(request, replace(read, problems=(Problem(where="", message=str(exc)),)), 409)
    return RedirectResponse(f"/builds/{build_id}", 303)


def _rows_of(read: ReadDraft) -> tuple[list[BuildRow], tuple[Problem, ...]]:
    """Return the rows of a draft, and every reason why no flow is built with them."""
    if read.problems:
        return [], tuple(read.problems)
    spec, problems = check_spec(read.draft.spec)
    if spec is None:
        return [], tuple(problems)
    if spec.phase == "discovery":
        return [], (Problem(where="task", message="it finds samples; a flow works on one"),)
    if refusal := example_refusal(spec.output_schema):
        return [], (Problem(where="task", message=refusal),)
    rows, found = input_rows(spec, read.objects(0, MOST_ROWS))
    return rows, tuple(found)

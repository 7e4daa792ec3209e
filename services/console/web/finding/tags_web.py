"""The form that sets and removes tags of a run."""

from __future__ import annotations

import re

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.web.desk import NO_RUN, desk_of
from shared.client.run_sessions import RunSessions, TagsRefusedError


async def tag_run(request: Request) -> Response:
    """Change the tags of a run, and lead back to it. ``add`` and ``remove`` of the form: words with blanks or commas
    between them."""
    desk, run_id, form = desk_of(request), request.path_params["run"], request.state.form
    add, remove = (_words(form.get(name, "")) for name in ("add", "remove"))
    if not add and not remove:
        raise HTTPException(400, "No tag was written. Go back and write one.")
    request.state.named = " ".join([*(f"+{one}" for one in add), *(f"-{one}" for one in remove)])
    try:
        await RunSessions(await desk.writer()).tag(run_id, add, remove, desk.person)
    except TagsRefusedError as exc:
        if exc.refused.code == "no_such_run":
            raise HTTPException(404, NO_RUN) from exc
        raise HTTPException(400, "; ".join(problem.message for problem in exc.refused.problems)) from exc
    return RedirectResponse(f"/runs/{run_id}", 303)


def _words(text: str) -> tuple[str, ...]:
    return tuple(filter(None, re.split(r"[\s,]+", text)))

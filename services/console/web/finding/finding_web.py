"""The page that searches the values of all runs, and the forms that save views of the list of runs."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.web.desk import desk_of, page
from services.console.web.finding.saved_views import query_of, remove_view, save_view
from services.console.web.finding.values_query import MOST_FOUND, MOST_WORD_CHARS, values_query
from shared.contracts.evidence import SqlRefused

SEARCH_BOUND_S = 10.0


async def show_values(request: Request) -> Response:
    """Show which samples have a value with this text, in all runs or in one."""
    asked = request.query_params
    text, run = asked.get("q", "").strip()[:MOST_WORD_CHARS], asked.get("run", "").strip()
    facts: dict[str, Any] = {"asked": text, "run": run, "found": None, "refused": "", "more": False, "query": ""}
    if not text:
        return page(request, "values.html", **facts)
    query = values_query(text)
    facts["query"] = urlencode({"q": query, "run": run})
    answer = await desk_of(request).client.sql(
        query, [run] if run else [], max_rows=MOST_FOUND, timeout_s=SEARCH_BOUND_S
    )
    if isinstance(answer, SqlRefused):
        return page(request, "values.html", 400, **{**facts, "refused": answer.message})
    told, data = answer
    return page(request, "values.html", **{**facts, "found": json.loads(data), "more": told.cut, "told": told})


async def save(request: Request) -> Response:
    """Save a view of the list of runs, and lead to it."""
    desk, form = desk_of(request), request.state.form
    try:
        why = await asyncio.to_thread(save_view, desk.settings, form.get("name", ""), form.get("query", ""))
    except OSError as exc:
        raise HTTPException(503, f"The view cannot be kept: {exc.strerror or exc}") from exc
    if why:
        raise HTTPException(400, why)
    return RedirectResponse(f"/?{query_of(form.get('query', ''))}", 303)


async def remove(request: Request) -> Response:
    """Remove a view. Its runs stay."""
    try:
        await asyncio.to_thread(remove_view, desk_of(request).settings, request.state.form.get("name", ""))
    except OSError as exc:
        raise HTTPException(503, f"The view cannot be removed: {exc.strerror or exc}") from exc
    return RedirectResponse("/", 303)

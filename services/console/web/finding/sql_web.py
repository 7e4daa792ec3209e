"""The page that asks the evidence in SQL. Its address has the query: whoever may look gets the same answer."""

from __future__ import annotations

import json
from typing import Any, Literal, cast
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.web.desk import desk_of, page
from services.console.web.finding.sql_chart import chart_of
from shared.contracts.evidence import SqlRefused

TABLE_ROWS, FILE_ROWS = 200, 1_000_000
MOST_QUERY_CHARS = 20_000
MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}
EXAMPLES = (
    ("How did the samples end?", "select run_id, status, reason, count(*) as samples from samples group by all"),
    ("What was not found?", "select run_id, sample_id, field, state from fields where state = 'not_found'"),
    ("What is for a person?", "select run_id, sample_id, reason, message from samples where status = 'needs_review'"),
    ("Which files were kept?", "select run_id, sample_id, filename, kind, size_bytes, sha256 from artifacts"),
    ("Which views are there, and which columns has one?", "show tables"),
    ("What did it cost?", "select run_id, llm_calls, cost_usd from runs order by cost_usd desc"),
)


async def show_sql(request: Request) -> Response:
    """Show the form, and the answer to the query of the address."""
    query, run = _asked(request)
    facts: dict[str, Any] = {"query": query, "run": run, "examples": EXAMPLES, "answer": None, "refused": None}
    facts["rest"] = urlencode({"q": query, "run": run})
    if not query:
        return page(request, "sql.html", **facts)
    answer = await desk_of(request).client.sql(query, [run] if run else [], max_rows=TABLE_ROWS)
    if isinstance(answer, SqlRefused):
        return page(request, "sql.html", 400, **{**facts, "refused": answer})
    found: list[dict[str, Any]] = json.loads(answer[1])
    rows = [[_cell(value) for value in row.values()] for row in found]
    chart = None if answer[0].cut else chart_of(answer[0].columns, found)
    return page(request, "sql.html", **{**facts, "answer": answer[0], "rows": rows, "chart": chart})


async def download_sql(request: Request) -> Response:
    """Send the answer as a file."""
    query, run = _asked(request)
    form = request.query_params.get("format", "csv")
    if form not in MEDIA_TYPES or not query:
        raise HTTPException(400, "Ask for csv, json or parquet, with a query.")
    wanted = cast("Literal['json', 'csv', 'parquet']", form)
    answer = await desk_of(request).client.sql(query, [run] if run else [], format=wanted, max_rows=FILE_ROWS)
    if isinstance(answer, SqlRefused):
        raise HTTPException(400, answer.message)
    headers = {"Content-Disposition": f'attachment; filename="answer.{form}"'}
    return Response(answer[1], media_type=MEDIA_TYPES[form], headers=headers)


def _asked(request: Request) -> tuple[str, str]:
    asked = request.query_params
    return asked.get("q", "").strip()[:MOST_QUERY_CHARS], asked.get("run", "").strip()


def _cell(value: object) -> str | None:
    """Return a value as text; None for NULL."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)

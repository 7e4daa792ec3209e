"""The pages on which a run is prepared and started: the task, the rows, which column is which, a few rows first."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast
from urllib.parse import unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.web.desk import Desk, desk_of, page
from services.console.web.forms import SentFile
from services.console.web.new_run.drafts import PILOT_ROWS, DraftOptions, Drafts, ReadDraft, RunDraft, read_draft
from services.console.web.run_facts import RUNS_QUERY
from services.console.web.runs_web import MOST_RUNS, ask_rows
from shared.client.run_client import LOAD_BOUND_S
from shared.contracts.discovery import Problem, ReadAs, RunMode
from shared.contracts.evidence import LoadReply, LoadRun, RunUnknown
from shared.contracts.planner import PLANNERS
from shared.errors import RunRejectedError
from shared.evidence_format.reading_words import reading_lines
from shared.subjects import LOAD_RUN
from shared.submission.request import MAX_CONCURRENCY, REPLAY
from shared.tables.excel import open_workbook
from shared.task.spec import check_spec, parse_spec
from shared.task.spec_warnings import find_warnings
from shared.task.unused_keys import find_unused_keys

NEW: Final = "/new"
MOST_TASKS = 100
MOST_SPEC_BYTES = 1_000_000
MODES: dict[str, str] = {
    "": "the flow of the task, then the planner",
    "flow": "the flow of the task only; the rest goes to a person",
    "agent": "the planner, without a flow",
}
ACTS = ("columns", "pilot", "all", "rest")
NOT_HERE = (
    "This console only reads evidence: no service is there to run anything. `exhibit up` starts the services, and "
    "serves this page with them."
)


def drafts_of(request: Request) -> Drafts:
    return request.app.state.drafts


def need_services(desk: Desk) -> None:
    """Raise HTTPException (409) where the console has no services behind it."""
    if not desk.has_services:
        raise HTTPException(409, NOT_HERE)


async def show_new(request: Request) -> Response:
    """Show the form that begins a draft."""
    need_services(desk_of(request))
    return await _form(request, 200, ())


async def _form(request: Request, status: int, problems: tuple[Problem, ...]) -> Response:
    rows = await ask_rows(desk_of(request), RUNS_QUERY, max_rows=MOST_RUNS)
    like = request.query_params.get("like", "") or request.state.form.get("like", "")
    tasks: dict[str, str] = {}
    for row in rows:  # the newest first
        if row["run_id"] == like:
            tasks[str(row["task_id"])] = like
        tasks.setdefault(str(row["task_id"]), str(row["run_id"]))
    shown = list(tasks.items())
    shown = [*[one for one in shown if one[1] == like], *[one for one in shown if one[1] != like]][:MOST_TASKS]
    pasted = request.state.form.get("pasted", "")
    return page(request, "new.html", status, tasks=shown, like=like, pasted=pasted, problems=problems)


async def begin_draft(request: Request) -> Response:
    """Take the task and the rows of the form, and lead to the draft; tell all that is wrong with them, if something is.

    A draft that the form names gives the task and what was said of the run: its rows are replaced.
    """
    desk, drafts = desk_of(request), drafts_of(request)
    need_services(desk)
    form: Mapping[str, str] = request.state.form
    before = draft_of(request, form["draft"]) if form.get("draft") else None
    rows, problems = _rows_of(request)
    if before is not None and problems:
        return await draft_page(request, replace(await read_of(before), problems=problems), 400)
    spec, more = await _spec_of(request, desk) if before is None else (before.spec, ())
    if spec is None or problems:
        return await _form(request, 400, (*more, *problems))
    options = DraftOptions() if before is None else before.options
    draft = RunDraft(secrets.token_urlsafe(9), spec, rows.name, rows.data, options)
    drafts.put(draft)
    return RedirectResponse(f"{NEW}/{draft.draft_id}", 303)


def _rows_of(request: Request) -> tuple[SentFile, tuple[Problem, ...]]:
    sent: SentFile | None = request.state.files.get("rows")
    pasted = request.state.form.get("pasted", "").strip("\r\n")
    if sent is not None and pasted:
        return sent, (Problem(where="rows", message="give them as a file or paste them, not both"),)
    if sent is not None:
        return sent, ()
    return SentFile("pasted.csv" if pasted else "", pasted.encode()), ()


async def _spec_of(request: Request, desk: Desk) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    sent: SentFile | None = request.state.files.get("spec")
    like = request.state.form.get("like", "")
    if sent is not None and like:
        return None, (Problem(where="task", message="choose that of an earlier run or a file, not both"),)
    if sent is not None:
        return _written_spec(sent)
    if not like:
        return None, (Problem(where="task", message="choose the task of an earlier run, or the file of a task"),)
    loaded: LoadReply = await desk.client.bus.ask(
        LOAD_RUN, LoadRun(run_id=like, count_only=True), timeout_s=LOAD_BOUND_S
    )
    if isinstance(loaded, RunUnknown):
        return None, (Problem(where="task", message=f"there is no run {like}"),)
    return loaded.record.spec, ()


def _written_spec(sent: SentFile) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    if len(sent.data) > MOST_SPEC_BYTES:
        message = f"{len(sent.data)} bytes; a task has {MOST_SPEC_BYTES} at most. Is this the table?"
        return None, (Problem(where=sent.name, message=message),)
    spec, problems = parse_spec(sent.data.removeprefix(b"\xef\xbb\xbf"), sent.name)
    if spec is None:
        return None, problems
    checked, problems = check_spec(spec)
    problems = problems if checked is None else find_unused_keys(checked)
    return (None, problems) if problems else (spec, ())


async def show_draft(request: Request) -> Response:
    """Show what the run would be: which column is which, the first rows, all that is wrong."""
    need_services(desk_of(request))
    return await draft_page(request, await read_of(draft_of(request, request.path_params["draft"])), 200)


async def change_draft(request: Request) -> Response:
    """Take what the form says of the columns and of the run; then start it, if that was asked for."""
    desk, drafts = desk_of(request), drafts_of(request)
    need_services(desk)
    act = request.path_params["act"]
    if act not in ACTS:
        raise HTTPException(404, "There is no such act.")
    async with drafts.changing:
        before = draft_of(request, request.path_params["draft"])
        once = request.state.form.get("once", "")
        if once in before.started:  # the form was sent twice
            return RedirectResponse(f"/runs/{before.started[once]}", 303)
        draft = changed_draft(before, request.state.form)
        drafts.put(draft)
        if act == "columns":
            return RedirectResponse(f"{NEW}/{draft.draft_id}", 303)
        read = await read_of(draft)
        if read.problems or (act == "rest" and not draft.pilot):
            return await draft_page(request, read, 409)
        try:
            run_id = await _start(desk, read, act)
        except RunRejectedError as exc:
            return await draft_page(request, replace(read, problems=tuple(exc.problems)), 409)
        pilot = run_id if act == "pilot" else draft.pilot
        drafts.put(replace(draft, pilot=pilot, started={**draft.started, once: run_id}))
        return RedirectResponse(f"/runs/{run_id}", 303)


async def _start(desk: Desk, read: ReadDraft, act: str) -> str:
    draft, options = read.draft, read.draft.options
    rows = {"pilot": (0, PILOT_ROWS), "rest": (PILOT_ROWS, None)}.get(act)
    as_file = rows is None and read.takes_file and not draft.lists_only
    begin, end = rows or (0, None)
    accepted = await desk.client.submit(
        draft.spec,
        rows=None if as_file or draft.lists_only else read.objects(begin, end),
        file=(draft.file_name, draft.data) if as_file else None,
        discovery_row=dict(draft.row) if draft.lists_only else None,
        planner=options.planner or None,
        concurrency=options.concurrency,
        mode=cast("RunMode", options.mode) if options.mode else None,
        requested_by=desk.person,
        read_as=options.read_as,
    )
    return accepted.run_id


def draft_of(request: Request, draft_id: str) -> RunDraft:
    """Return the draft of this id. Raises HTTPException (404) without one."""
    draft = drafts_of(request).get(draft_id)
    if draft is None:
        message = "This draft is not there any more: the server was started again, or newer ones took its place. "
        raise HTTPException(404, f"{message}Nothing was started. Begin again with New run.")
    return draft


async def read_of(draft: RunDraft) -> ReadDraft:
    """Return a draft as it is read, with every problem."""
    return await asyncio.to_thread(read_draft, draft, open_workbook)


def changed_draft(draft: RunDraft, form: Mapping[str, str]) -> RunDraft:
    """Return the draft as the form says. What is wrong in it stays, so that it is told."""
    columns = {
        name: unquote(form[f"column.{number}"])
        for number, name in enumerate(draft.inputs)
        if f"column.{number}" in form
    }
    row = {name: form.get(f"with.{number}", "").strip() for number, name in enumerate(draft.filled_with)}
    sheets = tuple(one.strip() for one in form.get("sheets", "").split("\n") if one.strip())
    at_once = form.get("concurrency", "").strip()
    options = DraftOptions(
        columns={**draft.options.columns, **columns},
        read_as=ReadAs(sheets=sheets, encoding=form.get("encoding", "").strip(), hidden_rows=form.get("hidden", "")),
        planner=form.get("planner", ""),
        mode=form.get("mode", ""),
        concurrency=(int(at_once[:6]) if at_once.isascii() and at_once.isdecimal() else 0) if at_once else None,
    )
    return replace(draft, options=options, row={name: value for name, value in row.items() if value})


async def draft_page(request: Request, read: ReadDraft, status: int) -> Response:
    """Return the page of a draft."""
    draft = read.draft
    task, _ = check_spec(draft.spec)
    return page(
        request, "draft.html", status, read=read, draft=draft, options=draft.options,
        inputs=list(enumerate(draft.inputs)),
        reading=reading_lines(read.reading) if read.reading is not None else [],
        warnings=find_warnings(task) if task is not None else (), filled_with=list(enumerate(draft.filled_with)),
        modes=MODES, planners=[one for one in PLANNERS if one != REPLAY], most_at_once=MAX_CONCURRENCY,
        pilot_rows=PILOT_ROWS, base=f"{NEW}/{draft.draft_id}", once=secrets.token_urlsafe(9),
        can_build=not draft.lists_only, is_set=draft.options != DraftOptions(columns=draft.options.columns),
    )  # fmt: skip

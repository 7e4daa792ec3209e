"""The pages on which a run is prepared and started: the task, the rows, which column is which, a few rows first."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast
from urllib.parse import unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.web.desk import Desk, ask_rows, desk_of, page
from services.console.web.forms import SentFile
from services.console.web.new_run.asked_tasks import drafter_of
from services.console.web.new_run.drafts import (
    PILOT_ROWS,
    DraftOptions,
    Drafts,
    ReadDraft,
    RunDraft,
    read_draft,
    table_of,
)
from services.console.web.new_run.flow_of_task import flow_of_task
from services.console.web.new_run.saved_specs import load_saved, saved_lists, saved_names
from services.console.web.run_facts import MOST_RUNS, RUNS_QUERY
from shared.client.run_client import LOAD_BOUND_S, load_run
from shared.contracts.discovery import Problem, ReadAs, RunMode
from shared.contracts.evidence import LoadReply, LoadRun, RunLoaded, RunUnknown
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
    return await new_page(request, 200, ())


async def new_page(request: Request, status: int, problems: tuple[Problem, ...]) -> Response:
    """Return the form that begins a draft."""
    rows = await ask_rows(desk_of(request), RUNS_QUERY, max_rows=MOST_RUNS)
    like = request.query_params.get("like", "") or request.state.form.get("like", "")
    tasks: dict[str, str] = {}
    for row in rows:  # the newest first
        if row["run_id"] == like:
            tasks[str(row["task_id"])] = like
        tasks.setdefault(str(row["task_id"]), str(row["run_id"]))
    shown = list(tasks.items())
    shown = [*[one for one in shown if one[1] == like], *[one for one in shown if one[1] != like]][:MOST_TASKS]
    given = {name: request.state.form.get(name, "") for name in ("pasted", "written", "sentence")}
    saved = await asyncio.to_thread(saved_names, desk_of(request).settings)
    lists = await asyncio.to_thread(saved_lists, desk_of(request).settings)
    chosen = request.query_params.get("saved", "") or request.state.form.get("saved", "")
    task_of = {str(row["run_id"]): str(row["task_id"]) for row in rows}
    of_run = next((one for one in (request.query_params.get("rows", ""), like) if one in task_of), "")
    return page(
        request, "new.html", status, tasks=shown, like=like, problems=problems, saved=saved, chosen=chosen,
        lists=lists, chosen_list=request.query_params.get("list", "") or request.state.form.get("list", ""),
        of_run=of_run if await _has_rows(desk_of(request), of_run) else "", of_task=task_of.get(of_run, ""),
        drafter=await drafter_of(desk_of(request)), asked=request.app.state.asked_tasks.newest(desk_of(request).person),
        **given,
    )  # fmt: skip


async def _has_rows(desk: Desk, run_id: str) -> bool:
    """Whether a run has worked on the rows of a table, which another one can take over."""
    if not run_id:
        return False
    loaded: LoadReply = await desk.client.bus.ask(
        LOAD_RUN, LoadRun(run_id=run_id, count_only=True), timeout_s=LOAD_BOUND_S
    )
    return isinstance(loaded, RunLoaded) and _is_of_table(loaded) and loaded.total > 0


def _is_of_table(loaded: RunLoaded) -> bool:
    return loaded.record.discovery_spec is None and loaded.record.spec.get("phase") != "discovery"


async def _rows_of_run(desk: Desk, run_id: str) -> tuple[SentFile, tuple[Problem, ...]]:
    """Return the rows of an earlier run as a table, in their order, each cell as it was given."""
    loaded = await load_run(desk.client.bus, run_id)
    if isinstance(loaded, RunUnknown) or not _is_of_table(loaded) or not loaded.samples:
        told = f"there is no run {run_id} with rows of a table: give them as a file, or paste them"
        return SentFile("", b""), (Problem(where="rows", message=told),)
    ordered = sorted((one.sample for one in loaded.samples), key=lambda one: one.row)
    return SentFile("rows.csv", await asyncio.to_thread(table_of, ordered)), ()


async def begin_draft(request: Request) -> Response:
    """Take the task and the rows of the form, and lead to the draft; tell all that is wrong with them, if something is.

    A draft that the form names gives the task and what was said of the run: its rows are replaced.
    """
    desk, drafts = desk_of(request), drafts_of(request)
    need_services(desk)
    form: Mapping[str, str] = request.state.form
    before = draft_of(request, form["draft"]) if form.get("draft") else None
    rows, problems = _rows_of(request)
    has_list = "list_file" in request.state.files or bool(form.get("list", "").strip())
    if before is None and form.get("of_run") and not (rows.name or problems or has_list):
        rows, problems = await _rows_of_run(desk, form["of_run"])
    if before is not None and problems:
        return await draft_page(request, replace(await read_of(before), problems=problems), 400)
    if before is not None:
        draft = RunDraft(secrets.token_urlsafe(9), before.spec, rows.name, rows.data, before.options)
    else:
        spec, more = await _spec_of(request, desk)
        found, wrong = await asyncio.to_thread(_list_of, request, desk, rows)
        if spec is None or problems or wrong:
            return await new_page(request, 400, (*more, *problems, *wrong))
        draft = RunDraft(secrets.token_urlsafe(9), spec.spec, rows.name, rows.data)
        if found is not None:
            draft = replace(draft, discovery=found)
        elif not rows.name:  # as the earlier run has found them
            draft = replace(draft, discovery=None if draft.lists_only else spec.discovery, row=spec.row)
    drafts.put(draft)
    return RedirectResponse(f"{NEW}/{draft.draft_id}", 303)


@dataclass(frozen=True)
class _ChosenTask:
    """A task, and how the run that it is taken from has found its samples."""

    spec: dict[str, Any]
    discovery: dict[str, Any] | None = None
    row: Mapping[str, str] = field(default_factory=dict[str, str])


def _list_of(request: Request, desk: Desk, rows: SentFile) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """Return the task that finds the samples, if the form names one. What is wrong in it is told with the run."""
    sent: SentFile | None = request.state.files.get("list_file")
    saved = request.state.form.get("list", "").strip()
    if sent is None and not saved:
        return None, ()
    if rows.name or (sent is not None and saved):
        return None, (Problem(where="rows", message="give a table, cells that are pasted, or one list: not several"),)
    if sent is not None:
        return written_spec(sent)
    spec = load_saved(desk.settings, saved)
    return (spec, ()) if spec is not None else (None, (Problem(where="list", message=f"{saved} is not there"),))


def _rows_of(request: Request) -> tuple[SentFile, tuple[Problem, ...]]:
    sent: SentFile | None = request.state.files.get("rows")
    pasted = request.state.form.get("pasted", "").strip("\r\n")
    if sent is not None and pasted:
        return sent, (Problem(where="rows", message="give them as a file or paste them, not both"),)
    if sent is not None:
        return sent, ()
    return SentFile("pasted.csv" if pasted else "", pasted.encode()), ()


async def _spec_of(request: Request, desk: Desk) -> tuple[_ChosenTask | None, tuple[Problem, ...]]:
    sent: SentFile | None = request.state.files.get("spec")
    like, saved, written = (request.state.form.get(name, "").strip() for name in ("like", "saved", "written"))
    if sum((sent is not None, bool(like), bool(saved), bool(written))) > 1:
        told = "give one: that of an earlier run, a saved one, a file, or what is written"
        return None, (Problem(where="task", message=told),)
    if sent is not None or written:
        spec, problems = written_spec(sent or SentFile("task", written.encode()))
        return (None if spec is None else _ChosenTask(spec)), problems
    if saved:
        spec = await asyncio.to_thread(load_saved, desk.settings, saved)
        told = (Problem(where="task", message=f"{saved} is not there"),)
        return (None, told) if spec is None else (_ChosenTask(spec), ())
    if not like:
        told = "choose the task of an earlier run or a saved one, or give one as a file or in writing"
        return None, (Problem(where="task", message=told),)
    loaded: LoadReply = await desk.client.bus.ask(
        LOAD_RUN, LoadRun(run_id=like, count_only=True), timeout_s=LOAD_BOUND_S
    )
    if isinstance(loaded, RunUnknown):
        return None, (Problem(where="task", message=f"there is no run {like}"),)
    record = loaded.record
    return _ChosenTask(record.spec, record.discovery_spec, record.discovery_row), ()


def written_spec(sent: SentFile) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """Return the spec of a file or of a text, checked, or all that is wrong with it."""
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
    as_file = rows is None and read.takes_file and not draft.finds_samples
    begin, end = rows or (0, None)
    accepted = await desk.client.submit(
        draft.spec,
        rows=None if as_file or draft.finds_samples else read.objects(begin, end),
        file=(draft.file_name, draft.data) if as_file else None,
        discovery=draft.discovery,
        discovery_row=dict(draft.row) if draft.finds_samples else None,
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
    flow = "" if draft.options.mode == "agent" else await flow_of_task(desk_of(request), draft.spec)
    return page(
        request, "draft.html", status, read=read, draft=draft, options=draft.options,
        inputs=list(enumerate(draft.inputs)),
        reading=reading_lines(read.reading) if read.reading is not None else [],
        warnings=find_warnings(task) if task is not None else (), filled_with=list(enumerate(draft.filled_with)),
        modes=MODES, planners=[one for one in PLANNERS if one != REPLAY], most_at_once=MAX_CONCURRENCY,
        pilot_rows=PILOT_ROWS, base=f"{NEW}/{draft.draft_id}", once=secrets.token_urlsafe(9),
        can_build=not draft.finds_samples, flow=flow,
        is_set=draft.options != DraftOptions(columns=draft.options.columns),
    )  # fmt: skip

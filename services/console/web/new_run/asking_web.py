"""The pages on which a sentence becomes a task: what is asked for, the task that a model has drafted, its rows."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.task_drafting import rows_table
from services.console.web.desk import Desk, desk_of, page
from services.console.web.forms import SentFile
from services.console.web.markup import json_text
from services.console.web.new_run.asked_tasks import AskedTask, AskedTasks, drafter_of
from services.console.web.new_run.drafts import SHOWN_ROWS, RunDraft
from services.console.web.new_run.new_web import NEW, drafts_of, need_services, new_page, written_spec
from services.console.web.new_run.saved_specs import save_specs
from shared.aio import wait_for_first
from shared.contracts.discovery import Problem
from shared.contracts.planner import DraftRefused, TaskDrafted
from shared.task.spec import TaskSpec, check_spec
from shared.task.spec_warnings import find_warnings

ASK: Final = "/new/ask"
WAIT_S = 25.0
"""How long the page is kept waiting for an answer before it asks anew."""
SPEC, DISCOVERY = "spec", "discovery"


@dataclass(frozen=True)
class ShownTask:
    """A task of a draft as it stands on the page. ``part``: which one; ``written``: its JSON, as somebody has left it.
    ``task``: None where it is none."""

    part: str
    written: str
    task: TaskSpec | None


def asked_of(request: Request) -> AskedTask:
    """Return what the address names. Raises HTTPException (404) where it is none of this person."""
    asked = _all(request).get(request.path_params["asked"], desk_of(request).person)
    if asked is None:
        told = "This sentence is not there any more: the server was started again, or newer ones took its place. "
        raise HTTPException(404, f"{told}What was saved is still there: see New run.")
    return asked


def _all(request: Request) -> AskedTasks:
    return request.app.state.asked_tasks


async def begin_asking(request: Request) -> Response:
    """Have a model draft a task of the sentence, and lead to it; tell why not, if none is asked."""
    desk, form = desk_of(request), request.state.form
    need_services(desk)
    sentence = form.get("sentence", "").strip()
    if not sentence:
        return await new_page(
            request, 400, (Problem(where="sentence", message="say what is to be collected, and where"),)
        )
    asks, drafter = _all(request), await drafter_of(desk)
    if drafter.problem:
        return await new_page(request, 409, (Problem(where="sentence", message=drafter.problem),))
    if asks.open_of(desk.person) is not None:  # no wait between this and `begin`
        told = "one of yours is on its way: wait for it, or cancel it"
        return await new_page(request, 409, (Problem(where="sentence", message=told),))
    asked = asks.begin(secrets.token_urlsafe(9), desk.client.bus, desk.person, sentence)
    return RedirectResponse(f"{ASK}/{asked.asked_id}", 303)


async def show_asked(request: Request) -> Response:
    """Show what came of a sentence."""
    need_services(desk_of(request))
    return await _asked_page(request, asked_of(request), 200, ())


async def wait_for_asked(request: Request) -> Response:
    """Answer once something came of a sentence (200), or that it is still on its way (202)."""
    asked, desk = asked_of(request), desk_of(request)
    if asked.is_open:
        await wait_for_first(_all(request).ended(asked.asked_id), desk.closing.wait(), timeout_s=WAIT_S)
    return Response(status_code=202 if asked_of(request).is_open else 200)


async def _asked_page(request: Request, asked: AskedTask, status: int, problems: tuple[Problem, ...]) -> Response:
    reply, form = asked.reply, request.state.form
    drafted = reply if isinstance(reply, TaskDrafted) else None
    shown = () if drafted is None else _shown(drafted, form)
    columns = list(dict.fromkeys(name for row in drafted.samples for name in row)) if drafted else []
    rows = [[row.get(name, "") for name in columns] for row in drafted.samples[:SHOWN_ROWS]] if drafted else []
    task = next((one.task for one in shown if one.part == SPEC), None)
    return page(
        request, "asked.html", status, asked=asked, base=f"{ASK}/{asked.asked_id}", problems=problems,
        drafted=drafted, refused=reply.problems if isinstance(reply, DraftRefused) else (),
        usage=reply.usage if reply else None,
        shown=shown, task=task, columns=columns, rows=rows,
        warnings=[one for at in shown if at.task is not None for one in find_warnings(at.task)],
    )  # fmt: skip


def _shown(drafted: TaskDrafted, form: Mapping[str, str]) -> tuple[ShownTask, ...]:
    parts = {DISCOVERY: drafted.discovery, SPEC: drafted.spec}
    found: list[ShownTask] = []
    for part, spec in parts.items():
        if spec is not None:
            text = form.get(f"written.{part}") or json_text(spec)
            written, _ = written_spec(SentFile(part, text.encode()))
            found.append(ShownTask(part, text, None if written is None else check_spec(written)[0]))
    return tuple(found)


async def change_asked(request: Request) -> Response:
    """Cancel what is on its way, or save the task as the form has it and lead to a run with it."""
    desk = desk_of(request)
    need_services(desk)
    asked, act = asked_of(request), request.path_params["act"]
    if act == "cancel":
        _all(request).cancel(asked.asked_id)
        return RedirectResponse(f"{ASK}/{asked.asked_id}", 303)
    if act != "use" or not isinstance(asked.reply, TaskDrafted):
        raise HTTPException(404, "There is no such act.")
    specs, problems = _written_specs(asked.reply, request.state.form)
    problems = problems or await asyncio.to_thread(
        _save, desk, specs, replace=request.state.form.get("replace", "") == "1"
    )
    if problems:
        return await _asked_page(request, asked, 409, problems)
    draft = _run_of(asked.reply, specs)
    drafts_of(request).put(draft)
    return RedirectResponse(f"{NEW}/{draft.draft_id}", 303)


def _written_specs(
    drafted: TaskDrafted, form: Mapping[str, str]
) -> tuple[dict[str, dict[str, Any]], tuple[Problem, ...]]:
    """Return the tasks by their part, as somebody has left them, or all that is wrong with them."""
    specs: dict[str, dict[str, Any]] = {}
    problems: list[Problem] = []
    for part in (SPEC, DISCOVERY) if drafted.discovery is not None else (SPEC,):
        spec, found = written_spec(SentFile(part, form.get(f"written.{part}", "").strip().encode()))
        problems += found
        if spec is not None:
            specs[part] = spec
    if len({spec["task_id"] for spec in specs.values()}) < len(specs):
        problems.append(Problem(where="discovery.task_id", message="must be another than the task_id of spec"))
    return specs, tuple(problems)


def _save(desk: Desk, specs: Mapping[str, dict[str, Any]], *, replace: bool) -> tuple[Problem, ...]:
    told = save_specs(desk.settings, tuple(specs.values()), replace=replace)
    return tuple(Problem(where=name, message=why) for name, why in told.items())


def _run_of(drafted: TaskDrafted, specs: Mapping[str, dict[str, Any]]) -> RunDraft:
    """Return the run that is prepared: over what the task that lists the samples finds, where there is one."""
    if DISCOVERY in specs:
        row = drafted.discovery_row
        return RunDraft(secrets.token_urlsafe(9), specs[SPEC], row=row, discovery=specs[DISCOVERY])
    table = "" if specs[SPEC].get("phase") == "discovery" else rows_table(drafted.samples)
    row = drafted.discovery_row if not table else {}
    return RunDraft(secrets.token_urlsafe(9), specs[SPEC], "asked.csv" if table else "", table.encode(), row=row)

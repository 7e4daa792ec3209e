"""The page on which a list is pointed at: two of its items, all that are found, whether they are all, and what comes of
it: a discovery task, a run that finds its samples so, or one of its records to point at."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.web.desk import desk_of, page
from services.console.web.new_run.drafts import RunDraft
from services.console.web.new_run.new_web import NEW, drafts_of, need_services
from services.console.web.new_run.saved_specs import save_spec
from services.console.web.pointing.list_drafts import (
    ListDraft,
    ListSettings,
    cells_of,
    in_content,
    items_of,
    list_of,
    paging_words,
    settings_of,
    way_words,
)
from services.console.web.pointing.list_trials import MOST_ITEMS, ListTrial, try_list
from services.console.web.pointing.page_looks import look_at
from services.console.web.pointing.spec_drafts import (
    MAX_GOAL_CHARS,
    FoundIn,
    SpecDraft,
    shown_values,
    task_id_of,
)
from services.console.web.pointing.spec_facts import boxed
from services.console.web.pointing.spec_web import MOST_LISTED, SPECS, draft_of, spec_drafts_of
from services.console.web.pointing.trials import tried_part
from shared.contracts.discovery import Problem
from shared.errors import ExhibitError, RunRejectedError
from shared.pages.entries.pointed_list import NotOneList
from shared.task.spec import check_spec
from shared.task.typed_values import as_shown
from shared.task.unused_keys import find_unused_keys
from shared.text.normal import fold

MOST_OTHERS = 3
"""Of the items beside the one that is pointed at: rows to try its task on."""
NO_ITEM = Problem(where="list", message="press two of its items first")


async def show_list(request: Request) -> Response:
    """Show the page, the items that were pressed, and the list that they give."""
    need_services(desk_of(request))
    draft = draft_of(request)
    given = dict(request.query_params)
    return await _list_page(request, draft, 200, (), given if "first" in given else _kept(draft))


def _kept(draft: SpecDraft) -> dict[str, str]:
    """Return what was said of the list that the draft has, as a form has it."""
    one = draft.listing
    if one is None:
        return {}
    said = one.settings
    return {
        "first": str(one.first), "second": str(one.second), "way": str(one.way), "task_id": one.task_id,
        "goal": one.goal, "expected": str(said.expected or ""), "limit": str(said.limit or ""), "called": said.called,
        "pages": "one" if said.one_page else "all",
    }  # fmt: skip


def _list_in(draft: SpecDraft, given: Mapping[str, str]) -> ListDraft | Problem:
    """Return the list that a form or an address says, or what is wrong with it."""
    found = list_of(draft.look.page, given, f"{task_id_of(draft.url)}_list")
    if isinstance(found, NotOneList):
        told = f"{found.told}. What is open: {found.doubt}" if found.doubt else found.told
        return Problem(where="the two items", message=told)
    settings = settings_of(given)
    if not isinstance(settings, ListSettings):
        return settings
    task_id = given.get("task_id", "").strip()[:100] or found.task_id
    return replace(found, settings=settings, task_id=task_id, goal=given.get("goal", "").strip()[:MAX_GOAL_CHARS])


async def _list_page(
    request: Request, draft: SpecDraft, status: int, problems: tuple[Problem, ...], given: Mapping[str, str]
) -> Response:
    listing: ListDraft | None = None
    if given.get("first") and given.get("second"):
        found = await asyncio.to_thread(_list_in, draft, given)
        if isinstance(found, ListDraft):
            listing = found
        else:
            problems, status = (*problems, found), 409 if status == 200 and request.method == "POST" else status
    content = in_content(draft.look.page)
    values = [one for one in shown_values(draft) if one.ref in content]
    find = request.query_params.get("find", "")[:200]
    listed = [one for one in values if fold(find) in fold(f"{one.text} {one.label}")]
    trial = draft.list_trial
    spec = listing.spec(draft.url, draft.profile) if listing is not None else {}
    return page(
        request, "list.html", status, draft=draft, base=f"{SPECS}/{draft.draft_id}", problems=problems, given=given,
        listing=listing, trial=trial, is_tried=trial is not None and trial.spec == tried_part(spec),
        items=items_of(draft.look.page, listing.found) if listing is not None else [],
        paging=paging_words(draft.look.page, listing) if listing is not None else "",
        ways=[way_words(one) for one in listing.ways] if listing is not None else [],
        shots=boxed(replace(draft, fields=()), values, -1), find=find, values=listed[:MOST_LISTED],
        more_values=max(0, len(listed) - MOST_LISTED), most_items=MOST_ITEMS,
        spec_text=json.dumps(spec, ensure_ascii=False, indent=2), cells_of=cells_of,
    )  # fmt: skip


# --- what is done with it


async def change_list(request: Request) -> Response:
    """Read all of the list, save it for a run, or open one of its records; tell why not, if that cannot be done."""
    need_services(desk_of(request))
    act = ACTS.get(request.path_params["act"])
    if act is None:
        raise HTTPException(404, "There is no such act.")
    draft, form = draft_of(request), dict(request.state.form)
    found = await asyncio.to_thread(_list_in, draft, form)
    problems = (found,) if isinstance(found, Problem) else _unready(found.spec(draft.url, draft.profile))
    if isinstance(found, Problem) or problems:
        return await _list_page(request, draft, 409, problems if isinstance(found, ListDraft) else (), form)
    async with spec_drafts_of(request).changing:
        draft = replace(draft_of(request), listing=found)
        spec_drafts_of(request).put(draft)
    try:
        return await act(request, draft, found)
    except RunRejectedError as exc:
        return await _list_page(request, draft, 409, tuple(exc.problems), form)
    except ExhibitError as exc:
        return await _list_page(request, draft, 409, (Problem(where="", message=str(exc)),), form)


def _unready(spec: dict[str, Any]) -> tuple[Problem, ...]:
    checked, problems = check_spec(spec)
    return tuple(problems) if checked is None else find_unused_keys(checked)


async def _read_all(request: Request, draft: SpecDraft, listing: ListDraft) -> Response:
    drafts = spec_drafts_of(request)
    async with drafts.looking:
        trial = await try_list(desk_of(request).client.bus, listing.spec(draft.url, draft.profile))
    async with drafts.changing:
        drafts.put(replace(draft_of(request), listing=listing, list_trial=trial))
    return RedirectResponse(f"{SPECS}/{draft.draft_id}/list#found", 303)


async def _use(request: Request, draft: SpecDraft, listing: ListDraft) -> Response:
    spec = listing.spec(draft.url, draft.profile)
    is_replaced = request.state.form.get("replace", "") == "1"
    told = await asyncio.to_thread(save_spec, desk_of(request).settings, spec, replace=is_replaced)
    if told:
        problems = (Problem(where="name", message=told),)
        return await _list_page(request, draft, 409, problems, dict(request.state.form))
    run = RunDraft(secrets.token_urlsafe(9), spec)
    drafts_of(request).put(run)
    return RedirectResponse(f"{NEW}/{run.draft_id}", 303)


async def _open_record(request: Request, draft: SpecDraft, listing: ListDraft) -> Response:
    """Open the first item that has an address, to point at what its page shows."""
    drafts, spec = spec_drafts_of(request), listing.spec(draft.url, draft.profile)
    found = _found_items(draft.list_trial, listing, spec)
    if not found:
        told = "no item has an address of its own that is certain: point at the links of two items"
        return await _list_page(request, draft, 409, (Problem(where="record", message=told),), dict(request.state.form))
    cells, address = found[0]
    async with drafts.looking:
        look = await look_at(desk_of(request).client.bus, address, draft.profile)
    others = tuple(other for other, _ in found[1 : 1 + MOST_OTHERS])
    trial = draft.list_trial
    is_whole = trial is not None and trial.state == "complete" and trial.spec == tried_part(spec)
    known = len(trial.items) if trial is not None and is_whole else 0
    record = SpecDraft(
        secrets.token_urlsafe(9), address, draft.profile, look, task_id_of(address),
        found_in=FoundIn(draft.draft_id, spec, cells, others, known), person=draft.person,
    )  # fmt: skip
    drafts.put(record)
    return RedirectResponse(f"{SPECS}/{record.draft_id}", 303)


def _found_items(
    trial: ListTrial | None, listing: ListDraft, spec: Mapping[str, Any]
) -> list[tuple[dict[str, str], str]]:
    """Return the items that have addresses, as rows of a run, each with its address: all that were read, else those of
    the page."""
    if trial is not None and trial.spec == tried_part(spec):
        found = [(one.values, one.address) for one in trial.items]
    else:
        read = listing.found.read
        found = list(zip(read.items, read.addresses, strict=True))
    return [
        ({name: "" if value is None else as_shown(value) for name, value in values.items()}, address)
        for values, address in found
        if address
    ]


ACTS = {"try": _read_all, "use": _use, "record": _open_record}


async def download_list(request: Request) -> Response:
    """Send the discovery task as a file, as it is."""
    draft = draft_of(request)
    listing = draft.listing
    if listing is None:
        raise HTTPException(404, "There is no list yet: press two of its items, and read all of it.")
    data = (json.dumps(listing.spec(draft.url, draft.profile), ensure_ascii=False, indent=2) + "\n").encode()
    name = listing.task_id if listing.task_id.isidentifier() and listing.task_id.isascii() else "list"
    headers = {"Content-Disposition": f'attachment; filename="{name}.json"'}
    return Response(data, media_type="application/json", headers=headers)

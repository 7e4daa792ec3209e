"""The pages on which a spec is made by pointing: an address, its picture with what was observed, the fields."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.web.desk import Desk, desk_of, page
from services.console.web.markup import plain
from services.console.web.new_run.drafts import RunDraft
from services.console.web.new_run.new_web import NEW, drafts_of, need_services
from services.console.web.new_run.saved_specs import save_spec, save_specs, saved_lists, saved_names
from services.console.web.pointing.example_flows import learn_flow
from services.console.web.pointing.kept_drafts import SpecDrafts
from services.console.web.pointing.page_looks import address_problem, look_at
from services.console.web.pointing.settling import (
    ANOTHER_TRIAL,
    absence_offers,
    is_of_trial,
    key_offer,
    leave_absence,
    rule_offers,
    take_absence,
    take_key,
    take_none,
    take_rule,
)
from services.console.web.pointing.spec_drafts import (
    MAX_GOAL_CHARS,
    MAX_NAME_CHARS,
    FoundIn,
    PointedField,
    SpecDraft,
    entry_words,
    learned_of,
    other_entries,
    other_rows,
    shown_values,
    state_of,
    task_id_of,
    ways_of,
    with_field,
    with_key,
    without_field,
)
from services.console.web.pointing.spec_facts import Chosen, boxed, choices_of, chosen_of, key_ways
from services.console.web.pointing.trials import MOST_ROWS, SpecTrial, read_rows, rows_file, tried_part, try_rows
from services.console.web.sample_web import FILE_POLICY
from shared.contracts.discovery import Problem, Sample
from shared.errors import ExhibitError, RunRejectedError
from shared.pages.entries.pointed import MOST_ENTRIES, PointedText, can_be_pointed_at
from shared.setup.login_facts import read_logins
from shared.task.spec import FIELD_NAME, check_spec
from shared.task.typed_values import as_shown
from shared.text.normal import fold, quoted

SPECS: Final = "/specs"
MOST_LISTED = 300
MOST_OTHERS = 4
"""Ways to find a value that are tried on other records, besides the one that was taken."""
NOT_TOLD = "nothing tells this text from the others of the page: no label, no form and nothing that stands around it"


def spec_drafts_of(request: Request) -> SpecDrafts:
    return request.app.state.spec_drafts


def draft_of(request: Request) -> SpecDraft:
    """Return the draft of the address. Raises HTTPException (404) without one."""
    draft = spec_drafts_of(request).get(request.path_params["draft"])
    if draft is None:
        told = "This page is not there any more: the server was started again, or newer ones took its place."
        raise HTTPException(404, f"{told} What was saved is still there: see New run.")
    return draft


# --- an address


async def show_specs(request: Request) -> Response:
    """Show the form that opens an address."""
    need_services(desk_of(request))
    return await _form(request, 200, ())


async def _form(request: Request, status: int, problems: tuple[Problem, ...]) -> Response:
    desk = desk_of(request)
    logins = await asyncio.to_thread(read_logins, desk.settings)
    saved = await asyncio.to_thread(saved_names, desk.settings)
    lists = await asyncio.to_thread(saved_lists, desk.settings)
    given: Mapping[str, str] = request.state.form
    return page(
        request, "specs.html", status, problems=problems, logins=[one.name for one in logins], saved=saved, lists=lists,
        url=given.get("url", ""), profile=given.get("profile", ""), drafts=spec_drafts_of(request).newest(desk.person),
    )  # fmt: skip


async def open_address(request: Request) -> Response:
    """Open the address in a browser of the pool, and lead to its picture; tell why not, if it cannot be had."""
    desk, drafts = desk_of(request), spec_drafts_of(request)
    need_services(desk)
    form: Mapping[str, str] = request.state.form
    url, profile = form.get("url", "").strip(), form.get("profile", "").strip()
    if problem := address_problem(url):
        return await _form(request, 400, (Problem(where="address", message=problem),))
    try:
        async with drafts.looking:
            look = await look_at(desk.client.bus, url, profile)
    except ExhibitError as exc:
        return await _form(request, 409, (Problem(where="", message=str(exc)),))
    if not any(map(can_be_pointed_at, look.page.elements)):
        told = "the page shows no text that can be read: it may be a picture, or a drawing"
        return await _form(request, 409, (Problem(where="", message=told),))
    draft = SpecDraft(secrets.token_urlsafe(9), url, profile, look, task_id_of(url), person=desk.person)
    drafts.put(draft)
    is_list = form.get("kind", "") == "list"
    return RedirectResponse(f"{SPECS}/{draft.draft_id}{'/list' if is_list else ''}", 303)


# --- its picture, and what is pointed at


async def show_spec(request: Request) -> Response:
    """Show the page that is pointed at, the value that was chosen on it, and the fields so far."""
    need_services(desk_of(request))
    return await _spec_page(request, draft_of(request), 200, ())


async def _spec_page(request: Request, draft: SpecDraft, status: int, problems: tuple[Problem, ...]) -> Response:
    given: Mapping[str, str] = request.state.form
    asked = given.get("ref", "") or request.query_params.get("value", "")
    values = shown_values(draft)
    take_whole = request.query_params.get("whole", "") == "1"
    chosen = await asyncio.to_thread(chosen_of, draft, asked, given, take_whole=take_whole)
    state = await asyncio.to_thread(state_of, draft)
    find = request.query_params.get("find", "")[:200]
    listed = [one for one in values if fold(find) in fold(f"{one.text} {one.label}")]
    written = draft.spec()
    return page(
        request, "spec.html", status, draft=draft, base=f"{SPECS}/{draft.draft_id}", problems=problems, chosen=chosen,
        choices=choices_of(chosen), state=state, other_place=_other_place(chosen),
        shots=boxed(draft, values, chosen.element.ref if chosen else -1), find=find, values=listed[:MOST_LISTED],
        more_values=max(0, len(listed) - MOST_LISTED), spec_text=json.dumps(written, ensure_ascii=False, indent=2),
        key_ways=key_ways(draft), as_shown=as_shown,
        rows=given.get("rows", "") or (draft.trial.rows if draft.trial else other_rows(draft)), most_rows=MOST_ROWS,
        key_offer=key_offer, otherwise=request.query_params.get("otherwise", ""),
        absence_offers=partial(absence_offers, draft), rule_offers=partial(rule_offers, draft),
    )  # fmt: skip


# --- what is changed


async def change_spec(request: Request) -> Response:
    """Do what the form asks for, and show the page again; tell why not, if it cannot be done."""
    desk, drafts = desk_of(request), spec_drafts_of(request)
    need_services(desk)
    act = CHANGES.get(request.path_params["act"])
    if act is None:
        raise HTTPException(404, "There is no such act.")
    async with drafts.changing:
        draft = draft_of(request)
        changed = await asyncio.to_thread(act, draft, request.state.form)
        if not isinstance(changed, SpecDraft):
            return await _spec_page(request, draft, 409, (changed,))
        drafts.put(changed)
    place = "#tried" if request.path_params["act"] in TRIED_CHANGES else _otherwise(changed, request.state.form)
    return RedirectResponse(f"{SPECS}/{draft.draft_id}{place}", 303)


def _other_place(chosen: Chosen | None) -> str:
    """Return what to do about a value that nothing tells from others."""
    part = (
        "take the whole text" if chosen and chosen.shown != chosen.whole else "leave only the words that are the value"
    )
    return f"Point at another place of the same value, or {part}"


def _otherwise(draft: SpecDraft, form: Mapping[str, str]) -> str:
    """Return the part of the address that has the page say that a field is found in another way than was chosen."""
    name, by = form.get("name", "").strip(), form.get("by", "")
    one = next((one for one in draft.fields if one.name == name), None)
    return f"?otherwise={name}#fields-title" if one is not None and by and plain(entry_words(one)) != by else ""


def _take_field(draft: SpecDraft, form: Mapping[str, str]) -> SpecDraft | Problem:
    chosen = chosen_of(draft, form.get("ref", ""), form)
    if chosen is None:
        return Problem(where="value", message="it is none of this page: point at one")
    name = form.get("name", "").strip()
    if not FIELD_NAME.fullmatch(name) or len(name) > MAX_NAME_CHARS:
        told = f"it has letters of a to z, digits and _, begins with a letter, and is no longer than {MAX_NAME_CHARS}"
        return Problem(where="name", message=told)
    alike = next(
        (one for one in draft.fields if one.name.lower() == name.lower() and one.ref != chosen.element.ref), None
    )
    if alike is not None:
        return Problem(
            where="name", message=f"{quoted(name)} is the name of another field: remove that, or choose another"
        )
    kind = next((one for one in chosen.guesses.all if one.code == form.get("type", "")), None)
    if kind is None:
        return Problem(
            where="type", message=f"{quoted(chosen.shown)} is not to be read as this type: choose one of those"
        )
    if chosen.shown not in chosen.whole:
        return Problem(where="value", message=f"{quoted(chosen.shown)} is no part of {quoted(chosen.whole, 80)}")
    renamed = without_field(draft, chosen.had.name) if chosen.had is not None and chosen.had.name != name else draft
    pointed = PointedText(chosen.element.ref, chosen.shown)
    entries = ways_of(renamed, chosen.had, name, kind, pointed, MOST_ENTRIES + MOST_OTHERS)
    by = form.get("by", "")
    # A way that was offered for another value, name or type may not read this one: the best one does.
    entry = next((one for one in entries if plain(entry_words(one)) == by), next(iter(entries), None))
    if entry is None:
        return Problem(where=name, message=f"{NOT_TOLD}. {_other_place(chosen)}")
    keys = {**entry.entry, "type": f"{kind.type} | null" if form.get("optional", "") == "1" else kind.type}
    others = tuple(one for one in entries if one is not entry and not one.headline)[:MOST_OTHERS]
    changed = with_field(renamed, PointedField(name, chosen.element.ref, entry.shown, keys, entry.headline, others))
    _, problems = check_spec(changed.spec())
    of_field = next((one for one in problems if name in one.where), None)
    return of_field if of_field is not None else changed


def _remove_field(draft: SpecDraft, form: Mapping[str, str]) -> SpecDraft | Problem:
    return without_field(draft, form.get("name", ""))


def _take_key(draft: SpecDraft, form: Mapping[str, str]) -> SpecDraft | Problem:
    by_address, _, name = form.get("key", "").partition(".")
    if name not in {one.name for one in draft.fields}:
        return Problem(where="proof", message="choose the field that proves the record")
    changed = with_key(draft, name, by_address=by_address == "address")
    state = state_of(changed)
    if state.proof != "proven":
        why = f": {state.proof_words}" if state.proof_words else ""
        return Problem(where="proof", message=f"with {name}, the page does not prove whose record it is{why}")
    return changed


def _take_task(draft: SpecDraft, form: Mapping[str, str]) -> SpecDraft | Problem:
    goal = form.get("goal", draft.goal).strip()[:MAX_GOAL_CHARS]
    changed = replace(draft, task_id=form.get("task_id", draft.task_id).strip()[:100], goal=goal)
    _, problems = check_spec(changed.spec())
    return next((one for one in problems if "task_id" in one.where), changed)


CHANGES = {
    "field": _take_field,
    "remove": _remove_field,
    "proof": _take_key,
    "task": _take_task,
    "settle": take_key,
    "rule": take_rule,
    "none": take_none,
    "absent": take_absence,
    "absent_not": leave_absence,
}
TRIED_CHANGES = ("settle", "rule", "none", "absent", "absent_not")
"""Of them, those that are asked for where the tried records are shown."""


# --- what comes of it


async def try_spec(request: Request) -> Response:
    """Try the spec on the rows of the form, and show what came of each; tell why not, if it cannot be tried."""
    desk, drafts = desk_of(request), spec_drafts_of(request)
    need_services(desk)
    draft = draft_of(request)
    text = request.state.form.get("rows", "")
    problems = await asyncio.to_thread(_unready, draft)
    samples: tuple[Sample, ...] = ()
    if not problems:
        samples, problems = await asyncio.to_thread(read_rows, draft.spec(), draft.columns, text, draft.key_value)
    if problems:
        return await _spec_page(request, draft, 409, problems)
    try:
        async with drafts.looking:
            others = other_entries(draft)
            records = await try_rows(desk.client.bus, draft.spec(), samples[:MOST_ROWS], others)
    except RunRejectedError as exc:
        return await _spec_page(request, draft, 409, tuple(exc.problems))
    except ExhibitError as exc:
        return await _spec_page(request, draft, 409, (Problem(where="", message=str(exc)),))
    trial = SpecTrial(tried_part(draft.spec()), text, records, secrets.token_urlsafe(9), len(samples), others)
    async with drafts.changing:
        drafts.put(replace(draft_of(request), trial=trial))
    return RedirectResponse(f"{SPECS}/{draft.draft_id}#tried", 303)


async def use_spec(request: Request) -> Response:
    """Save the spec, and lead to a new run with it; tell all that is wrong with it, if something is."""
    desk, drafts = desk_of(request), spec_drafts_of(request)
    need_services(desk)
    form: Mapping[str, str] = request.state.form
    async with drafts.changing:
        draft = draft_of(request)
        if "task_id" in form:
            changed = _take_task(draft, form)
            if not isinstance(changed, SpecDraft):
                return await _spec_page(request, draft, 409, (changed,))
            draft = changed
            drafts.put(draft)
        problems = await asyncio.to_thread(_unready, draft)
        if not problems:
            told = await asyncio.to_thread(_save, desk, draft, replace=form.get("replace", "") == "1")
            problems = (Problem(where="name", message=told),) if told else ()
        if problems:
            return await _spec_page(request, draft, 409, problems)
    found = draft.found_in
    is_tried = draft.trial is not None and draft.is_tried and found is None
    rows = rows_file(draft.columns, draft.trial.rows) if draft.trial is not None and is_tried else b""
    run = RunDraft(secrets.token_urlsafe(9), draft.spec(), "tried.csv" if rows else "", rows, tried=bool(rows))
    run = replace(run, discovery=dict(found.spec)) if found is not None else run
    drafts_of(request).put(run)
    return RedirectResponse(f"{NEW}/{run.draft_id}", 303)


def _unready(draft: SpecDraft) -> tuple[Problem, ...]:
    """Return why the spec is not one yet."""
    if not draft.fields:
        return (Problem(where="fields", message="there are none: point at a value and name it"),)
    state = state_of(draft)
    found = [Problem(where=one.field.name, message=one.problem) for one in state.fields if one.problem]
    if state.proof != "proven":
        told = "say which field proves the record: without one, the page of another record would count"
        found.append(Problem(where="proof", message=told))
    if draft.found_in is not None and state.proof == "proven":
        found += _not_listed(draft, draft.found_in)
    return (*found, *check_spec(draft.spec())[1])


def _not_listed(draft: SpecDraft, found: FoundIn) -> list[Problem]:
    """Return a problem for each column of a row that the list does not bring."""
    fields = found.spec["output_schema"]
    lacking = [name for name in draft.columns if name not in fields]
    known = ", ".join(fields)
    told = f"the list has no such field: it has {known}. Name what proves the record as the list calls the same value"
    return [Problem(where=name, message=told) for name in lacking]


def _save(desk: Desk, draft: SpecDraft, *, replace: bool) -> str:
    """Save the spec, and the list that it is to be done for. Return why that is not done; empty: it is."""
    if draft.found_in is not None and draft.found_in.spec["task_id"] == draft.task_id:
        return "the list has this name: give the task another one"
    if draft.found_in is None:
        return save_spec(desk.settings, draft.spec(), replace=replace)
    told = save_specs(desk.settings, [draft.found_in.spec, draft.spec()], replace=replace)
    of_list = told.get(str(draft.found_in.spec["task_id"]), "")
    return f"of the list, {of_list}" if of_list else told.get(draft.task_id, "")


async def learn_spec(request: Request) -> Response:
    """Learn a flow of the records that were looked at, under the name of the form, and say so on the page of the spec;
    tell all that is left for a person."""
    desk, drafts = desk_of(request), spec_drafts_of(request)
    need_services(desk)
    library = await desk.library()
    async with drafts.changing:
        named = _take_task(draft_of(request), request.state.form)
        if not isinstance(named, SpecDraft):
            return await _spec_page(request, draft_of(request), 409, (named,))
        draft = named
        drafts.put(draft)  # what was written stays, whatever comes of it
    if request.state.form.get("right", "") != "1" or library is None:
        told = "look at each value first, and say that all of them are right"
        return await _spec_page(request, draft, 409, (Problem(where="flow", message=told),))
    if draft.trial is not None and not is_of_trial(draft, request.state.form):
        return await _spec_page(request, draft, 409, (ANOTHER_TRIAL,))
    try:
        async with drafts.looking:
            problems = await learn_flow(desk.client.bus, library, draft, desk.person)
    except ExhibitError as exc:
        problems = (Problem(where="flow", message=str(exc)),)
    if problems:
        return await _spec_page(request, draft, 409, problems)
    async with drafts.changing:
        of = learned_of(draft)
        now = draft_of(request)
        drafts.put(replace(now, task_id=draft.task_id, goal=draft.goal, learned=draft.spec(), learned_of=of))
    return RedirectResponse(f"{SPECS}/{draft.draft_id}#flow", 303)


async def download_spec(request: Request) -> Response:
    """Send the spec as a file, as it is."""
    draft = draft_of(request)
    data = (json.dumps(draft.spec(), ensure_ascii=False, indent=2) + "\n").encode()
    name = draft.task_id if draft.task_id.isidentifier() and draft.task_id.isascii() else "task"
    headers = {"Content-Disposition": f'attachment; filename="{name}.json"'}
    return Response(data, media_type="application/json", headers=headers)


async def spec_picture(request: Request) -> Response:
    """Send a picture of the page, by its hash."""
    wanted = request.path_params["sha256"]
    shot = next((one for one in draft_of(request).shots if one.sha256 == wanted), None)
    if shot is None:
        raise HTTPException(404, "There is no such picture.")
    headers = {"Content-Security-Policy": FILE_POLICY, "Cache-Control": "private, max-age=3600, immutable"}
    return Response(shot.data, media_type="image/png", headers=headers)

"""What a person does on the page of a review. Each act is a decision that the person's own key signs, as in
`exhibit review`; what evidence refuses is shown by its words, and nothing is filed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast, get_args

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console.web.desk import desk_of
from services.console.web.review.desk_reviewer import make_key, no_key, reviewer_of
from services.console.web.review.review_facts import targets_in
from services.console.web.review.review_web import review_address, review_page
from services.console.web.review.table_web import cell_address, cell_page, table_address
from services.console.web.review.where_shown import NO_FILE
from shared.client.reviews import Reviewer, ReviewRefusedError
from shared.contracts.discovery import Problem
from shared.contracts.sessions.reviewing import Draw, DrawWish, ReviewAct, ShownWhere
from shared.evidence_format.review.review_log import WITHOUT_TARGET

ACTS: frozenset[str] = frozenset(get_args(ReviewAct))
RATES = ("confidence", "expected", "tolerable")


async def apply_act(request: Request) -> Response:
    """File a decision of the person, and lead to the next case."""
    desk, run_id, name = desk_of(request), request.path_params["run"], request.path_params["act"]
    if name not in ACTS:
        raise HTTPException(404, "There is no such decision.")
    act, form = cast("ReviewAct", name), request.state.form
    person = await reviewer_of(desk)
    if person.key is None:
        raise HTTPException(403, no_key(desk))
    problems: Sequence[Problem] = ()
    async with desk.deciding:
        reviewer = Reviewer(await desk.writer(), run_id, person.name, person.key)
        try:
            problems = await _decide(reviewer, act, form)
        except ReviewRefusedError as exc:
            problems = exc.refused.problems
    why, case = form.get("why", ""), form.get("case", "")
    if "table" in form:  # it was decided in the table of the run
        if problems:
            return await cell_page(request, case, form["table"], problems, {**form, "act": act})
        return RedirectResponse(cell_address(run_id, case, form["table"]), 303)
    if problems:
        asked = {"why": why, "case": case, "alike": form.get("alike", ""), "where": form.get("last", "")}
        return await review_page(request, asked, problems, {**form, "act": act})
    stays = act in ("comment", "withdraw") or not why  # of no queue, there is no next one: what was filed is shown
    last = (
        (_name_of(form.get("where", "")) or NO_FILE) if act == "correct" and "where" in form else form.get("last", "")
    )
    gone_on = {"why": why, "case": case} if stays else {"why": why, "after": case, "where": last}
    return RedirectResponse(review_address(run_id, {} if act in WITHOUT_TARGET else gone_on), 303)


async def make_own_key(request: Request) -> Response:
    """Make the key that the user of this server signs with, where he has none, and show the review again."""
    await make_key(desk_of(request))
    form = request.state.form
    if "table" in form:
        return RedirectResponse(table_address(request.path_params["run"], form.get("case", ""), form["table"]), 303)
    case = {name: form.get(name, "") for name in ("why", "case")}
    return RedirectResponse(review_address(request.path_params["run"], case), 303)


async def _decide(reviewer: Reviewer, act: ReviewAct, form: Mapping[str, str]) -> Sequence[Problem]:
    """File it; return what is wrong with a form that is not even sent."""
    reason = form.get("reason", "")
    if act == "draw":
        drawn = await _drawn(reviewer, form)
        if isinstance(drawn, str):
            return (Problem(where="draw", message=drawn),)
        await reviewer.decide(act, draw=drawn)
    elif act in WITHOUT_TARGET:
        await reviewer.decide(act, reason=reason)
    else:
        try:
            items = targets_in(form)
        except ValueError as exc:
            raise HTTPException(400, "The form is not one of this page. Load the page again.") from exc
        unlike = len(items) > 1 and form.get("same") != "1" and act not in ("comment", "withdraw")
        if unlike and act == "correct":
            told = "each of them may show another value: correct one at a time"
            return (Problem(where="correct", message=told),)
        if act == "accept" and form.get("unread") == "1" and form.get("none") != "1":
            told = "nothing was read: confirm that there is none, or correct it"
            return (Problem(where="accept", message=told),)
        if unlike and form.get("differ") != "1":
            told = f"{len(items)} have the same reason, and no more of them is compared: confirm that all are meant"
            return (Problem(where="samples", message=told),)
        given = form.get("value", "") if act == "correct" else ""
        place = _place(form.get("where", "")) if act == "correct" else None
        await reviewer.decide(act, items, reason=reason, value=given, where=place)
    return ()


def _name_of(given: str) -> str:
    return given.partition(" ")[2]


def _place(given: str) -> ShownWhere | None:
    """Return the file that a form names, as hash and name."""
    sha256, _, name = given.partition(" ")
    return ShownWhere(file=name, sha256=sha256) if name else None


async def _drawn(reviewer: Reviewer, form: Mapping[str, str]) -> Draw | str:
    """Return what the wish of a form draws; for people why it draws nothing."""
    try:
        size = int(form.get("n", "").strip() or "0")
        confidence, expected, tolerable = (float(form.get(name, "")) for name in RATES)
    except ValueError:
        return "its size and its rates are numbers"
    seed = form.get("seed", "").strip()
    if size < 0 or not seed:
        return "name a seed, and a size of 0 or more"
    by = tuple(one.strip() for one in form.get("strata", "").split(",") if one.strip())
    wish = DrawWish(seed=seed, size=size, by=by, confidence=confidence, expected=expected, tolerable=tolerable)
    stands = await reviewer.load(wish=wish)
    return stands.wished if stands.wished is not None else stands.problem or "nothing can be drawn of this run"

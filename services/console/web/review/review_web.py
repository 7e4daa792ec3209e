"""The page of a review: queues by reason, one case at a time beside its picture, and the forms that decide."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from services.console.text.review_words import STATES, agreement_words, item_words, sample_of
from services.console.web.desk import Desk, desk_of, page
from services.console.web.markup import as_data
from services.console.web.review.desk_reviewer import MOST_ITEMS, DeskReviewer, reviewer_of
from services.console.web.review.review_facts import (
    DECIDED_AS,
    LISTED,
    TARGET,
    ReviewCase,
    ReviewPlace,
    ReviewQueue,
    cases_of,
    choices_of,
    has_decided,
    place_of,
    queues_of,
    target_field,
)
from services.console.web.stored_samples import read_sample
from shared.client.run_client import LOAD_BOUND_S
from shared.contracts.discovery import Problem, RunRecord
from shared.contracts.evidence import LoadRun, RunUnknown
from shared.contracts.sessions.reviewing import ReviewItem, ReviewLoaded
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.review.policy import ReviewPolicy
from shared.evidence_format.review.review_log import MAY
from shared.evidence_view.sample_details import detail_of
from shared.subjects import LOAD_RUN

ASKED = ("why", "case", "after", "alike", "candidate")
"""What the address of a review has."""


async def show_review(request: Request) -> Response:
    """Show the case that the address names, or the next one that is open."""
    return await review_page(request, {name: request.query_params.get(name, "") for name in ASKED})


async def review_page(
    request: Request, asked: Mapping[str, str], problems: Sequence[Problem] = (), kept: Mapping[str, str] | None = None
) -> Response:
    """Return the page of a review.

    Args:
        asked: the names of `ASKED`.
        problems: why what was sent is refused.
        kept: the form that is refused: its texts stand in the page again.
    """
    desk, run_id = desk_of(request), request.path_params["run"]
    record, person = await load_record(desk, run_id), await reviewer_of(desk)
    stands, items = await person.load_all(desk.client.bus, run_id)
    role = ReviewPolicy.of(record).role_of(person.name)
    queues = queues_of(cases_of(items, person.name, by_standing=role != "reviewer"))
    place = place_of(queues, asked.get("why", ""), asked.get("case", ""), asked.get("after", ""))
    words = place.case.words if place is not None else asked.get("case", "")
    case = await _shown_case(desk, run_id, record, person, words, place)
    if words and not case:
        raise HTTPException(404, "The run has no such thing to decide on.")
    alike = place.alike if place is not None and asked.get("alike") else ()
    may = MAY[role] if role and person.key is not None else frozenset[str]()
    return page(
        request, "review.html", 409 if problems else 200, run_id=run_id, task_id=record.spec.get("task_id", ""),
        stands=stands, state=STATES[stands.state], person=person, role=role, may=may, queues=queues, place=place,
        why=place.queue.why if place is not None else asked.get("why", ""), words=words, alike=alike, problems=problems,
        kept=_NOTHING_KEPT | dict(kept or {}), decided_as=DECIDED_AS, listed=LISTED,
        targets=[(f"{TARGET}{i}", target_field(one)) for i, one in enumerate(_decided_items(case, alike))],
        agreement=agreement_words(stands.agreement) if stands.agreement is not None else "",
        left_out=max(stands.total - MOST_ITEMS, 0), link=ReviewLinks(run_id),
        candidate=asked.get("candidate", ""), **_EMPTY_CASE | case,
    )  # fmt: skip


_NOTHING_KEPT = dict.fromkeys(
    ("act", "reason", "value", "where", "seed", "n", "strata", "confidence", "expected", "tolerable"), ""
)
_EMPTY_CASE: dict[str, Any] = {
    "item": None, "others": (), "files": (), "choices": (), "detail": None, "data": "", "sample_id": "", "shots": (),
    "own": False,
}  # fmt: skip


async def load_record(desk: Desk, run_id: str) -> RunRecord:
    """Return what is known of a run. Raises HTTPException (404) without one, and (409) while it is at work."""
    loaded = await desk.client.bus.ask(LOAD_RUN, LoadRun(run_id=run_id, count_only=True), timeout_s=LOAD_BOUND_S)
    if isinstance(loaded, RunUnknown):
        raise HTTPException(404, "There is no such run. It may be in another place of evidence.")
    if loaded.finished is None:
        raise HTTPException(409, "The run has not ended. What it leaves for people is reviewed when it has.")
    return loaded.record


async def _shown_case(
    desk: Desk, run_id: str, record: RunRecord, person: DeskReviewer, words: str, place: ReviewPlace | None
) -> dict[str, Any]:
    """Return what is shown of a case: the item with its decisions, the rest of its sample, its picture and candidates;
    nothing for a name that is none of the run's."""
    sample_id = sample_of(words)
    if not words or not sample_id:
        item = place.case.item if place is not None else None
        return {"item": item, "own": has_decided(person.name, item)} if item is not None else {}
    loaded = await person.load(desk.client.bus, run_id, sample_id)
    listed = place.case.item if place is not None else None
    item = next((one for one in loaded.items if item_words(one) == words), listed)
    if item is None:
        return {}
    stored = await asyncio.to_thread(read_sample, desk.settings, run_id, sample_id, TaskFacts.of(record.spec))
    detail: dict[str, Any] = msgspec.to_builtins(detail_of(stored.facts)) if stored is not None else {}
    return {
        "item": item,
        "own": has_decided(person.name, item),
        "others": [(item_words(one), one) for one in loaded.items],
        "files": loaded.files,
        "choices": choices_of(detail, item.target.field) if item.target.kind == "value" else (),
        "detail": detail or None,
        "data": as_data(detail) if detail else "",
        "sample_id": sample_id,
        "shots": [file for file in detail.get("files", ()) if file["kind"] == "screenshot"],
    }


def _decided_items(case: Mapping[str, Any], alike: Sequence[ReviewCase]) -> list[ReviewItem]:
    """Return what the forms of the page are about: the case as it is shown, and those that are decided with it."""
    item: ReviewItem | None = case.get("item")
    return [item, *(one.item for one in alike[1:])] if item is not None else []


class ReviewLinks:
    """Addresses within a review."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self.review = review_address(run_id, {})

    def queue(self, queue: ReviewQueue) -> str:
        return review_address(self._run_id, {"why": queue.why})

    def case(self, why: str, words: str, **more: object) -> str:
        given = {name: str(value) for name, value in more.items()}
        return review_address(self._run_id, {"why": why, "case": words, **given})

    def act(self, act: str) -> str:
        return f"{self.review}/{act}"


def review_address(run_id: str, asked: Mapping[str, str]) -> str:
    """Return the address of a review, with those of `ASKED` that are not empty."""
    path = f"/runs/{quote(run_id, safe='')}/review"
    given = {name: value for name, value in asked.items() if value}
    return f"{path}?{urlencode(given)}#case" if given else path


async def ask_to_sign(request: Request) -> Response:
    """Ask whether a signature is meant."""
    desk, run_id = desk_of(request), request.path_params["run"]
    record, person = await load_record(desk, run_id), await reviewer_of(desk)
    if person.key is None:
        raise HTTPException(403, no_key(person.name))
    stands: ReviewLoaded = await person.load(desk.client.bus, run_id)
    return page(
        request, "sign.html", run_id=run_id, task_id=record.spec.get("task_id", ""), stands=stands, person=person,
        role=ReviewPolicy.of(record).role_of(person.name), link=ReviewLinks(run_id),
    )  # fmt: skip


def no_key(name: str) -> str:
    """Return what to do for a person who has no key."""
    return (
        f"{name} has no key on this machine, and each decision is signed by the key of a person. Make one, and load "
        "the page again: exhibit review key"
    )

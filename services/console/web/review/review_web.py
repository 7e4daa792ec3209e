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

from services.console.text.review_words import STATES, agreement_words, item_words, sample_of, share_words
from services.console.web.desk import Desk, desk_of, ended_run, page
from services.console.web.markup import as_data
from services.console.web.people.roles import may
from services.console.web.review.cell_crops import CellCrop, field_crops
from services.console.web.review.desk_reviewer import MOST_ITEMS, DeskReviewer, no_key, reviewer_of
from services.console.web.review.review_facts import (
    DECIDED_AS,
    LISTED,
    TARGET,
    ReviewCase,
    ReviewPlace,
    ReviewQueue,
    case_title,
    cases_of,
    choices_of,
    covered_by,
    covered_words,
    fields_in_doubt,
    has_decided,
    is_unread,
    place_of,
    queues_of,
    target_field,
    undos_of,
    unlike_in,
)
from services.console.web.review.where_shown import file_choices, first_choice
from services.console.web.stored_samples import StoredSample, picture_state, read_sample
from shared.contracts.discovery import Problem, RunRecord
from shared.contracts.sessions.reviewing import ReviewItem
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.review.amounts import unit_words
from shared.evidence_format.review.decisions import entries_text
from shared.evidence_format.review.policy import ReviewPolicy
from shared.evidence_format.review.review_log import MAY
from shared.evidence_view.sample_details import detail_of

ACT_ROUTE = "review_act"
NOT_ENDED = "The run has not ended. What it leaves for people is reviewed when it has."
"""The name of the route that takes decisions."""
MOST_DOUBTED = 12
"""Fields of a sample of which a case shows values and parts of pictures. The rest is on the page of the sample."""
ASKED = ("why", "case", "after", "alike", "candidate", "where")
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
    record, person = await ended_run(desk, run_id, NOT_ENDED), await reviewer_of(desk)
    stands, items = await person.load_all(desk.client.bus, run_id)
    role = ReviewPolicy.of(record).role_of(person.name)
    queues = queues_of(cases_of(items, person.name, by_standing=role != "reviewer"))
    last = asked.get("where", "")
    place = place_of(queues, asked.get("why", ""), asked.get("case", ""), asked.get("after", ""))
    words = place.case.words if place is not None else asked.get("case", "")
    case = await _shown_case(desk, run_id, record, person, words, place, last)
    if words and not case:
        raise HTTPException(404, "The run has no such thing to decide on.")
    alike = place.alike if place is not None and asked.get("alike") else ()
    same = [one.item for one in place.alike] if place is not None else []
    return page(
        request, "review.html", 409 if problems else 200, run_id=run_id, task_id=record.spec.get("task_id", ""),
        stands=stands, state=STATES[stands.state], person=person, role=role, may=acts_of(desk, record, person),
        reads_only=not may(desk.roles, ACT_ROUTE), queues=queues, place=place,
        why=place.queue.why if place is not None else asked.get("why", ""), words=words, alike=alike, problems=problems,
        differ=unlike_in(same), case_title=case_title, share_words=share_words, unit_of=_unit_of,
        kept=NOTHING_KEPT | dict(kept or {}), decided_as=DECIDED_AS, listed=LISTED,
        targets=[(f"{TARGET}{i}", target_field(one)) for i, one in enumerate(_decided_items(case, alike))],
        agreement=agreement_words(stands.agreement) if stands.agreement is not None else "",
        left_out=max(stands.total - MOST_ITEMS, 0), link=ReviewLinks(run_id, last), where=last,
        unread=is_unread(case.get("item")),
        candidate=asked.get("candidate", ""), **_EMPTY_CASE | case,
        undos=undos_of(case.get("item") if asked.get("case") else None, items, person.name),
    )  # fmt: skip


def _unit_of(queue: ReviewQueue) -> str:
    """Return the word for the cases of a queue."""
    return unit_words([case.item.target.kind for case in queue.cases], len(queue.cases))


NOTHING_KEPT = dict.fromkeys(
    ("act", "reason", "value", "where", "seed", "n", "strata", "confidence", "expected", "tolerable"), ""
)
_EMPTY_CASE: dict[str, Any] = {
    "item": None, "others": (), "files": (), "choices": (), "detail": None, "data": "", "sample_id": "", "shots": (),
    "own": False, "doubted": (), "first_file": "",
}  # fmt: skip


def acts_of(desk: Desk, record: RunRecord, person: DeskReviewer) -> frozenset[str]:
    """Return what whoever looks may do in the review of a run: none without a key, a role of the task and one of the
    console."""
    role = ReviewPolicy.of(record).role_of(person.name)
    return MAY[role] if role and person.key is not None and may(desk.roles, ACT_ROUTE) else frozenset()


async def _shown_case(
    desk: Desk,
    run_id: str,
    record: RunRecord,
    person: DeskReviewer,
    words: str,
    place: ReviewPlace | None,
    last: str,
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
    files = file_choices(loaded.files, detail)
    doubted = await _doubted(desk, run_id, stored, detail) if item.target.kind == "sample" else []
    return {
        "item": item,
        "own": has_decided(person.name, item),
        "doubted": doubted,
        "others": [(item_words(one), one) for one in loaded.items],
        "files": files,
        "first_file": first_choice(files, detail, item, last),
        "choices": choices_of(detail, item.target.field) if item.target.kind == "value" else (),
        "detail": detail or None,
        "data": as_data(detail) if detail else "",
        "sample_id": sample_id,
        "shots": [file for file in detail.get("files", ()) if file["kind"] == "screenshot"],
    }


async def _doubted(
    desk: Desk, run_id: str, stored: StoredSample | None, detail: Mapping[str, Any]
) -> list[tuple[Mapping[str, Any], CellCrop | None, str]]:
    """Return the fields for which a sample is for review, each with the part of its picture and how that picture is;
    without one the part is None."""
    if stored is None:
        return []
    names, fields = (
        fields_in_doubt(stored.facts.fields)[:MOST_DOUBTED],
        {one["n"]: one for one in detail.get("fields") or ()},
    )

    def crop_of(name: str) -> tuple[CellCrop | None, str]:
        for crop in field_crops(run_id, detail, name):
            if crop.part is not None:
                part = crop.part
                return crop, picture_state(desk.settings, run_id, part.sample_id, part.filename, crop.sha256)
        return None, ""

    return [(fields[name], *await asyncio.to_thread(crop_of, name)) for name in names if name in fields]


def _decided_items(case: Mapping[str, Any], alike: Sequence[ReviewCase]) -> list[ReviewItem]:
    """Return what the forms of the page are about: the case as it is shown, and those that are decided with it."""
    item: ReviewItem | None = case.get("item")
    return [item, *(one.item for one in alike[1:])] if item is not None else []


class ReviewLinks:
    """Addresses within a review. ``where``: the file that was chosen last, which the cases of a queue keep."""

    def __init__(self, run_id: str, where: str = "") -> None:
        self._run_id, self._where = run_id, where
        self.review = review_address(run_id, {})

    def queue(self, queue: ReviewQueue) -> str:
        return review_address(self._run_id, {"why": queue.why})

    def case(self, why: str, words: str, **more: object) -> str:
        given = {name: str(value) for name, value in more.items()}
        return review_address(self._run_id, {"why": why, "case": words, **given, "where": self._where})

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
    record, person = await ended_run(desk, run_id, NOT_ENDED), await reviewer_of(desk)
    if person.key is None:
        raise HTTPException(403, no_key(desk))
    stands, items = await person.load_all(desk.client.bus, run_id)
    decided, total = await person.load_decided(desk.client.bus, run_id)
    covered = covered_by(decided, items)
    policy = ReviewPolicy.of(record)
    return page(
        request, "sign.html", run_id=run_id, task_id=record.spec.get("task_id", ""), stands=stands, person=person,
        role=policy.role_of(person.name), link=ReviewLinks(run_id), share_words=share_words, entries_text=entries_text,
        covered=covered, left_out=total - len(decided), decided_as=DECIDED_AS, case_title=case_title,
        counts=covered_words(covered) if len(decided) == total else "",  # of a part it would be no sum
        beside=covered_words(one for one in covered if not one.needed) if len(items) == stands.total else "",
        alone=not policy.people and policy.preparer == person.name,
    )  # fmt: skip

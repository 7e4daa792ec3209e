"""What the page of a review shows, made of what evidence answers: queues by reason, equal cases, candidates. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from services.console.text.review_words import item_words
from shared.contracts.sessions.reviewing import DecidedTarget, ReviewItem
from shared.evidence_view.sample_details import MOST_IN_ROW

LISTED = 100
"""Cases of a queue that are listed at a time."""
MOST_ALIKE = 200
"""Equal cases in one decision: a form has a limit."""
TARGET = "on."
"""What the fields of a form begin with that name what is decided."""
DECIDED_AS = {
    "accept": "Accepted",
    "correct": "Corrected",
    "reject": "Rejected",
    "not_applicable": "Not applicable",
    "comment": "Comment",
}


@dataclass(frozen=True)
class ReviewCase:
    """Something to decide: a sample, a value of it that is not certain, the population or a difference.

    ``why``: its queue, the reason for which its sample is for review. ``words``: its name in addresses. ``open``:
    whether whoever looks has still to decide it.
    """

    item: ReviewItem
    why: str
    words: str
    open: bool

    @property
    def alike(self) -> tuple[str, ...]:
        """What equal cases have in common; a case without it is its own."""
        target = self.item.target
        if target.kind in ("sample", "value"):
            return self.why, self.item.why, target.kind, target.field, self.item.value
        return self.why, self.words

    @property
    def heading(self) -> str:
        """What stands above equal cases."""
        target = self.item.target
        if target.kind != "value":
            return target.kind if target.kind != "sample" else "whole sample"
        return target.field


@dataclass(frozen=True)
class ReviewQueue:
    """The cases that are for review for one reason, equal ones next to each other."""

    why: str
    cases: tuple[ReviewCase, ...]

    @property
    def open(self) -> int:
        return sum(case.open for case in self.cases)


@dataclass(frozen=True)
class ChoiceOfText:
    """One of the texts between which a person decides. ``where``: the file that shows it. ``whole``: the text is not
    cut, so that it can be taken."""

    number: int
    shown: str
    where: str
    whole: bool


@dataclass(frozen=True)
class ReviewPlace:
    """Which case is shown: of which queue, and those around it. ``alike``: the open cases that are equal to it, itself
    first; ``part``: those of its queue that are listed, from the one of index ``begin`` on."""

    queue: ReviewQueue
    case: ReviewCase
    before: ReviewCase | None = None
    after: ReviewCase | None = None
    alike: tuple[ReviewCase, ...] = ()
    begin: int = 0
    part: tuple[ReviewCase, ...] = field(default=())


def cases_of(items: Iterable[ReviewItem], person: str, *, by_standing: bool) -> list[ReviewCase]:
    """Return what is to be decided: of a sample its values that are not certain, if it has any and the person has not
    decided the sample itself.

    Args:
        items: with their parts.
        person: who looks.
        by_standing: a case is open until it counts as decided, whoever has; else until the person has decided it.
    """

    def case(item: ReviewItem, why: str) -> ReviewCase:
        is_open = item.standing != "decided" if by_standing else not has_decided(person, item)
        return ReviewCase(item, why, item_words(item), is_open)

    found: list[ReviewCase] = []
    for item in items:
        if item.parts and not has_decided(person, item) and not (by_standing and item.decisions):
            found += [case(part, item.why) for part in item.parts]
        else:
            found.append(case(item, item.why))
    return found


def has_decided(person: str, item: ReviewItem) -> bool:
    """Whether a person has decided an item, on its evidence as it is."""
    return any(one.by == person and not one.stale and one.act != "comment" for one in item.decisions)


def queues_of(cases: Iterable[ReviewCase]) -> list[ReviewQueue]:
    """Return the queues, the longest first."""
    by_why: dict[str, dict[tuple[str, ...], list[ReviewCase]]] = {}
    for case in cases:
        by_why.setdefault(case.why, {}).setdefault(case.alike, []).append(case)
    queues = [
        ReviewQueue(why, tuple(case for group in groups.values() for case in group)) for why, groups in by_why.items()
    ]
    return sorted(queues, key=lambda queue: (-len(queue.cases), queue.why))


def place_of(queues: Sequence[ReviewQueue], why: str, words: str, after: str) -> ReviewPlace | None:
    """Return the case that an address means: the one that is named, else the next open one after another one; else the
    first open one, of this queue or of another. None where there is nothing for review, or none of that name."""
    queue = next((one for one in queues if one.why == why), None)
    if words:
        named = [queue, *queues] if queue is not None else list(queues)
        for one in named:
            index = next((i for i, case in enumerate(one.cases) if case.words == words), None)
            if index is not None:
                return _placed(one, index)
        return None
    if queue is not None and not queue.open and after:
        queue = None
    queue = queue or next((one for one in queues if one.open), None) or next(iter(queues), None)
    if queue is None:
        return None
    begin = next((i + 1 for i, case in enumerate(queue.cases) if case.words == after), 0)
    order = [*range(begin, len(queue.cases)), *range(begin)]
    return _placed(queue, next((i for i in order if queue.cases[i].open), order[0]))


def _placed(queue: ReviewQueue, index: int) -> ReviewPlace:
    cases, case = queue.cases, queue.cases[index]
    same = [one for one in cases if one.open and one.words != case.words and one.alike == case.alike]
    begin = index // LISTED * LISTED
    return ReviewPlace(
        queue,
        case,
        before=cases[index - 1] if index else None,
        after=cases[index + 1] if index + 1 < len(cases) else None,
        alike=(case, *same[: MOST_ALIKE - 1]) if same and case.open else (),
        begin=begin,
        part=cases[begin : begin + LISTED],
    )


def choices_of(detail: Mapping[str, Any], name: str) -> list[ChoiceOfText]:
    """Return the texts between which a person decides of a field, as the details of its sample have them."""
    fields: dict[str, dict[str, Any]] = {one["n"]: one for one in detail.get("fields") or ()}
    names = {file["sha"]: file["name"] for file in detail.get("files") or () if file["kind"] == "screenshot"}
    return [
        ChoiceOfText(number, one["shown"], names.get(one["src"]["shot"], ""), len(one["shown"]) < MOST_IN_ROW)
        for number, one in enumerate(fields.get(name, {}).get("candidates") or (), 1)
    ]


def target_field(item: ReviewItem) -> str:
    """Return what a form sends of an item: what it is, and the evidence that is on the page."""
    return msgspec.json.encode(DecidedTarget(target=item.target, looked_at=item.looked_at)).decode()


def targets_in(form: Mapping[str, str]) -> list[ReviewItem]:
    """Return what a form is about. Raises ValueError for a form that the page has not made."""
    names = sorted((name for name in form if name.startswith(TARGET)), key=lambda name: (len(name), name))
    try:
        sent = [msgspec.json.decode(form[name], type=DecidedTarget) for name in names]
    except msgspec.MsgspecError as exc:
        raise ValueError(str(exc)) from exc
    return [ReviewItem(target=one.target, looked_at=one.looked_at) for one in sent]

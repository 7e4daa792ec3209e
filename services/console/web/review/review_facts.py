"""What the page of a review shows, made of what evidence answers: queues by reason, equal cases, candidates. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from services.console.text.review_words import item_words
from shared.contracts.sessions.reviewing import (
    MOST_TOLD_CHARS,
    SETTLING_ACTS,
    DecidedTarget,
    ReviewItem,
    ShownDecision,
)
from shared.evidence_format.files.sample import StoredField
from shared.evidence_format.review.amounts import decided_words
from shared.evidence_format.review.items import doubt_of
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
        if target.kind in ("sample", "value") and not is_cut(self.item.value):
            return self.why, self.item.why, target.kind, target.field, self.item.value
        return self.why, self.words

    @property
    def title(self) -> str:
        """Its name for people: the sample by its key, as the input has it."""
        return case_title(self.item)

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


@dataclass(frozen=True)
class OfferedUndo:
    """A decision of whoever looks that he can withdraw. ``number``: of it; ``words``: of what it is about, the first of
    several; ``said``: what was decided; ``targets``: the fields of its form."""

    number: int
    words: str
    title: str
    said: str
    targets: tuple[tuple[str, str], ...]


def case_title(item: ReviewItem) -> str:
    """Return the name of an item for people: its sample by its key, as the input has it."""
    words, sample_id = item_words(item), item.target.sample_id
    return item.key + words.removeprefix(sample_id) if sample_id and item.key else words


@dataclass(frozen=True)
class CoveredDecision:
    """A decision that a signature covers. ``needed``: it is on something that was for review."""

    item: ReviewItem
    said: ShownDecision
    needed: bool

    @property
    def words(self) -> str:
        """Its name in addresses."""
        return item_words(self.item)


def covered_by(decided: Iterable[ReviewItem], for_review: Iterable[ReviewItem]) -> list[CoveredDecision]:
    """Return what a signature covers: the last decision on each item that has one, on its evidence as it is.

    Args:
        decided: all that has decisions.
        for_review: what is for review, with its parts.
    """
    needed = {item_words(one) for item in for_review for one in (item, *item.parts)}
    covered: list[CoveredDecision] = []
    for item in decided:
        acts = [said for said in item.decisions if not said.stale and said.act in SETTLING_ACTS]
        if acts:
            last = max(acts, key=lambda said: said.number)
            covered.append(CoveredDecision(item, last, item_words(item) in needed))
    return covered


def covered_words(covered: Iterable[CoveredDecision]) -> str:
    """Return how much is decided how; empty: nothing."""
    return decided_words(Counter((str(one.item.target.kind), str(one.said.act)) for one in covered))


def is_cut(value: str) -> bool:
    """Whether a value may go on after what a page is told of it, so that two of them may differ there."""
    return len(value) >= MOST_TOLD_CHARS


def unlike_in(items: Sequence[ReviewItem]) -> Literal["", "samples", "unread"]:
    """Return in what items may differ that are decided as one, which is said, and confirmed: of whole samples the
    reason is compared, and no value, if they have any (``samples``); where the run has no certain value each page may
    show another one (``unread``). Empty: they have the same value."""
    if len(items) < 2:
        return ""
    if any(one.target.kind == "sample" for one in items):
        return "samples"
    unread = any(one.target.kind == "value" and (not one.value or is_cut(one.value)) for one in items)
    return "unread" if unread else ""


def is_unread(item: ReviewItem | None) -> bool:
    """Whether the run has no value, so that to accept it says that the record has none."""
    return item is not None and item.target.kind == "value" and not item.value


def fields_in_doubt(fields: Mapping[str, StoredField]) -> list[str]:
    """Return the fields for which a sample is for review; all that it has where that is said of none."""
    doubtful = [name for name, stored in fields.items() if doubt_of(stored) or not _is_as_drawn(stored)]
    return doubtful or list(fields)


def _is_as_drawn(stored: StoredField) -> bool:
    ink = stored.source.ink if stored.source is not None else None
    return ink is None or ink.said in ("seen", "outside", "glyphless")


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


def undo_of(items: Iterable[ReviewItem], person: str, number: int = 0) -> OfferedUndo | None:
    """Return a decision of a person on these items or their parts; None: none of his stands, or it is about more than
    one form takes. ``number``: which one; 0: the last."""
    last: tuple[int, dict[str, ReviewItem], str] = (0, {}, "")
    for item in items:
        for one in (item, *item.parts):
            for said in one.decisions:
                own = said.by == person and said.act in SETTLING_ACTS and number in (0, said.number)
                if not own or said.number < last[0]:
                    continue
                about = last[1] if said.number == last[0] else {}
                last = said.number, {**about, item_words(one): one}, str(said.act)
    found, about, act = last
    if not 0 < len(about) <= MOST_ALIKE:
        return None
    words, first = next(iter(about.items()))
    title = case_title(first) if len(about) == 1 else f"{len(about)} cases"
    targets = tuple((f"{TARGET}{number}", target_field(one)) for number, one in enumerate(about.values()))
    return OfferedUndo(found, words, title, DECIDED_AS[act], targets)


def undos_of(shown: ReviewItem | None, items: Iterable[ReviewItem], person: str) -> list[OfferedUndo]:
    """Return what a person can undo: what he has decided of the case that is shown by itself, with all that he has
    decided with it, and that case alone; else what he has decided last."""
    items = list(items)
    alone = undo_of([msgspec.structs.replace(shown, parts=())], person) if shown is not None else None
    if alone is None or shown is None:
        last = undo_of(items, person)
        return [last] if last is not None else []
    whole = undo_of([shown, *items], person, alone.number)
    return [alone] if whole is None or whole.targets == alone.targets else [whole, alone]


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

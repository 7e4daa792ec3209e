"""What the rules of a field say about a new page: a value where they agree, else what a person must look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from shared.contracts.base import Part
from shared.extraction.pages import ObservedPage
from shared.extraction.rules import AtPlace, ExtractionRule, Kind, kind_of
from shared.extraction.synthesis import MIN_EXAMPLES, Example, FieldRules, learn_field, shape_of
from shared.text.normal import fold, tidy

Certainty = Literal["certain", "healed", "ambiguous", "unsure", "missing"]
"""``certain``: every rule found this value, and one of them goes by a label or a name. ``healed``: some rules found
nothing, and the others agree, among them one whose label or name belongs to the value. ``ambiguous``: rules found
different values. ``unsure``: what was found has another shape than every example, or too little speaks for it.
``missing``: no rule found anything."""
Structure = Literal["page", "record", "row"]
TELLING: frozenset[Kind] = frozenset({"labelled", "named", "near"})
BELONGING: frozenset[Kind] = frozenset({"labelled", "named"})


class FoundValue(Part, frozen=True, kw_only=True):
    """A value with the rules that found it."""

    value: str
    rules: tuple[ExtractionRule, ...]


class FieldReading(Part, frozen=True, kw_only=True):
    """``value``: None unless it is certain or healed. ``lost``: rules that found nothing."""

    certainty: Certainty
    value: str | None = None
    candidates: tuple[FoundValue, ...] = ()
    lost: tuple[ExtractionRule, ...] = ()


def read_field(field: FieldRules, page: ObservedPage, structure: Structure = "page") -> FieldReading:
    """Return what the rules say. Rules that differ are never outvoted.

    ``structure``: what the page is. The records of a list have one template, so that an element that is alone with its
    tag path in a record says what it is; of a table's row the number of its cell does, among as many cells.
    """
    found: dict[str, list[ExtractionRule]] = defaultdict(list)
    lost: list[ExtractionRule] = []
    for rule in field.rules:
        text = page.extract(rule)
        if text is None or not is_value(text) or fold(text) in field.constants:
            lost.append(rule)
        else:
            found[text].append(rule)
    listed = [FoundValue(value=value, rules=tuple(rules)) for value, rules in found.items()]
    candidates = tuple(listed)
    if not listed:
        return FieldReading(certainty="missing", lost=tuple(lost))
    if len(listed) > 1:
        return FieldReading(certainty="ambiguous", candidates=candidates, lost=tuple(lost))
    one = listed[0]
    fits = not field.shape or shape_of(one.value) == field.shape
    kinds = {kind_of(rule, field.labels) for rule in one.rules}
    if any(_is_told_by_structure(rule, structure) for rule in one.rules):
        kinds.add("named")
    if not fits or not kinds & (BELONGING if lost else TELLING):
        return FieldReading(certainty="unsure", candidates=candidates, lost=tuple(lost))
    certainty: Certainty = "healed" if lost else "certain"
    return FieldReading(certainty=certainty, value=one.value, candidates=candidates, lost=tuple(lost))


def _is_told_by_structure(rule: ExtractionRule, structure: Structure) -> bool:
    if not isinstance(rule.where, AtPlace):
        return False
    return structure == "row" or (structure == "record" and rule.where.of == 1)


def is_value(text: str) -> bool:
    """Return whether a text may be a value: a dash that stands for none is not."""
    return any(map(str.isalnum, text))


class Confidence(Part, frozen=True, kw_only=True):
    """How the rules of all examples but one read that one: right, wrong, or for a person."""

    right: int
    wrong: int
    to_review: int


def leave_one_out(examples: Sequence[Example], labels: Iterable[str] = ()) -> Confidence:
    """Return how well each example is read by what the others teach. At least three examples are needed for that."""
    labels = tuple(labels)
    counts = {"right": 0, "wrong": 0, "to_review": 0}
    for at, one in enumerate(examples):
        others = [*examples[:at], *examples[at + 1 :]]
        if len(others) < MIN_EXAMPLES:
            counts["to_review"] += 1
            continue
        value = read_field(learn_field(others, labels), one.page).value
        counts["to_review" if value is None else "right" if value == tidy(one.value) else "wrong"] += 1
    return Confidence(**counts)

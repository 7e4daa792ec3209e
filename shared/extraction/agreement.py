"""What the rules of a field say about a new page: a value where they agree, else what a person must look at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from shared.contracts.base import Part
from shared.extraction.absence import is_left_out, shape_of
from shared.extraction.field_rules import FieldRules
from shared.extraction.labels.alternation import LabelText, label_text_of, paired_text_of
from shared.extraction.labels.moved import (
    element_at_own_label,
    is_apart,
    is_close_and_shaped,
    is_of_another_label,
    is_one_of_several,
    misled_rules,
    narrowed_place,
    reshaped_rules,
    strayed_rules,
)
from shared.extraction.pages import ObservedPage
from shared.extraction.rules import AtPlace, ExtractionRule, Kind, OfPage, is_called, kind_of
from shared.extraction.synthesis import MIN_EXAMPLES, Example, common_texts, learn_field
from shared.extraction.values import FieldType, find_spans, is_absent, may_be_absent, value_key
from shared.text.normal import fold, label_form, tidy

Certainty = Literal["certain", "healed", "ambiguous", "unsure", "missing"]
"""``certain``: every rule found this value, and one of them says what it is: it goes by a label or a name, or by the
form of a group; or the page shows that there is none. ``healed``: some rules found nothing, and the others agree, among
them one whose label or name belongs to the value. ``ambiguous``: rules found different values. ``unsure``: what was
found has another shape than every example or is not of the type, or too little speaks for it. ``missing``: no rule
found anything."""
Structure = Literal["page", "record", "row"]
TELLING: frozenset[Kind] = frozenset({"labelled", "named", "near", "grouped"})
BELONGING: frozenset[Kind] = frozenset({"labelled", "named"})
WITNESSES: frozenset[Kind] = frozenset({"near", "grouped"})
"""Together they tell a value that some rules have lost: a group of the page, and a label or the page's title."""


class FoundValue(Part, frozen=True, kw_only=True):
    """A value with the rules that found it."""

    value: str
    rules: tuple[ExtractionRule, ...]


class FieldReading(Part, frozen=True, kw_only=True):
    """``value``: as the page shows it; None unless it is certain or healed. ``absent``: the page shows that there is
    none; it is certain then, without a value. ``left_out``: it shows nothing at all of the field, not even its label,
    as the examples without a value did. ``empty``: rules whose place is there and says that there is none. ``lost``:
    rules that found nothing. ``moved``: rules by order that lead to the values of other labels now; they count as
    lost."""

    certainty: Certainty
    value: str | None = None
    absent: bool = False
    left_out: bool = False
    candidates: tuple[FoundValue, ...] = ()
    empty: tuple[ExtractionRule, ...] = ()
    lost: tuple[ExtractionRule, ...] = ()
    moved: tuple[ExtractionRule, ...] = ()


def read_field(
    field: FieldRules, page: ObservedPage, constants: Collection[str], structure: Structure = "page"
) -> FieldReading:
    """Return what the rules say. Rules that differ are never outvoted.

    ``constants``: texts that stand on every page that was learned from, folded; none of them is a value.
    ``structure``: what the page is. The records of a list have one template, so that an element that is alone with its
    tag path in a record says what it is; of a table's row the number of its cell does, among as many cells.
    """
    if not field.variants:
        return _read_rules(field, field.rules, page, constants, structure)
    readings = [_read_rules(field, rules, page, constants, structure) for rules in field.variants]
    saying = [one for one in readings if one.certainty != "missing"]
    if len(saying) == 1:
        return saying[0]
    if not saying:
        return FieldReading(certainty="missing", lost=tuple(rule for one in readings for rule in one.lost))
    values = {one.value and value_key(field.form, one.value) for one in saying}
    if len(values) == 1 and None not in values:
        return saying[0]
    return FieldReading(certainty="ambiguous", candidates=tuple(found for one in saying for found in one.candidates))


def _read_rules(
    field: FieldRules,
    all_rules: Sequence[ExtractionRule],
    page: ObservedPage,
    constants: Collection[str],
    structure: Structure,
) -> FieldReading:
    found: dict[str, FoundValue] = {}
    misled = misled_rules(all_rules, field.homes, field.labels, field.beside, page)
    lost: list[ExtractionRule] = list(misled)
    empty: list[ExtractionRule] = []
    for rule, text in texts_of(all_rules, field, page, misled).items():
        if rule in misled:
            continue
        if _says_none(field, page, rule, text):
            empty.append(rule)
        elif text is None or page.is_constant(rule, text, constants) or label_form(text) in field.labels:
            lost.append(rule)
        else:
            key = value_key(field.form, text) or text
            known = found.get(key, FoundValue(value=text, rules=()))
            found[key] = FoundValue(value=known.value, rules=(*known.rules, rule))
    if not found and not empty:
        for rule in reshaped_rules(all_rules, field.labels, field.beside, page):
            text = page.extract(rule)
            if text is not None and label_form(text) not in field.labels:
                found.setdefault(text, FoundValue(value=text, rules=(rule,)))
    label = None if found or empty else _text_of_label(field, all_rules, page)
    text = None if label is None or label.is_blank else page.extract(label.rule)
    if label is not None and (label.is_blank or (text is not None and is_absent(field.form, text))):
        empty.append(label.rule)
    elif label is not None and text is not None:
        found[text] = FoundValue(value=text, rules=(label.rule,))
    strayed = strayed_rules(all_rules, field.homes, field.labels, page)
    telling_none = any(kind_of(rule, field.labels) in BELONGING for rule in empty if rule not in strayed)
    telling_none |= bool(empty) and set(empty) <= narrowed_place(all_rules, field.homes, field.labels, page)
    telling_none |= label is not None and bool(empty)
    candidates = list(found.values())
    nothing = (*lost, *empty)
    if not candidates:
        left_out = not empty and field.left_out is not None and is_left_out(field.left_out, page)
        absent = left_out or (telling_none and may_be_absent(field.form))
        certainty: Certainty = "certain" if absent else "missing"
        gone = tuple(lost) if absent and not left_out else nothing
        return FieldReading(certainty=certainty, absent=absent, left_out=left_out, empty=tuple(empty), lost=gone)
    if len(candidates) > 1 or telling_none:
        return FieldReading(certainty="ambiguous", candidates=tuple(candidates), lost=nothing)
    one = candidates[0]
    kinds = _kinds(field, [rule for rule in one.rules if rule not in strayed], structure)
    told = kinds & BELONGING or kinds >= WITNESSES if nothing else kinds & TELLING or field.trusted
    told = told or label is not None or is_told_by_label(field, one.rules, lost, page)
    if (
        _is_place_lost(field, one.rules)
        or is_apart(all_rules, field.homes, field.labels, page)
        or is_of_another_label(one.rules, field.labels, field.beside, page)
        or is_one_of_several(one.rules, field.labels, page)
        or (not field.joined and any(map(page.is_joined, one.rules)))
    ):
        told = False
    if not told or not _fits(field, one.value):
        return FieldReading(certainty="unsure", candidates=tuple(candidates), lost=nothing)
    return FieldReading(
        certainty="healed" if nothing else "certain",
        value=one.value,
        candidates=tuple(candidates),
        lost=nothing,
        moved=tuple(rule for rule in all_rules if rule in misled),
    )


def texts_of(
    rules: Sequence[ExtractionRule], field: FieldRules, page: ObservedPage, misled: Collection[ExtractionRule]
) -> dict[ExtractionRule, str | None]:
    """Return the text that each rule gives. Where values have changed places, or no rule finds anything, the field's
    own label tells it, even if another part of the page has the same label: by the address of the page, or by the tag
    path of the examples."""
    texts = {rule: None if rule in misled else page.extract(rule) for rule in rules}
    if not misled and any(text is not None for text in texts.values()):
        return texts
    for rule in rules:
        if rule in field.rules and texts[rule] is None and page.find(rule.where) is None:
            element = element_at_own_label(rule, field.rules, field.homes, page, field.address)
            texts[rule] = None if element is None else page.extract_from(element, rule)
    return texts


def is_told_by_label(
    field: FieldRules, found: Sequence[ExtractionRule], lost: Collection[ExtractionRule], page: ObservedPage
) -> bool:
    """Return whether the field's own label tells what these rules found, though no rule finds it beside that label.

    It is at the one of several such labels that has the place of the examples, or directly follows the label, with
    the form of an identifier, where only the tags around it are others, or as all values follow theirs."""
    paired = paired_text_of(field.rules, field.labels, field.beside, page)
    value = None if paired is None or paired.is_blank else page.find(paired.rule.where)
    if value is not None and all(page.find(rule.where) is value for rule in found):
        return True
    if set(found) <= narrowed_place(field.rules, field.homes, field.labels, page):
        return True
    places = {one.place for one in page.elements}
    only_tags = all(isinstance(rule.where, AtPlace) and rule.where.path not in places for rule in lost)
    return only_tags and any(is_close_and_shaped(rule, field.labels, field.shape) for rule in found)


def _text_of_label(field: FieldRules, rules: Sequence[ExtractionRule], page: ObservedPage) -> LabelText | None:
    """Return the text that is the field's label where labels are followed by their values."""
    alternating = label_text_of(rules, field.labels, field.beside, page)
    return alternating or paired_text_of(rules, field.labels, field.beside, page)


def _is_place_lost(field: FieldRules, found: Sequence[ExtractionRule]) -> bool:
    """Return whether the examples showed the value in another place too, which no rule finds any more.

    Then it may have been shown here by chance, unless this place goes by what the field is called."""
    places = {home for rule, home in zip(field.rules, field.homes, strict=False) if rule in found}
    return places < set(field.homes) and not any(is_called(rule, field.labels) for rule in found)


def _says_none(field: FieldRules, page: ObservedPage, rule: ExtractionRule, text: str | None) -> bool:
    """Return whether the rule's place is there, and empty, or has a word that means none."""
    if text is not None:
        return is_absent(field.form, text)
    if page.is_empty_at(rule):
        return True
    other = page.text_beside(rule)
    return bool(other) and is_absent(field.form, other or "")


def _fits(field: FieldRules, value: str) -> bool:
    shaped = not field.shape or shape_of(value) == field.shape
    return shaped and value_key(field.form, value) is not None


def _kinds(field: FieldRules, rules: Iterable[ExtractionRule], structure: Structure) -> set[Kind]:
    """Return how the value was found. The page's title tells a value that the page itself shows too."""
    rules = list(rules)
    kinds: set[Kind] = {kind_of(rule, field.labels) for rule in rules}
    titled = [rule for rule in rules if isinstance(rule.where, OfPage) and rule.attribute == "name"]
    if titled and any(not isinstance(rule.where, OfPage) for rule in rules):
        kinds.add("near")
    if any(_is_told_by_structure(rule, structure) for rule in rules):
        kinds.add("grouped")
    return kinds


def _is_told_by_structure(rule: ExtractionRule, structure: Structure) -> bool:
    if not isinstance(rule.where, AtPlace):
        return False
    return structure == "row" or (structure == "record" and rule.where.of == 1)


class Confidence(Part, frozen=True, kw_only=True):
    """How the rules of all examples but one read that one: right, wrong, or for a person."""

    right: int
    wrong: int
    to_review: int


def leave_one_out(examples: Sequence[Example], labels: Iterable[str] = (), form: FieldType | None = None) -> Confidence:
    """Return how well each example is read by what the others teach. At least three examples are needed for that."""
    labels = tuple(labels)
    counts = {"right": 0, "wrong": 0, "to_review": 0}
    for at, one in enumerate(examples):
        others = [*examples[:at], *examples[at + 1 :]]
        if sum(bool(other.value) for other in others) < MIN_EXAMPLES:
            counts["to_review"] += 1
            continue
        rules = learn_field(others, labels, form)
        constants = common_texts([other.page for other in others], {fold(other.value or "") for other in others})
        counts[verdict_on(read_field(rules, one.page, constants), one.value, rules.form)] += 1
    return Confidence(**counts)


Verdict = Literal["right", "wrong", "to_review"]


def verdict_on(reading: FieldReading, written: str | None, form: FieldType) -> Verdict:
    """Return whether a reading is what a person wrote; None and empty: that there is no value."""
    if reading.certainty not in ("certain", "healed"):
        return "to_review"
    if reading.value is None or not written:
        return "right" if reading.value is None and not written else "wrong"
    return "right" if is_same_value(form, reading.value, written) else "wrong"


def is_same_value(form: FieldType, shown: str, written: str) -> bool:
    return find_spans(form, tidy(shown), written) == [(0, len(tidy(shown)))]

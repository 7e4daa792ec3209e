"""Keys of the spec that may settle a field, the most likely first. Each is tried on the page before it is offered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from services.planner.judge.explaining.doubt import Doubt
from services.planner.judge.explaining.near import has_title_name, near_values, shown_texts, unlabelled_parts
from services.planner.judge.explaining.page_labels import LEAST_LIKENESS, likeness, page_labels
from shared.contracts.browser_pool import Element
from shared.contracts.explained import KeyCode
from shared.field_types import base_type, nullable
from shared.pages.elements import may_show_no_choice, text_of
from shared.pages.entries.forms import HASH_FORM, form_against, form_of_text, grouped, literal
from shared.pages.entries.value_places import (
    as_template,
    label_beside,
    parts_around,
    texts_behind_label,
)
from shared.pages.read.candidates import Candidate
from shared.pages.read.fields import FieldAmbiguous, FieldFound
from shared.pages.read.label_places import Places
from shared.pages.read.unlabelled import FittingPart, TextInContext, parts_that_fit
from shared.task.output_field import OutputField, ShownIn
from shared.task.typed_values import find_shown_problem, is_not_present, typed_value
from shared.text.normal import Normal, label_form, tidy
from shared.text.record_words import is_same_id

MOST_LABELS, MOST_PARTS, MOST_IN_WORDS = 16, 4, 4
MAX_NONE_CHARS = 30
"""A longer text is no word for "there is none"."""
_WITHOUT_LABEL: tuple[ShownIn, ...] = ("heading", "title", "text", "input", "tooltip", "link")
_LABELLED = re.compile(r"[^\W\d_][\w -]{0,40}:\s")
_ORDERS = ("dmy", "mdy", "ymd")
_OTHER_TYPES: Mapping[str, tuple[str, ...]] = {"number": ("decimal",), "date-time": ("date",)}
_NEEDS_TYPE = {"values": "enum", "date_order": "date"}
_UNLABELLED_KEYS = ("shown_in", "pattern", "preceded_by", "followed_by")


@dataclass(frozen=True)
class Proposal:
    """Keys for the field's entry; None: the key is left out. ``alike``: the text that they mean has words of the field,
    which says more than any other text of the page."""

    keys: Mapping[str, Any]
    why: KeyCode
    alike: bool = False


def proposals(doubt: Doubt) -> Iterator[Proposal]:
    """Yield what may settle the field, by how it was read."""
    if isinstance(doubt.reading, FieldFound):
        yield from _of_found(doubt, doubt.reading)
    elif isinstance(doubt.reading, FieldAmbiguous):
        yield from _of_rivals(doubt, doubt.reading)
    else:
        yield from _of_missing(doubt)


# --- one text, which is no value of the field


def _of_found(doubt: Doubt, reading: FieldFound) -> Iterator[Proposal]:
    field, shown = doubt.field, reading.candidate.shown
    kind = base_type(field.type)
    if not nullable(field.type) and (not shown or is_not_present(shown, field)):
        if shown or _has_empty_place(reading.candidate.element):
            yield Proposal({"type": f"{kind} | null"}, "may_be_empty")
    elif find_shown_problem(field, shown):
        yield from _of_pattern(doubt, reading.candidate.element, shown)
    else:
        if kind in ("date", "date-time"):
            yield from (Proposal({"date_order": order}, "order_of_dates") for order in _ORDERS)
        if kind == "enum":
            yield Proposal({"values": [*field.values, tidy(shown)]}, "one_more_value")
        if kind != "string" and len(shown) <= MAX_NONE_CHARS and not any(map(str.isdigit, shown)):
            yield _says_none(field, shown)
        for other in (*_OTHER_TYPES.get(kind, ()), "string"):
            yield Proposal(_of_type(doubt, other), "other_type")


def _says_none(field: OutputField, shown: str) -> Proposal:
    """Return that a text is a word for "there is none"."""
    words = [*field.not_present, tidy(shown)]
    return Proposal({"type": f"{base_type(field.type)} | null", "not_present": words}, "words_for_none")


def _has_empty_place(element: Element) -> bool:
    """Return whether a place for the value is there and shows nothing. A term may share the text of the next term."""
    return element.before_blank or not text_of(element)


def _of_type(doubt: Doubt, kind: str) -> dict[str, Any]:
    """Return the keys that make it a field of another type, without those that the type does not have."""
    idle = {key: None for key, needed in _NEEDS_TYPE.items() if getattr(doubt.field, key) and kind != needed}
    return {"type": f"{kind} | null" if nullable(doubt.field.type) else kind, **idle}


def _of_pattern(doubt: Doubt, element: Element, shown: str) -> Iterator[Proposal]:
    """Yield patterns that let the whole text pass: the task's own with what stands around it, or none."""
    whole, within = parts_that_fit(TextInContext(element, tidy(shown)), doubt.field.pattern)
    for part in (within or whole)[:MOST_IN_WORDS]:
        before, after = tidy(shown)[: part.start], tidy(shown)[part.end :]
        pattern = f"{literal(before)}{grouped(doubt.field.pattern)}{literal(after)}"
        yield Proposal({"pattern": pattern}, "wider_pattern")
    if doubt.field.shown_in is None:
        yield Proposal({"pattern": None}, "no_pattern")


# --- several texts


def _of_rivals(doubt: Doubt, reading: FieldAmbiguous) -> Iterator[Proposal]:
    elements = doubt.page.elements
    rivals = shown_texts(reading)
    if doubt.field.shown_in is not None:
        yield from _within_words(doubt)
    for one in rivals:
        if 0 < len(one.shown) <= MAX_NONE_CHARS and may_show_no_choice(one.element):
            yield _says_none(doubt.field, one.shown)
        label = label_beside(elements, one.element, doubt.labels)
        if label and len(doubt.labels) > 1 and doubt.field.shown_in is None:
            yield Proposal({"labels": [label]}, "one_label")
        yield from _parts(doubt, one.element)
        others = [other.shown for other in rivals if other is not one]
        for form in (form_of_text(one.shown), form_against(one.shown, others)):
            if form and form != doubt.field.pattern:
                yield Proposal({"pattern": form}, "form_of_text")


def _parts(doubt: Doubt, element: Element) -> Iterator[Proposal]:
    """Yield the parts of the page that the element is in, as the field's `under`."""
    row = doubt.view.sample.fields
    for name in list(dict.fromkeys(parts_around(doubt.page.elements, element)))[:MOST_PARTS]:
        yield Proposal({"under": as_template(name, row)}, "part_of_page")


# --- none


def _of_missing(doubt: Doubt) -> Iterator[Proposal]:
    field = doubt.field
    if doubt.name in doubt.wanted:
        yield from _of_identity(doubt)
    if field.shown_in is not None:
        yield from _within_words(doubt)
        return
    if field.under is not None and any(one.why == "elsewhere" for one in near_values(doubt)):
        yield Proposal({"under": None}, "part_of_page")
    labels = [*label_proposals(doubt)]
    yield from (one for one in labels if one.why == "label_alike")
    yield from _behind_label(doubt)
    if has_title_name(doubt):
        yield Proposal({"labels": None, "shown_in": "heading", "pattern": field.pattern or ".+"}, "without_label")
    free = [one for one in labels if one.why == "label_free"]
    yield from sorted(free, key=lambda one: _is_no_word(doubt, one))


def _within_words(doubt: Doubt) -> Iterator[Proposal]:
    """Yield what makes a part of a text the value that fits only within a word, or beside other words than asked."""
    for text, part in unlabelled_parts(doubt)[:MOST_IN_WORDS]:
        within = bool(part.before or part.after)
        alike = likeness(text.text, doubt.names) >= LEAST_LIKENESS
        if doubt.field.shown_in in ("title", "heading", "tooltip", "text"):
            yield _around(text, part, "rest_of_word" if within else "stands_around", alike=alike)
        if within:
            pattern = f"{literal(part.before)}{grouped(doubt.field.pattern)}{literal(part.after)}"
            yield Proposal({"pattern": pattern}, "whole_word", alike)


def _around(text: TextInContext, part: FittingPart, why: KeyCode, *, alike: bool) -> Proposal:
    """Return all that stands before and after a part of a text, but for its numbers, as the field's surroundings."""
    before, after = tidy(text.text[: part.start]), tidy(text.text[part.end :])
    return Proposal({"preceded_by": literal(before) or None, "followed_by": literal(after) or None}, why, alike)


def _behind_label(doubt: Doubt) -> Iterator[Proposal]:
    """Yield what reads a text that begins with the label and goes on, up to the next label in it."""
    pattern = doubt.field.pattern or ".+"
    known = "".join(f"(?i:{re.escape(label)})|" for label in sorted(doubt.other_labels, key=len, reverse=True))
    next_label = re.compile(rf"(?<=\s)(?:{known}[^\W\d_a-z][\w-]*):(?=\s)")
    for _, label, rest in texts_behind_label(doubt.page.elements, doubt.names):
        other = next_label.search(rest)
        keys = {"labels": None, "shown_in": "text", "pattern": pattern, "preceded_by": literal(label)}
        if other is not None:
            keys["followed_by"] = f"{literal(other[0])}.*"
        if other is not None or not _LABELLED.match(rest):
            yield Proposal(keys, "stands_around")


def _of_identity(doubt: Doubt) -> Iterator[Proposal]:
    """Yield places without a label that may show what the row asks for."""
    form = form_of_text(doubt.wanted[doubt.name]) or literal(doubt.wanted[doubt.name])
    if form == HASH_FORM or any(map(str.isdigit, doubt.wanted[doubt.name])):
        for place in _WITHOUT_LABEL:
            yield Proposal({"labels": None, "under": None, "shown_in": place, "pattern": form}, "without_label")


def label_proposals(doubt: Doubt) -> Iterator[Proposal]:
    """Yield the labels of the page that no other field has and that stand beside a text of the field's type, the most
    alike first."""
    known = doubt.labels | doubt.other_labels
    names = (*doubt.names, *([doubt.field.description] if doubt.field.description else ()))
    free = [one for one in page_labels(doubt.page.elements, names) if label_form(one.text) not in known]
    with_value = {label_form(element.name) for element, _, _ in texts_behind_label(doubt.page.elements, doubt.names)}
    places = Places(doubt.page.elements, known, doubt.past | doubt.others | doubt.site, doubt.row_key)
    for label in free[:MOST_LABELS]:
        alike = label.likeness >= LEAST_LIKENESS and (label.named or label_form(label.text) not in with_value)
        of_label = places.of(frozenset({label_form(label.text)}))
        if any(_may_be_value(doubt, one) for place in of_label for one in place):
            why: KeyCode = "label_alike" if alike else "label_free"
            yield Proposal({"labels": [*doubt.field.labels, label.text]}, why, alike)


def _is_no_word(doubt: Doubt, one: Proposal) -> bool:
    """Return whether a text field is less likely to have the value: it is a number, a date or the key of the record."""
    value = doubt.read_with(one.keys) if base_type(doubt.field.type) == "string" else None
    return value is not None and any(map(str.isdigit, value.shown or ""))


def _may_be_value(doubt: Doubt, one: Candidate) -> bool:
    """Return whether a text under a label may be of the field's type: only then the page is read again with it."""
    field = doubt.field
    if one.doubtful or not one.shown or is_not_present(one.shown, field):
        return False
    if doubt.name not in doubt.wanted and any(is_same_id(one.shown, key) for key in doubt.wanted.values()):
        return False  # it is the key of the record
    return isinstance(typed_value(field, one.shown, title=one.title, order=doubt.order), Normal)

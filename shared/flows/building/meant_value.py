"""Which element, and which part of its text, a person or a model means as the value of a field. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.contracts.browser_pool import Element
from shared.contracts.results import ValueSource
from shared.contracts.steps import FieldValue
from shared.extraction.values import FieldType, find_spans
from shared.field_types import nullable
from shared.pages.elements import text_of
from shared.pages.read.label_places import Places
from shared.task.output_field import OutputField
from shared.task.typed_values import is_not_present, typed_value
from shared.text.normal import Invalid, fold, label_form, quoted, tidy

MOST_TOLD = 8


@dataclass(frozen=True)
class MeantValue:
    """``text``: as the element shows it: all of its text, or a part of whole words."""

    element: Element
    text: str


def find_meant(words: Sequence[str], elements: Sequence[Element]) -> MeantValue | str:
    """Return what ``NUMBER``, ``NUMBER PART``, ``beside LABEL`` or a text means, or why it is not one value.

    A text that is no whole text of an element may be a part of one: one of its separate texts, else whole words."""
    text = " ".join(words)
    if not tidy(text):
        return "say which text is meant"
    numbered = next((one for one in elements if words[0].isdecimal() and one.ref == int(words[0][:9])), None)
    if numbered is not None and not words[1:]:
        return element_meant(numbered.ref, "", elements)
    if words[0] == "beside":
        return _only(_beside(" ".join(words[1:]), elements), text)
    wanted = fold(tidy(text))
    whole = [MeantValue(one, text_of(one)) for one in elements if fold(tidy(text_of(one))) == wanted]
    if numbered is not None and (part := part_meant(numbered, " ".join(words[1:]))):
        # A text may begin with a number itself.
        return _only([MeantValue(numbered, part), *whole], text)
    found = whole or _of_parts(elements, text)
    if numbered is not None and not found:
        return element_meant(numbered.ref, " ".join(words[1:]), elements)
    return _only(found, text)


def element_meant(ref: int, part: str, elements: Sequence[Element]) -> MeantValue | str:
    """Return what the element of this number shows, or a part of its text, or why that is not one value."""
    element = next((one for one in elements if one.ref == ref), None)
    if element is None:
        return f"the page shows no element {ref}"
    if not tidy(part):
        return MeantValue(element, text_of(element))
    if text := part_meant(element, part):
        return MeantValue(element, text)
    return f"element {ref} shows {quoted(text_of(element))}, and {part!r} does not stand there once"


def value_meant(
    name: str, field: OutputField, element: Element, shown: str, source: ValueSource, by: str
) -> FieldValue | str:
    """Return a text of an element as the value of a field, or why it is none. ``by``: who says so.

    Where there is none, the words of the page are kept: a list shows a text until something is chosen."""
    words = tidy(element.value or "")
    if is_not_present(shown, field) or (not shown and nullable(field.type)):
        return FieldValue(field=name, state="not_present", shown=shown or words, source=source, read_by=by)
    if not shown:
        until = f", and {quoted(words)} stands there until something is chosen" if words else ""
        return f"element {element.ref} shows no value{until}: {name} is a {field.type}"
    typed = typed_value(field, shown, title=source.title)
    if isinstance(typed, Invalid):
        return f"{name} is a {field.type}, and {quoted(shown)} is none: {typed.message}"
    return FieldValue(field=name, state="value", value=typed.value, shown=shown, source=source, read_by=by)


def _beside(written: str, elements: Sequence[Element]) -> list[MeantValue]:
    """Return what stands beside a label, in each form in which a run reads labels: of a term or a column, in the same
    text (``Price: 12.25``), or in a text of its own. A text that something speaks against is none."""
    label = label_form(written)
    headed = [MeantValue(one, text_of(one)) for one in elements if label and label_form(one.header or "") == label]
    if headed or not label:
        return headed
    places = Places(elements, frozenset({label})).of(frozenset({label}))
    told = [one for place in places for one in place if one.shown and not one.doubtful]
    return [MeantValue(one.element, one.shown) for one in told if one.last is None]


def part_meant(element: Element, written: str) -> str:
    """Return the part of the element's text, as it is shown; empty: it does not stand there, or more than once."""
    for one in element.parts:
        if fold(tidy(one.text)) == fold(tidy(written)):
            return tidy(one.text)
    places = _standing_in(element, written)
    return places[0] if len(places) == 1 else ""


def _of_parts(elements: Sequence[Element], text: str) -> list[MeantValue]:
    wanted = fold(tidy(text))
    parts = [
        MeantValue(one, tidy(part.text)) for one in elements for part in one.parts if fold(tidy(part.text)) == wanted
    ]
    if parts:
        return parts
    return [MeantValue(one, shown) for one in elements for shown in _standing_in(one, text)]


def _standing_in(element: Element, written: str) -> list[str]:
    """Return each place of the element's text where these whole words stand, as they are shown there."""
    shown = text_of(element)
    return [shown[begin:end] for begin, end in find_spans(FieldType(), shown, tidy(written))]


def _only(found: Sequence[MeantValue], text: str) -> MeantValue | str:
    if len(found) == 1:
        return found[0]
    there = ", ".join(
        f"{one.element.ref} ({one.element.role} {quoted(text_of(one.element), 40)})" for one in found[:MOST_TOLD]
    )
    return f"{len(found)} places are meant by {text!r}: {there}" if found else f"the page shows no {text!r}"

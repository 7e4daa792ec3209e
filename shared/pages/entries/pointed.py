"""Which entries of a spec read the text that somebody has pointed at: each was tried on the page, and gave exactly this
text and left the other fields as they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pydantic import ValidationError

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.discovery import Sample
from shared.field_types import base_type
from shared.pages.boxes import has_centre, is_on_one_line
from shared.pages.elements import (
    PRESSED_ROLES,
    headings_of_level,
    is_header,
    is_heading,
    is_icon,
    is_input,
    text_of,
    title_heading,
)
from shared.pages.entries.forms import form_of_text, literal
from shared.pages.entries.value_places import (
    MAX_NAME_CHARS,
    MOST_BEFORE,
    as_template,
    label_and_value,
    parts_around,
)
from shared.pages.identity.identity import PageRead, read_anew
from shared.pages.read.candidates import Candidate, texts_in
from shared.pages.read.dates import date_hints
from shared.pages.read.fields import FieldFound, Reading, labels_of
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from shared.task.typed_values import typed_value
from shared.text.normal import Normal, fold, label_form, tidy

MOST_LABELS, MOST_PARTS, MOST_ENTRIES = 8, 3, 3
PLACE_KEYS = ("labels", "under", "shown_in", "pattern", "preceded_by", "followed_by")
"""Keys of an entry that say where its value stands, and how it looks there."""
MAX_LABEL_CHARS = 60
MOST_ELEMENTS_READ = 60_000
"""Elements that are read again for one text: a long page is tried with fewer entries."""
LEAST_TRIALS = 12
MOST_FORM_WORDS = 2
BELOW_PX = 48.0
"""A label stands at most so far above its value."""
_ANY_TEXT = ".+"


@dataclass(frozen=True)
class PointedText:
    """A text of the page: the element, and the part of what it shows that is meant."""

    ref: int
    shown: str


@dataclass(frozen=True)
class PointedEntry:
    """An entry that reads it. ``shown``: what the page gives with it, which may be more than the one element shows.
    ``headline``: it is the one heading of this level, which a step of the route reads; 0: it is not."""

    entry: Mapping[str, Any]
    shown: str
    headline: int = 0


def can_be_pointed_at(element: Element) -> bool:
    """Return whether an element shows a text that may be a value: it can be seen, and is no secret and no button."""
    hidden = element.box is None or element.secret or element.role in PRESSED_ROLES or is_icon(element)
    return not hidden and text_of(element) != ""


def pointed_entries(
    spec: TaskSpec, sample: Sample, page: PageObserved, name: str, pointed: PointedText, most: int = MOST_ENTRIES
) -> tuple[PointedEntry, ...]:
    """Return the entries of field ``name`` that read this text, ``most`` of them, the best first; none where nothing
    tells it from the other texts of the page.

    Args:
        spec: the task with the field, of which only the type, the date order and the words for none count.
        sample: the record that the page shows.
    """
    element = next((one for one in page.elements if one.ref == pointed.ref), None)
    if element is None:
        return ()
    field = spec.output_schema[name]
    own = {"type": field.type, "date_order": field.date_order, "not_present": field.not_present or None}
    schema = {one: known for one, known in spec.output_schema.items() if one != name}
    before = read_anew(
        spec.model_copy(update={"output_schema": schema, "identity": _without(spec, name)}), sample, page
    )
    is_key, shown = name in spec.identity, tidy(pointed.shown)
    inside = _inside(page.elements, element, shown)
    places = [element, *inside] if is_key else [*inside, element]
    proposals = (
        (PointedText(one.ref, pointed.shown), keys)
        for one in places
        for keys in _proposals(spec, sample, page, one, shown, is_key=is_key)
    )
    tries = max(LEAST_TRIALS, MOST_ELEMENTS_READ // (len(page.elements) or 1))
    found = (_tried(spec, sample, page, name, {**own, **keys}, at, before) for at, keys in islice(proposals, tries))
    headline = headline_entry(page, element, pointed, {key: value for key, value in own.items() if value is not None})
    return tuple(islice((one for one in (*headline, *found) if one is not None), most))


def _inside(elements: Sequence[Element], element: Element, shown: str) -> list[Element]:
    """Return the one element within another whose whole text is the part that is meant, such as a link in a heading;
    none where there is none, or several."""
    if element.box is None or fold(shown) == fold(text_of(element)):
        return []
    area = element.box
    inside = [
        one
        for one in elements
        if one is not element and one.frame == element.frame and one.box is not None and has_centre(area, one.box)
    ]
    found = [one for one in inside if can_be_pointed_at(one) and text_of(one) == shown]
    return found if len(found) == 1 else []


def headline_entry(
    page: PageObserved, element: Element, pointed: PointedText, entry: Mapping[str, Any]
) -> tuple[PointedEntry, ...]:
    """Return the entry of a text that is the one heading of its level, without its badges; none where it is not."""
    level = element.level or 0
    heads = headings_of_level(page.elements, level)
    texts = {one.shown for head in heads for one in texts_in(head)}
    is_only = level > 0 and is_heading(element) and texts == {tidy(pointed.shown)}
    return (PointedEntry(entry, tidy(pointed.shown), level),) if is_only else ()


def _without(spec: TaskSpec, name: str) -> dict[str, str]:
    return {one: template for one, template in spec.identity.items() if one != name}


def _tried(
    spec: TaskSpec,
    sample: Sample,
    page: PageObserved,
    name: str,
    keys: Mapping[str, Any],
    pointed: PointedText,
    before: PageRead,
) -> PointedEntry | None:
    """Return the entry with these keys if it reads the text, and nothing else of the page changes."""
    entry = {key: value for key, value in keys.items() if value is not None}
    try:
        field = OutputField.model_validate(entry)
    except ValidationError:
        return None
    others = {label for one, known in spec.output_schema.items() if one != name for label in labels_of(one, known)}
    if field.shown_in is None and others & labels_of(name, field) and field.under is None:
        return None
    read = read_anew(spec.model_copy(update={"output_schema": {**spec.output_schema, name: field}}), sample, page)
    # What proves the record is found without its label too: that says nothing of the label.
    one = _read_at((read.by_label if field.labels else read.readings)[name], pointed)
    if one is None or read.proof.state == "mismatch" or not _leaves(before, read, name):
        return None
    order = date_hints(page) if base_type(field.type) in ("date", "date-time") else None
    value = typed_value(field, one.shown, title=one.title, order=order)
    return PointedEntry(entry, one.shown) if isinstance(value, Normal) else None


def _read_at(reading: Reading, pointed: PointedText) -> Candidate | None:
    """Return what was read, if it is the text that was pointed at, or goes on from it in the next elements."""
    if not isinstance(reading, FieldFound) or reading.candidate.doubtful:
        return None
    one = reading.candidate
    if pointed.ref not in (one.element.ref, one.last.ref if one.last is not None else None):
        return None
    same = fold(one.shown) == fold(pointed.shown)
    goes_on = one.last is not None and fold(pointed.shown) in fold(one.shown)
    return one if same or goes_on else None


def _leaves(before: PageRead, read: PageRead, name: str) -> bool:
    """Return whether all other fields that were read are read so again."""
    return all(
        _text_of(read.readings[other]) == _text_of(reading)
        for other, reading in before.readings.items()
        if other != name and isinstance(reading, FieldFound)
    )


def _text_of(reading: Reading) -> str | None:
    return reading.candidate.shown if isinstance(reading, FieldFound) else None


# --- what is tried


def _proposals(
    spec: TaskSpec, sample: Sample, page: PageObserved, element: Element, shown: str, *, is_key: bool
) -> Iterator[dict[str, Any]]:
    elements, row = page.elements, sample.fields
    labels = list(islice(labels_near(elements, element, shown), MOST_LABELS))
    whole = tidy(text_of(element))
    own = label_and_value(whole)
    is_rest = shown == whole or (own is not None and fold(own[1]) == fold(shown))  # the label says all of it
    patterns = [None] if is_rest else [_form_of(shown) or None, None]
    parts = [as_template(one, row) for one in islice(_parts_of_page(elements, element), MOST_PARTS)]
    for pattern in dict.fromkeys(patterns):
        yield from ({"labels": [label], "pattern": pattern} for label in labels)
    for part in parts:
        yield from ({"labels": [label], "under": part, "pattern": patterns[0]} for label in labels)
    if is_key:
        yield {}
    yield from _without_label(elements, element, whole, shown, parts)


def _parts_of_page(elements: Sequence[Element], element: Element) -> Iterator[str]:
    """Yield the parts of the page that the element is in, without those that are named for the record: by the title of
    the page, or by a number."""
    title = title_heading(elements)
    own = tidy(title.name) if title is not None else ""
    for name in dict.fromkeys(parts_around(elements, element)):
        if name != own and not any(map(str.isdigit, name)):
            yield name


def _without_label(
    elements: Sequence[Element], element: Element, whole: str, shown: str, parts: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield places without a label: the kind of text, its form, what stands around it, and the part of the page."""
    place = "heading" if is_heading(element) else "input" if is_input(element) else "text"
    start = whole.find(shown)
    if start < 0:
        return
    before, after = whole[:start].strip(), whole[start + len(shown) :].strip()
    if not before and not after and place == "text":
        before, after = _beside(elements, element)
    arounds = list(_arounds(literal(before), literal(after))) if place != "input" else []
    forms = [one for one in (_form_of(shown), _ANY_TEXT) if one]
    if shown != whole and label_and_value(whole) == (before.rstrip(":：﹕︰ "), shown):
        forms.reverse()
    bare = {"preceded_by": None, "followed_by": None}
    for form in forms:
        for beside in (*arounds, *([bare] if form != _ANY_TEXT else [])):
            yield {"shown_in": place, "pattern": form, **beside}
    if place == "heading" and shown == whole:
        yield {"shown_in": place, "pattern": _ANY_TEXT}
    for part in parts:
        for form in forms:
            yield from ({"shown_in": place, "pattern": form, "under": part, **beside} for beside in arounds)
            yield {"shown_in": place, "pattern": form, "under": part}


def _arounds(before: str, after: str) -> Iterator[dict[str, str | None]]:
    """Yield what stands around a text as a field's surroundings: all of it, then one side alone, since what stands on
    the other side may be a value too, which differs by record."""
    if before or after:
        yield {"preceded_by": before or None, "followed_by": after or None}
    if before and after:
        yield {"preceded_by": before, "followed_by": None}
        yield {"preceded_by": None, "followed_by": after}


def _form_of(shown: str) -> str:
    """Return a pattern of texts that have this form; empty where it is words, whose number differs by record."""
    return form_of_text(shown) if len(shown.split()) <= MOST_FORM_WORDS else ""


def _beside(elements: Sequence[Element], element: Element) -> tuple[str, str]:
    """Return the texts right before and after an element on its line, without what differs by record: numbers are."""
    at = elements.index(element)
    around = (elements[at - 1] if at else None, elements[at + 1] if at + 1 < len(elements) else None)
    texts = [_on_line(one, element) for one in around]
    return texts[0], texts[1]


def _on_line(one: Element | None, element: Element) -> str:
    if one is None or one.frame != element.frame or one.box is None or element.box is None:
        return ""
    return text_of(one) if is_on_one_line(one.box, element.box) and not _is_around(one, element) else ""


def labels_near(elements: Sequence[Element], element: Element, shown: str) -> Iterator[str]:
    """Yield the texts that may be the label of an element's text, as a spec writes them.

    Those that the structure of the page names come first, then what stands before it and above it. Those with digits
    come last: they may be a record's own."""
    found = dict.fromkeys(filter(None, (_label_text(one, shown) for one in _near(elements, element, shown))))
    yield from sorted(found, key=lambda label: any(map(str.isdigit, label)))


def _label_text(text: str, shown: str) -> str:
    label = tidy(text).rstrip(":：* ").rstrip()
    fits = 0 < len(label) <= MAX_LABEL_CHARS and label_form(label) not in ("", label_form(shown))
    return label if fits and label_and_value(text) is None else ""


def _near(elements: Sequence[Element], element: Element, shown: str) -> Iterator[str]:
    yield element.header or ""
    if is_input(element):
        yield element.name
    own = label_and_value(element.name)
    if own is not None and fold(own[1]) == fold(shown):
        yield own[0]
    if element.parts and fold(element.parts[0].text) != fold(shown):
        yield element.parts[0].text
    at = elements.index(element)
    before = [
        one
        for one in reversed(elements[max(0, at - MOST_BEFORE) : at])
        if one.frame == element.frame and not is_input(one) and 0 < len(one.name) <= MAX_NAME_CHARS
        if not _is_around(one, element)
    ]
    same_row = [one for one in before if element.row is not None and one.row == element.row]
    yield from (one.name for one in same_row if one.column == 0)
    yield from (one.name for one in before[:2])
    yield from (one.name for one in before if _is_above(one, element))
    yield from (one.name for one in before if is_header(one) or one.name.rstrip().endswith((":", "：")))


def _is_around(one: Element, element: Element) -> bool:
    """Return whether a text has the other one within it, such as a heading its links: it is no label of it."""
    if one.box is None or element.box is None:
        return False
    return has_centre(one.box, element.box) and fold(text_of(element)) in fold(one.name)


def _is_above(one: Element, element: Element) -> bool:
    """Return whether a text stands right above another one, and begins in the same column."""
    a, b = one.box, element.box
    if a is None or b is None:
        return False
    gap_px = b.y - (a.y + a.height)
    return -2.0 <= gap_px <= BELOW_PX and a.x < b.x + b.width and b.x < a.x + a.width

"""Finds a field on any page by its labels. Two different values are ambiguous; none is guessed.

An element that names its own label counts first (a `dd`, a cell, an input, `Label: value` in one text). Only if there
is none, the element beside or right below a label counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from services.planner.page.dates import DateSettlement, date_hints, date_settlement
from services.planner.page.text import (
    PRESSED_ROLES,
    cut_chars_in,
    humanised,
    is_filter,
    is_header,
    is_heading,
    is_input,
    is_pending,
    label_form,
    text_of,
)
from services.planner.page.typed_values import is_not_present, typed_value
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.planner import BY_RULE
from shared.contracts.steps import FieldValue, ValueSource
from shared.field_types import base_type, nullable
from shared.task.spec import OutputField, TaskSpec
from shared.text.normal import Normal, fold, tidy

MAX_VALUE_CHARS = 2000
MAX_LABEL_CHARS = 60
_NO_TEXT = frozenset({*PRESSED_ROLES, "img", "iframe", "canvas"})
_NEXT_LABEL = re.compile(r"\s[A-Z][\w-]*(?: [\w-]+){0,2}:\s")


@dataclass(frozen=True)
class Candidate:
    """One value in the place of a field's value; `shown` may be empty."""

    shown: str
    element: Element
    row: int | None = None
    last: Element | None = None
    """The element that shows the end of the text, if it is another one."""

    @property
    def cut_chars(self) -> int:
        """How many characters the observation left out at the end."""
        return cut_chars_in(self.shown, [self.last or self.element])

    @property
    def title(self) -> str | None:
        """The title of the element, if `shown` is all of its text."""
        return self.element.title if self.shown == text_of(self.element) else None


@dataclass(frozen=True)
class FieldFound:
    """The page shows exactly one value."""

    candidate: Candidate


@dataclass(frozen=True)
class FieldAmbiguous:
    """The page shows different values."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class FieldMissing: ...


Reading = FieldFound | FieldAmbiguous | FieldMissing


def labels_of(name: str, field: OutputField) -> frozenset[str]:
    """Return the labels of a field in comparable form."""
    return frozenset(label_form(label) for label in (name, humanised(name), *field.labels)) - {""}


def all_labels(spec: TaskSpec) -> frozenset[str]:
    """Return the labels of all output fields in comparable form."""
    return frozenset(label for name, field in spec.output_schema.items() for label in labels_of(name, field))


def read_fields(spec: TaskSpec, page: PageObserved, row_key: str | None = None) -> dict[str, Reading]:
    """Return a reading of every output field. `row_key`: the text that marks this sample's row among many."""
    known = all_labels(spec)
    return {name: _read(name, field, page, known, row_key) for name, field in spec.output_schema.items()}


def _read(name: str, field: OutputField, page: PageObserved, known: frozenset[str], row_key: str | None) -> Reading:
    labels = labels_of(name, field)
    candidates = list(_self_labelled(page.elements, labels, known)) or list(
        _adjacent_values(page.elements, labels, known)
    )
    candidates = [candidate for candidate in candidates if not is_pending(candidate.shown)]
    settled = _resolve(candidates, field, page)
    if isinstance(settled, FieldAmbiguous) and row_key is not None:
        return _resolve(_in_row_of(row_key, candidates, page), field, page)
    return settled


def _resolve(candidates: Sequence[Candidate], field: OutputField, page: PageObserved) -> Reading:
    if not candidates:
        return FieldMissing()
    titled = [one for one in candidates if one.title is not None]
    if len({fold(one.shown) for one in candidates}) == 1 and len({one.title for one in titled}) <= 1:
        return FieldFound(titled[0] if titled else candidates[0])
    if _is_one_value(candidates, field, page):
        return FieldFound(candidates[0])
    return FieldAmbiguous(tuple(dict.fromkeys(candidate.shown for candidate in candidates)))


def _is_one_value(candidates: Sequence[Candidate], field: OutputField, page: PageObserved) -> bool:
    """Return whether all shown texts normalise to one value."""
    if base_type(field.type) == "string":
        return len({fold(one.shown) for one in candidates}) == 1
    order = date_hints(page)
    normal = [typed_value(field, one.shown, title=one.title, order=order) for one in candidates]
    meant = [
        one.value if isinstance(one, Normal) else fold(at.shown) for one, at in zip(normal, candidates, strict=True)
    ]
    return len({repr(one) for one in meant}) == 1


def _in_row_of(key: str, candidates: Sequence[Candidate], page: PageObserved) -> list[Candidate]:
    """Return the candidates in table rows that show the key; all of them if there is no such row."""
    rows = {e.row for e in page.elements if e.row is not None and fold(text_of(e)) == fold(key)}
    chosen = [candidate for candidate in candidates if candidate.row in rows]
    return chosen or list(candidates)


def labelled_candidates(elements: Sequence[Element], labels: frozenset[str]) -> tuple[Candidate, ...]:
    """Return what elements with one of these labels of their own show."""
    return tuple(_self_labelled(elements, labels, labels))


def adjacent_candidates(elements: Sequence[Element], labels: frozenset[str]) -> tuple[Candidate, ...]:
    """Return what is beside, or right below, a text that is one of the labels."""
    return tuple(_adjacent_values(elements, labels, labels))


# --- elements that name their label themselves


def _self_labelled(elements: Sequence[Element], labels: frozenset[str], known: frozenset[str]) -> Iterator[Candidate]:
    yield from _headed(elements, labels)
    for element in elements:
        if is_filter(element):
            continue
        if is_input(element):
            if label_form(element.header or "") not in labels and label_form(element.name) in labels:
                yield Candidate(text_of(element), element, element.row)
        elif element.role not in PRESSED_ROLES:
            inline = _inline(element.name, labels, known)
            if inline is not None:
                yield Candidate(inline, element, element.row)


def _headed(elements: Sequence[Element], labels: frozenset[str]) -> Iterator[Candidate]:
    """Cells and definitions. The elements inside of one cell are one value."""
    for group in _groups(elements):
        if label_form(group[0].header or "") in labels:
            candidate = _joined_value(group)
            if candidate is not None:
                yield candidate


def _groups(elements: Sequence[Element]) -> Iterator[list[Element]]:
    group: list[Element] = []
    for element in elements:
        if group and not (_continues(group[0], element)):
            yield group
            group = []
        if element.header is not None and not is_header(element):
            group.append(element)
    if group:
        yield group


def _continues(first: Element, element: Element) -> bool:
    """Return whether the element is in the same cell. A second `dd` of one `dt` is a value of its own."""
    same_place = element.header == first.header and element.row == first.row and element.frame == first.frame
    return same_place and not is_header(element) and not (element.row is None and element.tag == "dd")


def _joined_value(group: Sequence[Element]) -> Candidate | None:
    """Return the control in a cell, else the text that holds all others, else the joined texts.

    None if there are only buttons or pictures: they may be beside an empty value, or be the value.
    """
    row = group[0].row
    controls = [element for element in group if is_input(element)]
    if len(controls) == 1:
        return Candidate(text_of(controls[0]), controls[0], row)
    texts = [element for element in group if element.role not in _NO_TEXT]
    if not texts:
        return None
    filled = [element for element in texts if text_of(element)]
    whole = next((e for e in filled if all(text_of(other) in text_of(e) for other in filled)), None)
    if whole is not None or not filled:
        return Candidate(text_of(whole or texts[0]), whole or texts[0], row)
    return Candidate(" ".join(text_of(element) for element in filled), filled[0], row, filled[-1])


def _inline(text: str, labels: frozenset[str], known: frozenset[str]) -> str | None:
    """Return the value of `Label: value`; None if a second label follows in the same text."""
    label, colon, value = tidy(text).partition(":")
    if not colon or not value.startswith(" ") or label_form(label) not in labels or len(value) > MAX_VALUE_CHARS:
        return None
    if _NEXT_LABEL.search(value) or any(f"{other}:" in fold(value) for other in known):
        return None
    return value.strip() or None


# --- a label, then its value


def _adjacent_values(elements: Sequence[Element], labels: frozenset[str], known: frozenset[str]) -> Iterator[Candidate]:
    for at, element in enumerate(elements):
        if _is_label(element, labels):
            candidate = _value_after(elements, at, known)
            if candidate is not None:
                yield candidate


def _is_label(element: Element, labels: frozenset[str]) -> bool:
    plain = not is_input(element) and element.role not in (*PRESSED_ROLES, "link", "columnheader")
    return plain and len(element.name) <= MAX_LABEL_CHARS and label_form(element.name) in labels


def _value_after(elements: Sequence[Element], at: int, known: frozenset[str]) -> Candidate | None:
    label = elements[at]
    following = elements[at + 1] if at + 1 < len(elements) else None
    if following is not None and following.look:  # the icon has no text, but the value is not empty either
        return _text_past(label, elements[at + 2 : at + 3], known)
    if following is not None and following.frame == label.frame and _adjacent(label, following):
        if not _looks_like_label(label, following, known):
            return Candidate(text_of(following), following, following.row)
        return Candidate("", label, label.row) if _may_be_empty(label) else None
    # A label without a neighbour is an empty value only if the markup declares it a label.
    return Candidate("", label, label.row) if _may_be_empty(label) else None


def _text_past(label: Element, following: Sequence[Element], known: frozenset[str]) -> Candidate | None:
    """Return the text after an icon that is beside a label, if there is one."""
    for one in following:
        if text_of(one) and one.frame == label.frame and _adjacent(label, one):
            return None if _looks_like_label(label, one, known) else Candidate(text_of(one), one, one.row)
    return None


def _may_be_empty(label: Element) -> bool:
    return label.tag == "dt" or label.role in ("term", "rowheader")


def _looks_like_label(label: Element, element: Element, known: frozenset[str]) -> bool:
    if is_header(element) or is_heading(element) or element.role in PRESSED_ROLES:
        return True
    if label_form(element.name) in known and not is_input(element):
        return True
    return label.name.rstrip().endswith(":") and element.name.rstrip().endswith(":")


def _adjacent(label: Element, element: Element) -> bool:
    """Return whether the element is on one line with the label or right below it. Without boxes, document order
    decides."""
    if label.box is None or element.box is None:
        return True
    a, b = label.box, element.box
    overlap = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
    if overlap >= 0.5 * min(a.height, b.height):
        return b.x >= a.x
    gap = b.y - (a.y + a.height)
    beneath = b.x < a.x + a.width and a.x < b.x + b.width
    return beneath and -0.5 * a.height <= gap <= a.height


# --- what goes into the result


def field_value(name: str, field: OutputField, reading: Reading, page: PageObserved) -> FieldValue:
    """Return the reading as a value. An empty text means "not present" only if the task allows none."""
    if not isinstance(reading, FieldFound):
        return FieldValue(field=name, state="not_found")
    candidate = reading.candidate
    empty = candidate.shown == ""
    if is_not_present(candidate.shown, field.not_present) or (empty and nullable(field.type)):
        return _value(name, "not_present", candidate, page, field)
    if empty:
        return FieldValue(field=name, state="not_found")
    return _value(name, "value", candidate, page, field)


def field_values(spec: TaskSpec, readings: Mapping[str, Reading], page: PageObserved) -> tuple[FieldValue, ...]:
    """Return the readings as values."""
    return tuple(field_value(name, spec.output_schema[name], reading, page) for name, reading in readings.items())


def value_source(
    element: Element, page: PageObserved, shown: str | None = None, field: OutputField | None = None
) -> ValueSource:
    """Return where a value is on the page.

    With `shown` and `field`, it also records what the page says about reading the value, because the page may be gone
    later.
    """
    title = element.title if shown is not None and fold(shown) == fold(text_of(element)) else None
    settled = DateSettlement() if shown is None or field is None else date_settlement(shown, field, title, page)
    return ValueSource(
        snapshot_id=page.snapshot_id,
        observation_sha256=page.sha256,
        url=page.url,
        ref=element.ref,
        role=element.role,
        label=element.header or (element.name if is_input(element) else None),
        box=element.box,
        frame=element.frame,
        fingerprint=element.fingerprint,
        locators=element.locators,
        title=title,
        date_order=settled.order,
        date_language=settled.language,
    )


def _value(name: str, state: str, candidate: Candidate, page: PageObserved, field: OutputField) -> FieldValue:
    """Return the value as shown; the gates normalise it."""
    source = value_source(candidate.element, page, candidate.shown, field)
    if state == "not_present":
        return FieldValue(
            field=name, state="not_present", shown=candidate.shown, source=source, read_by=BY_RULE,
            cut_chars=candidate.cut_chars,
        )  # fmt: skip
    return FieldValue(
        field=name, state="value", value=candidate.shown, shown=candidate.shown, source=source, read_by=BY_RULE,
        cut_chars=candidate.cut_chars,
    )  # fmt: skip

"""Finds a field on any page by its labels. Two different values are ambiguous; none is guessed.

An element that names its own label counts first (a `dd`, a cell, an input, `Label: value` in one text). Only if there
is none, the element beside or right below a label counts. Changes, and lists of them, are no current values. Of several
texts in one place, the type of the field and its pattern choose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of

from msgspec.structs import replace as replace_part

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.planner import BY_RULE
from shared.contracts.steps import FieldValue, ValueCandidate, ValueSource
from shared.field_types import base_type, is_rows, nullable
from shared.pages.elements import is_input, may_show_no_choice, text_of, title_of, words_of_name
from shared.pages.index import PageIndex
from shared.pages.read.address_texts import asks_for_address, is_address
from shared.pages.read.candidates import Candidate, listed, whole_text
from shared.pages.read.changes import past_refs
from shared.pages.read.dates import DateSettlement, date_hints, date_settlement
from shared.pages.read.doubts import is_past, is_to_come
from shared.pages.read.label_places import NO_REFS, Place, Places
from shared.pages.read.unlabelled import unlabelled_candidates
from shared.task.output_field import OutputField
from shared.task.spec import TaskSpec
from shared.task.typed_values import is_not_present, typed_value
from shared.text.normal import Normal, fold, is_dash, label_form, quoted
from shared.text.patterns import fits_pattern

MOST_CANDIDATES = 8
"""Texts of an ambiguous field that a person is shown."""
MOST_NAMED = 5
"""Of them, in a sentence."""
Rows = frozenset[tuple[str, int]]
"""Rows of tables, each by its frame and number."""
_WHOLE_PAGE: Mapping[str, tuple[Element, ...]] = {}


@dataclass(frozen=True)
class FieldFound:
    """The page shows exactly one value."""

    candidate: Candidate


@dataclass(frozen=True)
class FieldAmbiguous:
    """The page shows different values. `apart`: in different elements."""

    texts: tuple[str, ...]
    apart: bool = field_of(default=False, compare=False)
    candidates: tuple[Candidate, ...] = field_of(default=(), compare=False)


@dataclass(frozen=True)
class FieldMissing:
    """The page shows no text of it. `icons`: what stands in its place."""

    icons: tuple[Element, ...] = field_of(default=(), compare=False)


Reading = FieldFound | FieldAmbiguous | FieldMissing


def labels_of(name: str, field: OutputField) -> frozenset[str]:
    """Return the labels of a field in comparable form: those that the task gives, else its name."""
    return frozenset(label_form(label) for label in (field.labels or (name, words_of_name(name)))) - {""}


def all_labels(spec: TaskSpec) -> frozenset[str]:
    """Return the labels of all output fields in comparable form."""
    return frozenset(label for name, field in spec.output_schema.items() for label in labels_of(name, field))


def read_fields(
    spec: TaskSpec,
    page: PageObserved,
    row_key: str | None = None,
    parts: Mapping[str, tuple[Element, ...]] = _WHOLE_PAGE,
    others: frozenset[int] = NO_REFS,
    site: frozenset[int] = NO_REFS,
) -> dict[str, Reading]:
    """Return a reading of every output field.

    `row_key`: the text that marks this sample's row among many. `parts`: the elements of the part of the page in which
    a field is read; all elements, if it has none. `others`: the elements that belong to other records; only what
    identifies a record is read there. `site`: those that belong to no record; no label counts there.
    """
    known = all_labels(spec)
    past = past_refs(page.elements)
    whole = Places(page.elements, known, past, row_key)
    own = Places(page.elements, known, past | others | site, row_key)
    anywhere = Places(page.elements, known, past | others, row_key) if site else own
    rows_with_key, pairs = _rows_showing(row_key, page), _pairs_with(row_key, page)
    readings: dict[str, Reading] = {}
    for name, field in spec.output_schema.items():
        if is_rows(field.type):  # no label names all of them: `judge/rows` has them
            readings[name] = FieldMissing()
            continue
        part = parts.get(name)
        # A part that is all history was asked for.
        asked = part is not None and all(element.ref in past for element in part)
        here = whole if name in spec.identity else own if field.shown_in is None else anywhere
        places = here if part is None else Places(part, known, NO_REFS if asked else past, row_key)
        found = _places(name, field, places, page)
        current = _candidates(name, field, found, frozenset() if asked else past, page)
        # A row that its first cell names is one of many of the same record.
        own_rows = rows_with_key - places.named_rows
        reading = _read(current, field, page, own_rows if name in spec.identity else own_rows - pairs)
        if (isinstance(reading, FieldMissing) or _is_empty(reading)) and field.shown_in is None:
            icons = places.icons(labels_of(name, field))
            in_rows = own_rows | places.named_rows
            signs = tuple(one for one in icons if row_key is None or _is_in_rows(one, in_rows))
            reading = FieldMissing(signs) if signs or isinstance(reading, FieldMissing) else reading
        readings[name] = reading
    return readings


def _is_empty(reading: Reading) -> bool:
    return isinstance(reading, FieldFound) and not reading.candidate.shown


def _places(name: str, field: OutputField, places: Places, page: PageObserved) -> Sequence[Place]:
    """Return the places of a field: those of its labels, or what fits its pattern where it has no label."""
    if field.shown_in is None:
        return places.of(labels_of(name, field))
    found = unlabelled_candidates(field, places.elements, page)
    return [(one,) for one in found if one.element.ref not in places.left_out]


def _candidates(
    name: str, field: OutputField, places: Sequence[Place], past: frozenset[int], page: PageObserved
) -> list[Candidate]:
    """Return what may be the current value."""
    current = [tuple(one for one in place if not is_to_come(one) and not is_past(one, field, past)) for place in places]
    if base_type(field.type) == "array":
        return [one for place in current if place for one in listed(place)]
    labels = labels_of(name, field)
    chosen = [one for place in _by_row(_by_pattern(current, field)) for one in _chosen(place, labels, field, page)]
    return _without_misfits(chosen, field, page)


def _by_pattern(places: Sequence[Place], field: OutputField) -> Sequence[Place]:
    """Return the places with the texts that fit the field's pattern; all of them if none does.

    Where no part of an element fits, all of its text may.
    """
    if not field.value_pattern:
        return places
    fitting = [_fitting(place, field) for place in places]
    return fitting if any(fitting) else places


def _fitting(place: Place, field: OutputField) -> Place:
    found = tuple(one for one in place if fits_pattern(field.pattern, one.shown))
    wholes = (whole_text(one) for one in place if one.part is not None)
    return found or tuple(one for one in wholes if fits_pattern(field.pattern, one.shown))[:1]


def _by_row(places: Sequence[Place]) -> list[Place]:
    """Return the places with those of one table row as one."""
    found: dict[object, Place] = {}
    for at, place in enumerate(places):
        if place:
            key = at if place[0].row is None else (place[0].element.frame, place[0].row)
            found[key] = (*found.get(key, ()), *place)
    return list(found.values())


def _chosen(place: Place, labels: frozenset[str], field: OutputField, page: PageObserved) -> Place:
    """Return those of several texts in one place that are of the field's type; all if none is. Beside words, an
    address of a person or page is another thing, unless addresses are asked for."""
    if len(place) == 1:
        return place
    if may_show_no_choice(place[0].element) and _is_named_by(field, place[0].shown):
        return place[:1]
    fitting = tuple(one for one in place if _fits(one, field, page)) or place
    if base_type(field.type) != "string" or any(map(asks_for_address, labels)):
        return fitting
    words = tuple(one for one in fitting if not is_address(one.shown))
    return words if len(words) == 1 and words[0].shown and not is_dash(words[0].shown) else fitting


def _without_misfits(candidates: list[Candidate], field: OutputField, page: PageObserved) -> list[Candidate]:
    """Return the candidates without texts such as `Published: 1999` that are not of the field's type, where a cell,
    definition or input of this label has a value that is."""
    in_place = [one for one in candidates if not one.written and (one.element.header or is_input(one.element))]
    if base_type(field.type) in ("string", "array") or not any(
        _fits(one, field, page) for one in in_place if one.shown
    ):
        return candidates
    return [one for one in candidates if not one.written or _fits(one, field, page)]


def _is_named_by(field: OutputField, shown: str) -> bool:
    """Return whether the task itself has the text: as a value of an enum, or as a word for none."""
    is_enum = base_type(field.type) == "enum" and isinstance(typed_value(field, shown), Normal)
    return is_enum or is_not_present(shown, field)


def _read(candidates: Sequence[Candidate], field: OutputField, page: PageObserved, rows: Rows) -> Reading:
    """Return the reading; of different texts what stands in the rows of the record counts."""
    settled = _resolve(candidates, field, page)
    if isinstance(settled, FieldAmbiguous) and rows:
        chosen = [one for one in candidates if rows & _rows_of(one)]
        return _resolve(chosen or candidates, field, page)
    return settled


def _is_in_rows(element: Element, rows: Rows) -> bool:
    """Return whether an element is in one of these rows, or in no table."""
    return element.row is None or (element.frame, element.row) in rows


def _fits(candidate: Candidate, field: OutputField, page: PageObserved) -> bool:
    """Return whether the text is a value of the field's type, or says that there is none."""
    if candidate.shown == "" or is_not_present(candidate.shown, field):
        return True
    order = date_hints(page) if base_type(field.type) in ("date", "date-time") else None
    return isinstance(typed_value(field, candidate.shown, title=candidate.title, order=order), Normal)


def _resolve(candidates: Sequence[Candidate], field: OutputField, page: PageObserved) -> Reading:
    if all(candidate.doubtful for candidate in candidates):
        return FieldMissing()
    titled = [one for one in candidates if one.title is not None]
    if len({fold(one.shown) for one in candidates}) == 1 and len({one.title for one in titled}) <= 1:
        return FieldFound(titled[0] if titled else candidates[0])
    if _is_one_value(candidates, field, page):
        return FieldFound(candidates[0])
    texts = tuple(dict.fromkeys(candidate.shown for candidate in candidates))
    apart = len({candidate.element.ref for candidate in candidates}) > 1
    return FieldAmbiguous(texts, apart=apart, candidates=tuple(candidates))


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


def _rows_showing(key: str | None, page: PageObserved) -> Rows:
    """Return the table rows that show the key, or that a cell with it is joined over."""
    shows = [e for e in page.elements if key is not None and e.row is not None and fold(text_of(e)) == fold(key)]
    return frozenset((e.frame, row) for e in shows if e.row is not None for row in range(e.row, e.row + e.rows))


def _pairs_with(key: str | None, page: PageObserved) -> Rows:
    """Return the rows of two cells whose second is the key, and whose first is in words: it may be the key's label."""
    rows = PageIndex(() if key is None else page.elements).rows
    return frozenset(
        place
        for place, row in rows.items()
        if {one.column for one in row} == {0, 1}
        and any(one.column == 1 and fold(text_of(one)) == fold(key or "") for one in row)
        and any(one.column == 0 and not is_input(one) and any(map(str.isalpha, one.name)) for one in row)
    )


def _rows_of(candidate: Candidate) -> set[tuple[str, int]]:
    if candidate.row is None:
        return set()
    return {(candidate.element.frame, row) for row in range(candidate.row, candidate.row + candidate.element.rows)}


def labelled_candidates(elements: Sequence[Element], labels: frozenset[str]) -> tuple[Candidate, ...]:
    """Return what elements with one of these labels of their own show."""
    return tuple(one for place in Places(elements, labels).self_labelled(labels) for one in place)


def adjacent_candidates(elements: Sequence[Element], labels: frozenset[str]) -> tuple[Candidate, ...]:
    """Return what is beside, or right below, a text that is one of the labels."""
    return tuple(one for place in Places(elements, labels).adjacent(labels) for one in place)


def told_open(texts: Sequence[str]) -> str:
    """Return the texts between which a page leaves a field open, for a sentence: all, or the first and how many more.
    An empty one is a place of the value that shows none."""
    named = [quoted(text) if text else "no value" for text in dict.fromkeys(texts)]
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    return f"{', '.join(named[:MOST_NAMED])}{more}"


# --- what goes into the result


def field_value(name: str, field: OutputField, reading: Reading, page: PageObserved) -> FieldValue:
    """Return the reading as a value. An empty text means "not present" only if the task allows none. A field that the
    page leaves open is not found, with the texts between which a person decides."""
    if isinstance(reading, FieldAmbiguous):
        return FieldValue(field=name, state="not_found", candidates=value_candidates(reading, field, page))
    if not isinstance(reading, FieldFound):
        return FieldValue(field=name, state="not_found")
    candidate = reading.candidate
    empty = candidate.shown == ""
    if is_not_present(candidate.shown, field) or (empty and nullable(field.type)):
        return _value(name, "not_present", candidate, page, field)
    if empty:
        return FieldValue(field=name, state="not_found")
    return _value(name, "value", candidate, page, field)


def field_values(spec: TaskSpec, readings: Mapping[str, Reading], page: PageObserved) -> tuple[FieldValue, ...]:
    """Return the readings as values."""
    return tuple(field_value(name, spec.output_schema[name], reading, page) for name, reading in readings.items())


def value_candidates(reading: FieldAmbiguous, field: OutputField, page: PageObserved) -> tuple[ValueCandidate, ...]:
    """Return the texts between which a person decides, each at its first place on the page."""
    first = {candidate.shown: candidate for candidate in reversed(reading.candidates)}
    chosen = [first[text] for text in reading.texts if text in first][:MOST_CANDIDATES]
    return tuple(ValueCandidate(shown=one.shown, source=_value("", "value", one, page, field).source) for one in chosen)


def value_source(
    element: Element, page: PageObserved, shown: str | None = None, field: OutputField | None = None
) -> ValueSource:
    """Return where a value is on the page.

    With `shown` and `field`, it also records what the page says about reading the value, because the page may be gone
    later.
    """
    title = title_of(element, shown)
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
        awaited=next(iter((*page.awaited, *page.failed)), ""),
    )


def _value(name: str, state: str, candidate: Candidate, page: PageObserved, field: OutputField) -> FieldValue:
    """Return the value as shown; the gates normalise it."""
    source = replace_part(value_source(candidate.element, page, candidate.shown, field), box=candidate.box)
    if state == "not_present":
        return FieldValue(
            field=name, state="not_present", shown=candidate.shown, source=source, read_by=BY_RULE,
            cut_chars=candidate.cut_chars,
        )  # fmt: skip
    return FieldValue(
        field=name, state="value", value=candidate.shown, shown=candidate.shown, source=source, read_by=BY_RULE,
        cut_chars=candidate.cut_chars,
    )  # fmt: skip

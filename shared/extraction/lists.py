"""Lists learned from written rows: what separates the records of a page, and each column as rules within a record.

A record is read like a page of its own (:mod:`shared.extraction.agreement`). All ways to separate the records that hold
for the written rows of all example pages are kept; a page is read where they give the same rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from shared.contracts.base import Part
from shared.contracts.browser_pool import Element
from shared.extraction.agreement import read_field
from shared.extraction.certainty import FieldReading, Structure
from shared.extraction.field_rules import FieldRules
from shared.extraction.pages import ObservedPage
from shared.extraction.synthesis import MIN_EXAMPLES, Example, common_texts, learn_field
from shared.extraction.values import FieldType, find_spans
from shared.text.normal import fold, tidy

MAX_SEPARATORS = 8


class ByTableRow(Part, frozen=True, kw_only=True, tag="row"):
    """Each row of the tables whose cells have this tag path is a record."""

    path: str


class ByFirstElement(Part, frozen=True, kw_only=True, tag="first"):
    """A record begins at each element with this tag path, and ends before the next one."""

    path: str


Separator = ByTableRow | ByFirstElement


class Heading(Part, frozen=True, kw_only=True):
    """The heading that the list stands under: its text, folded, and its level."""

    text: str
    level: int


class ListRules(Part, frozen=True, kw_only=True):
    """What was learned of a list: for each way to separate its records, the rules of each column.

    ``constants``: texts that stand in every written record, folded; none of them is a value. ``under``: the page has
    other lists of the same markup, and this one stands under this heading; None: all of the page is looked at."""

    ways: tuple[tuple[Separator, dict[str, FieldRules]], ...]
    constants: tuple[str, ...] = ()
    under: Heading | None = None


class ListReading(Part, frozen=True, kw_only=True):
    """``rows``: each column's reading, by the first way that is sure of it. ``agree``: whether every way gave as many
    rows, and none another value; else the rows are those of the first way."""

    rows: tuple[dict[str, FieldReading], ...]
    agree: bool


Written = Sequence[Mapping[str, str | None]]


@dataclass(frozen=True)
class WrittenList:
    """Rows of one page, as a person or a result has them. None or an empty text: the record shows no value."""

    page: ObservedPage
    rows: Written


@dataclass(frozen=True)
class ListColumn:
    """``labels``: what the column is called."""

    labels: tuple[str, ...]
    form: FieldType = field(default_factory=FieldType)


def learn_list(
    examples: Sequence[WrittenList], columns: Mapping[str, ListColumn] | None = None, *, whole: bool = False
) -> ListRules:
    """Return every way to read the list that gives the written rows, each from one record of its own.

    ``columns``: a column without an entry is text, under its own name. ``whole``: the written rows are all that their
    pages have; a way that finds more is none, and a page with like lists is read under the heading of this one.

    Raises ValueError with fewer than two rows, or rows with different columns.
    """
    rows = [row for one in examples for row in one.rows]
    if len(rows) < MIN_EXAMPLES:
        raise ValueError(f"{len(rows)} row; {MIN_EXAMPLES} or more are needed")
    if any(row.keys() != rows[0].keys() for row in rows):
        raise ValueError("the written rows have different columns")
    known = columns or {}
    asked = {name: known.get(name, ListColumn((name.replace("_", " "),))) for name in rows[0]}
    found = _learn_within(examples, asked, whole=whole)
    heading = None if found.ways or not whole else _heading_of(examples, asked)
    if heading is None:
        return found
    parts = [WrittenList(_under(one.page, heading), one.rows) for one in examples]
    return replace(_learn_within(parts, asked, whole=whole), under=heading)


def _learn_within(examples: Sequence[WrittenList], columns: Mapping[str, ListColumn], *, whole: bool) -> ListRules:
    values = {fold(value) for one in examples for row in one.rows for value in row.values() if value}
    ways: list[tuple[Separator, dict[str, FieldRules]]] = []
    constants: set[str] = set()
    for separator in _separators(examples, columns):
        homes = _homes_of_all(examples, separator, columns, whole=whole)
        learned = _learn_columns(homes, examples, columns, values) if homes else None
        if learned is not None:
            ways.append((separator, learned))
            constants |= common_texts(homes, values)
    least = [min(_least_read(*way, constants, one.page) for one in examples if one.rows) for way in ways]
    best = max(least, default=0)
    kept = [way for way, count in zip(ways, least, strict=True) if count == best]
    return ListRules(ways=tuple(kept[:MAX_SEPARATORS]), constants=tuple(sorted(constants)))


def _least_read(
    separator: Separator, columns: Mapping[str, FieldRules], constants: Collection[str], page: ObservedPage
) -> int:
    """Return in how many columns the record with the fewest is read. One that separates more than rows has fewer."""
    rows = _read_way(separator, columns, constants, page)
    return min((sum(one.value is not None or one.absent for one in row.values()) for row in rows), default=0)


def read_list(rules: ListRules, page: ObservedPage) -> ListReading:
    """Return the rows of a page. A record in which no column is found is a row too, for a person: none is dropped."""
    part = page if rules.under is None else _under(page, rules.under)
    found = [_read_way(separator, columns, rules.constants, part) for separator, columns in rules.ways]
    if not found:
        return ListReading(rows=(), agree=False)
    if any(len(rows) != len(found[0]) for rows in found):
        return ListReading(rows=tuple(found[0]), agree=False)
    merged = [_merged(rows) for rows in zip(*found, strict=True)]
    if any(row is None for row in merged):
        return ListReading(rows=tuple(found[0]), agree=False)
    return ListReading(rows=tuple(row for row in merged if row is not None), agree=True)


def _merged(readings: Sequence[Mapping[str, FieldReading]]) -> dict[str, FieldReading] | None:
    """Return one row as all ways read it; None where they are sure of different values."""
    row: dict[str, FieldReading] = {}
    for name, first in readings[0].items():
        sure = [one[name] for one in readings if one[name].certainty in ("certain", "healed")]
        if len({fold(one.value or "") for one in sure}) > 1:
            return None
        row[name] = sure[0] if sure else first
    return row


def records_of(page: ObservedPage, separator: Separator) -> list[ObservedPage]:
    """Return the records of a page in order, each as a page of its own."""
    groups: dict[int, list[Element]] = {}
    if isinstance(separator, ByTableRow):
        rows = {one.row for one in page.elements if one.place == separator.path}
        for one in page.elements:
            if one.row is not None and one.row in rows:
                groups.setdefault(one.row, []).append(one)
    else:
        number = 0
        for one in page.elements:
            number += one.place == separator.path
            if number:
                groups.setdefault(number, []).append(one)
    return [ObservedPage(elements) for elements in groups.values()]


# --- where the list stands


def _heading_of(examples: Sequence[WrittenList], columns: Mapping[str, ListColumn]) -> Heading | None:
    """Return the heading with one text under which every example has all of its rows; None: there is no such one. Of
    several the lowest: what stands above it stands above other lists as well."""
    found: set[Heading] | None = None
    for one in (one for one in examples if one.rows):
        heads = {
            Heading(text=fold(element.name), level=element.level or 1)
            for element in one.page.elements
            if element.role == "heading" and element.name
        }
        wanted = [(columns[name].form, value) for row in one.rows for name, value in row.items() if value]
        own = {head for head in heads if all(_shows(_under(one.page, head), *each) for each in wanted)}
        found = own if found is None else found & own
    return max(found or (), key=lambda one: (one.level, one.text), default=None)


def _under(page: ObservedPage, heading: Heading) -> ObservedPage:
    """Return the part of the page under the heading; an empty one unless the page has it exactly once."""
    elements = page.elements
    starts = [
        at
        for at, one in enumerate(elements)
        if one.role == "heading" and (one.level or 1) == heading.level and fold(one.name) == heading.text
    ]
    if len(starts) != 1:
        return ObservedPage([])
    behind = elements[starts[0] + 1 :]
    ends = [at for at, one in enumerate(behind) if one.role == "heading" and (one.level or 1) <= heading.level]
    return ObservedPage(behind[: min(ends, default=len(behind))])


# --- learning


def _separators(examples: Sequence[WrittenList], columns: Mapping[str, ListColumn]) -> list[Separator]:
    """Return what may separate the records: rows of tables, and the paths that come as often as rows were written."""
    cells: set[str] | None = None
    repeated: dict[str, None] | None = None
    for example in (one for one in examples if one.rows):
        values = [(columns[name].form, value) for row in example.rows for name, value in row.items() if value]
        in_rows = [one for one in example.page.elements if one.row is not None and one.place]
        own = {e.place for e in in_rows if any(find_spans(form, tidy(e.name), value) for form, value in values)}
        counts: dict[str, int] = {}
        for one in example.page.elements:
            if one.place:
                counts[one.place] = counts.get(one.place, 0) + 1
        often = [path for path, count in counts.items() if count >= len(example.rows)]
        cells = own if cells is None else cells & own
        repeated = dict.fromkeys(often) if repeated is None else {path: None for path in repeated if path in set(often)}
    rows = [ByTableRow(path=path) for path in sorted(cells or ())]
    return [*rows, *(ByFirstElement(path=path) for path in repeated or ())]


def _homes_of_all(
    examples: Sequence[WrittenList], separator: Separator, columns: Mapping[str, ListColumn], *, whole: bool
) -> list[ObservedPage]:
    """Return the record of each written row of all pages; none unless each has one of its own."""
    found: list[ObservedPage] = []
    for one in examples:
        records = records_of(one.page, separator)
        if whole:  # equal records are one row
            records = list({_texts_of(record): record for record in reversed(records)}.values())[::-1]
            if len(records) != len(one.rows):
                return []
        homes = _homes(records, one.rows, columns)
        if len(homes) < len(one.rows):
            return []
        found += homes
    return found


def _homes(records: Sequence[ObservedPage], written: Written, columns: Mapping[str, ListColumn]) -> list[ObservedPage]:
    """Return the record of each written row; none unless each has one of its own, or one of several equal ones."""
    homes: list[ObservedPage] = []
    asked = [[(columns[name].form, value) for name, value in row.items() if value] for row in written]
    in_order = list(zip(records, asked, strict=False)) if len(records) == len(written) else []
    if in_order and all(_shows(record, *each) for record, wanted in in_order for each in wanted):
        return list(records)
    for wanted in asked:
        fitting = [record for record in records if all(_shows(record, *each) for each in wanted)]
        free = [record for record in fitting if record not in homes]
        if not free or len({_texts_of(record) for record in fitting}) > 1:
            return []
        homes.append(free[0])
    return homes


def _learn_columns(
    homes: Sequence[ObservedPage],
    examples: Sequence[WrittenList],
    columns: Mapping[str, ListColumn],
    values: Collection[str],
) -> dict[str, FieldRules] | None:
    learned: dict[str, FieldRules] = {}
    rows = [row for one in examples for row in one.rows]
    for name, column in columns.items():
        shown = [Example(home, row[name]) for home, row in zip(homes, rows, strict=True)]
        if sum(bool(one.value) for one in shown) < MIN_EXAMPLES:
            return None
        learned[name] = learn_field(shown, column.labels, column.form, others=values)
        if not learned[name].rules and not learned[name].variants:
            return None
    return learned


def _texts_of(record: ObservedPage) -> tuple[str, ...]:
    return tuple(fold(one.name) for one in record.elements)


def _shows(record: ObservedPage, form: FieldType, value: str) -> bool:
    texts = (text for one in record.elements for text in (one.name, one.value, one.url, one.title) if text)
    return any(find_spans(form, tidy(text), value) for text in texts)


def _read_way(
    separator: Separator, columns: Mapping[str, FieldRules], constants: Collection[str], page: ObservedPage
) -> list[dict[str, FieldReading]]:
    structure: Structure = "row" if isinstance(separator, ByTableRow) else "record"
    return [
        {name: read_field(field, record, constants, structure) for name, field in columns.items()}
        for record in records_of(page, separator)
    ]

"""Lists learned from written rows: what separates the records of a page, and each column as rules within a record.

A record is read like a page of its own (:mod:`shared.extraction.agreement`). All ways to separate the records that hold
for the written rows are kept; a page is read where they give the same rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from shared.contracts.base import Part
from shared.contracts.browser_pool import Element
from shared.extraction.agreement import FieldReading, Structure, read_field
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


class ListRules(Part, frozen=True, kw_only=True):
    """What was learned of a list: for each way to separate its records, the rules of each column.

    ``constants``: texts that stand in every written record, folded; none of them is a value."""

    ways: tuple[tuple[Separator, dict[str, FieldRules]], ...]
    constants: tuple[str, ...] = ()


class ListReading(Part, frozen=True, kw_only=True):
    """``rows``: each column's reading, by the first way that is sure of it. ``agree``: whether every way gave as many
    rows, and none another value; else the rows are those of the first way."""

    rows: tuple[dict[str, FieldReading], ...]
    agree: bool


def learn_list(
    page: ObservedPage, written: Sequence[Mapping[str, str | None]], forms: Mapping[str, FieldType] | None = None
) -> ListRules:
    """Return every way to read the list that gives the written rows, each from one record of its own.

    ``forms``: of the columns; a column without one is text. None or an empty text: the record shows no value.

    Raises ValueError with fewer than two rows, or rows with different columns.
    """
    if len(written) < MIN_EXAMPLES:
        raise ValueError(f"{len(written)} row; {MIN_EXAMPLES} or more are needed")
    if any(row.keys() != written[0].keys() for row in written):
        raise ValueError("the written rows have different columns")
    forms = {name: (forms or {}).get(name, FieldType()) for name in written[0]}
    values = {fold(value) for row in written for value in row.values() if value}
    ways: list[tuple[Separator, dict[str, FieldRules]]] = []
    constants: set[str] = set()
    for separator in _separators(page, written, forms):
        homes = _homes(records_of(page, separator), written, forms)
        columns = _learn_columns(homes, written, forms, values) if homes else None
        if columns is not None:
            ways.append((separator, columns))
            constants |= common_texts(homes, values)
    least = [_least_read(*way, constants, page) for way in ways]
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
    found = [_read_way(separator, columns, rules.constants, page) for separator, columns in rules.ways]
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


Written = Sequence[Mapping[str, str | None]]


def _separators(page: ObservedPage, written: Written, forms: Mapping[str, FieldType]) -> list[Separator]:
    """Return what may separate the records: rows of tables, and the paths that come as often as rows were written."""
    values = [(forms[name], value) for row in written for name, value in row.items() if value]
    cells = {
        one.place
        for one in page.elements
        if one.row is not None and one.place and any(find_spans(form, tidy(one.name), value) for form, value in values)
    }
    counts: dict[str, int] = {}
    for one in page.elements:
        if one.place:
            counts[one.place] = counts.get(one.place, 0) + 1
    repeated = [path for path, count in counts.items() if count >= len(written)]
    return [*(ByTableRow(path=path) for path in sorted(cells)), *(ByFirstElement(path=path) for path in repeated)]


def _homes(records: Sequence[ObservedPage], written: Written, forms: Mapping[str, FieldType]) -> list[ObservedPage]:
    """Return the record of each written row; none unless each has one of its own, or one of several equal ones."""
    homes: list[ObservedPage] = []
    for row in written:
        wanted = [(forms[name], value) for name, value in row.items() if value]
        fitting = [record for record in records if all(_shows(record, form, value) for form, value in wanted)]
        free = [record for record in fitting if record not in homes]
        if not free or len({_texts_of(record) for record in fitting}) > 1:
            return []
        homes.append(free[0])
    return homes


def _learn_columns(
    homes: Sequence[ObservedPage], written: Written, forms: Mapping[str, FieldType], values: Collection[str]
) -> dict[str, FieldRules] | None:
    columns: dict[str, FieldRules] = {}
    for name in written[0]:
        examples = [Example(home, row[name]) for home, row in zip(homes, written, strict=True)]
        if sum(bool(one.value) for one in examples) < MIN_EXAMPLES:
            return None
        columns[name] = learn_field(examples, [name.replace("_", " ")], forms[name], others=values)
        if not columns[name].rules and not columns[name].variants:
            return None
    return columns


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

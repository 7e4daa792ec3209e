"""Rows of enriched.csv: the input, row for row and column for column, followed by the results.

A cell of the input stays as it was given, even if a spreadsheet would run it: the file is the user's own, has been in a
spreadsheet before, and is often joined by its cells. Appended cells come from pages, and cannot be formulas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from shared.evidence_format.files.sample import SampleFile
from shared.evidence_format.table.columns import TableColumn
from shared.evidence_format.table.rows import TableRow, cell_texts
from shared.tables.csv_cells import without_formula

APPENDED_AFTER_FIELDS = ("judgment", "judgment_reasoning", "status", "reason", "not_present", "not_found", "sample_id")
"""Columns that are appended after the fields, if the table has them."""
SUFFIX_IF_TAKEN = "_found"


def appended_columns(columns: Sequence[TableColumn]) -> tuple[TableColumn, ...]:
    """Return the appended columns of the table: the fields of the task, then those of the outcome."""
    own = {column.common_name: column for column in columns if not column.field}
    return (
        *(column for column in columns if column.field),
        *(own[name] for name in APPENDED_AFTER_FIELDS if name in own),
    )


def unique_names(header: Iterable[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return a name for each new column that no column of the input has, ignoring case and outer spaces.

    >>> unique_names(["Name", "team"], ["name", "school"])
    ('name_found', 'school')
    """
    taken = {_folded(name) for name in header}
    given: list[str] = []
    for name in names:
        free = next(candidate for candidate in _candidates(name) if _folded(candidate) not in taken)
        taken.add(_folded(free))
        given.append(free)
    return tuple(given)


def _candidates(name: str) -> Iterator[str]:
    yield name
    yield f"{name}{SUFFIX_IF_TAKEN}"
    number = 2
    while True:
        yield f"{name}{SUFFIX_IF_TAKEN}_{number}"
        number += 1


def _folded(name: str) -> str:
    return name.strip().casefold()


def original_cells(header: Sequence[str], sample: SampleFile | None) -> Iterator[str]:
    """Yield the cells of the sample's input row; empty if sample.json is lost."""
    cells = {**sample.fields, **(sample.as_given or {})} if sample is not None else {}
    return (cells.get(name.strip(), "") for name in header)


def appended_cells(row: TableRow, columns: tuple[TableColumn, ...], new: Sequence[TableColumn]) -> Iterator[str]:
    texts = {column.name: text for column, text in zip(columns, cell_texts(row, columns), strict=True)}
    return (without_formula(texts[column.name]) for column in new)

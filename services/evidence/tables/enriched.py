"""Rows of enriched.csv: the input, row for row and column for column, followed by the results.

A cell of the input stays as it was given, even if a spreadsheet would run it: the file is the user's own, has been in a
spreadsheet before, and is often joined by its cells. Appended cells come from pages or from people, and cannot be
formulas. Of a review that is signed off, a field has the value that people have decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from shared.evidence_format.files.sample import SampleFile
from shared.evidence_format.review.reviewed import SampleReview
from shared.evidence_format.table.columns import TableColumn
from shared.evidence_format.table.rows import TableRow, cell_texts
from shared.tables.csv_cells import without_formula

READ_VALUE = TableColumn(
    "read_value",
    "text",
    "what was read where people have decided otherwise, by field, as JSON",
)
"""In the table only if the review of the run is signed off."""
APPENDED_AFTER_FIELDS = (
    "judgment", "judgment_reasoning", "status", "reason", "decision", READ_VALUE.name, "reviewed_by", "signed_off_at",
    "not_present", "not_found", "sample_id",
)  # fmt: skip
"""Columns that are appended after the fields, if the table has them."""
SUFFIX_IF_TAKEN = "_found"


def appended_columns(columns: Sequence[TableColumn]) -> tuple[TableColumn, ...]:
    """Return the appended columns of the table: the fields of the task, then those of the outcome."""
    own = {column.common_name: column for column in columns if not column.field}
    if "decision" in own:
        own[READ_VALUE.name] = READ_VALUE
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


def appended_cells(
    row: TableRow, columns: tuple[TableColumn, ...], new: Sequence[TableColumn], review: SampleReview | None = None
) -> Iterator[str]:
    """Return the appended cells of a sample: the value that counts, by its ``review`` if it has one."""
    told = list(zip(columns, cell_texts(row, columns), strict=True))
    decided = dict(_decided_texts(told, review)) if review is not None else {}
    texts = {column.name: decided.get(column.name, (text, ""))[0] for column, text in told}
    read = {name: text for name, (_, text) in decided.items()}
    own = msgspec.json.encode(read, order="sorted").decode() if read else ""
    return (without_formula(own if column is READ_VALUE else texts[column.name]) for column in new)


def _decided_texts(
    told: Iterable[tuple[TableColumn, str]], review: SampleReview
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the columns of which people have decided otherwise: the text that counts, and what was read."""
    for column, text in told:
        if column.field:
            counts = review.decided_text(review.values.get(column.name))
        else:
            counts = review.decided_text(review.judgment) if column.common_name == "judgment" else None
        if counts is not None and counts != text:
            yield column.name, (counts, text)

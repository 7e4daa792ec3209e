"""Pure: the input again, row for row and column for column, with what was found behind it.

A cell of the input stands as it was given, also where a spreadsheet would run it: the file is the user's own, has been
in a spreadsheet before, and is often joined by its cells again. What is appended comes from pages, and is guarded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from services.evidence.tables.csv_cells import guarded
from shared.evidence_format.files.sample import SampleFile
from shared.evidence_format.table.columns import TableColumn
from shared.evidence_format.table.rows import TableRow, cell_texts

OWN = ("judgment", "judgment_reasoning", "status", "reason", "sample_id")
"""What is appended behind the fields, where the table has it."""
TAKEN = "_found"


def appended(columns: Sequence[TableColumn]) -> tuple[TableColumn, ...]:
    """The columns of the table that are appended: what the task asks for, then how it went."""
    own = {column.name: column for column in columns if not column.field}
    return (*(column for column in columns if column.field), *(own[name] for name in OWN if name in own))


def names_beside(header: Iterable[str], names: Sequence[str]) -> tuple[str, ...]:
    """A name for each new column that no column of the input has, but for capitals and spaces.

    >>> names_beside(["Name", "team"], ["name", "school"])
    ('name_found', 'school')
    """
    taken = {_form(name) for name in header}
    given: list[str] = []
    for name in names:
        free = next(one for one in _tries(name) if _form(one) not in taken)
        taken.add(_form(free))
        given.append(free)
    return tuple(given)


def _tries(name: str) -> Iterator[str]:
    yield name
    yield f"{name}{TAKEN}"
    number = 2
    while True:
        yield f"{name}{TAKEN}_{number}"
        number += 1


def _form(name: str) -> str:
    return name.strip().casefold()


def original_cells(header: Sequence[str], sample: SampleFile | None) -> Iterator[str]:
    """The row of the input that became this sample; empty where that is not known any more."""
    cells = {**sample.fields, **(sample.as_given or {})} if sample is not None else {}
    return (cells.get(name.strip(), "") for name in header)


def appended_cells(row: TableRow, columns: tuple[TableColumn, ...], new: Sequence[TableColumn]) -> Iterator[str]:
    texts = {column.name: text for column, text in zip(columns, cell_texts(row, columns), strict=True)}
    return (guarded(texts[column.name]) for column in new)

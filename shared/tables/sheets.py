"""Which sheets and rows of a workbook are read, and what becomes of the others.

Nothing is left out without a word: what a person has to decide is a problem that names the option, and what is left out
is in the `FileReading` of the table.
"""

from __future__ import annotations

import shlex
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from shared.contracts.discovery import FileReading, Problem, ReadAs, RowsLeftOut, RowsLeftOutReason, SheetReading
from shared.tables.cells import cell_text, column_letters
from shared.tables.table import CellFlaw, ColumnFlaw, Table, find_flaws, to_table
from shared.tables.workbook import SheetBook, SheetCells, SheetHead

MAX_SPANS = 200
MAX_NAMED_CELLS = 5
MAX_COVERED_CELLS = 100_000


@dataclass(frozen=True)
class _Chosen:
    """The sheets that are read, and the cells of all that were looked into."""

    heads: tuple[SheetHead, ...] = ()
    cells: dict[str, SheetCells] | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class _ReadSheet:
    table: Table
    reading: SheetReading
    notes: tuple[Problem, ...]


def read_workbook(
    book: SheetBook, name: str, how: ReadAs, *, options: str = "--", needs_rows: bool = True
) -> tuple[Table | None, tuple[Problem, ...]]:
    """Return the rows of the sheets that are to be read, one after the other, and all problems.

    ``options``: how the options begin that say how this file is read.
    """
    if how.hidden_rows and book.untold:
        message = f"which rows of an {book.form} file are hidden cannot be told; leave {options}hidden-rows out"
        return None, (Problem(where=name, message=message),)
    chosen = _named_sheets(book, name, how, options) if how.sheets else _only_sheet(book, name, options)
    problems, found = list(chosen.problems), list[_ReadSheet]()
    for head in chosen.heads:
        cells = (chosen.cells or {}).get(head.name) or book.read(head.name)
        numbered_from = max((row.number for one in found for row in one.table.rows[-1:]), default=0)
        read, more = _read_sheet(head, cells, name, how, options, needs_rows=needs_rows)
        problems += more
        if read is not None:
            found.append(replace(read, table=_numbered_from(read.table, numbered_from)))
    problems += _find_other_headers(found, name)
    if not found:
        return None, tuple(problems)
    by_name = {one.reading.name: one.reading for one in found}
    reading = FileReading(
        name=name,
        form=book.form,
        read_as=how,
        sheets=tuple(by_name.get(head.name) or _left_out(head, how) for head in book.sheets),
        notes=tuple(note for one in found for note in one.notes),
        untold=book.untold,
    )
    rows = tuple(row for one in found for row in one.table.rows)
    flaws = tuple(flaw for one in found for flaw in one.table.flaws)
    return replace(found[0].table, rows=rows, flaws=flaws, reading=reading), tuple(problems)


def _named_sheets(book: SheetBook, name: str, how: ReadAs, options: str) -> _Chosen:
    by_name = {head.name: head for head in book.sheets}
    named = tuple(by_name[one] for one in dict.fromkeys(how.sheets) if one in by_name)
    problems = [
        Problem(where=f"{options}sheet {one}", message=f"{name} has no such sheet; its sheets are {_listed(by_name)}")
        for one in how.sheets
        if one not in by_name
    ]
    problems += [
        Problem(where=f"{options}sheet {head.name}", message="it holds no cells")
        for head in named
        if not head.has_cells
    ]
    return _Chosen(() if problems else named, None, tuple(problems))


def _only_sheet(book: SheetBook, name: str, options: str) -> _Chosen:
    """Return the only visible sheet with rows. Of several, a person has to say which."""
    visible = [head for head in book.sheets if head.has_cells and not head.hidden]
    cells = {head.name: book.read(head.name) for head in visible}
    filled = {one: number for one, sheet in cells.items() if (number := _count_filled(sheet))}
    if len(filled) == 1:
        return _Chosen(tuple(head for head in visible if head.name in filled), cells)
    if filled:
        listed = ", ".join(f"{one!r} ({_rows(number)})" for one, number in filled.items())
        message = (
            f"{len(filled)} of its sheets have rows: {listed}; say which are read: {_option(options, [*filled][:1])} "
            f"for one, {_option(options, filled)} for all"
        )
        return _Chosen(problems=(Problem(where=name, message=message),))
    hidden = [head.name for head in book.sheets if head.hidden and head.has_cells]
    message = "the file is empty"
    if hidden:
        message = f"no sheet that can be seen has rows; to read one that is hidden, say {_option(options, hidden)}"
    return _Chosen(problems=(Problem(where=name, message=message),))


def _option(options: str, names: Iterable[str]) -> str:
    return " ".join(f"{options}sheet {shlex.quote(name)}" for name in names)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _rows(number: int) -> str:
    return f"{number} row{'' if number == 1 else 's'}"


def _count_filled(sheet: SheetCells) -> int:
    return sum(_is_filled(cells) for cells in sheet.grid)


def _is_filled(cells: Sequence[object]) -> bool:
    return any(cell is not None and (not isinstance(cell, str) or cell.strip()) for cell in cells)


def _left_out(head: SheetHead, how: ReadAs) -> SheetReading:
    if not head.has_cells:
        return SheetReading(name=head.name, hidden=head.hidden, left_out="no_cells")
    if head.hidden:
        return SheetReading(name=head.name, hidden=True, left_out="hidden")
    return SheetReading(name=head.name, left_out="not_named" if how.sheets else "empty")


def _read_sheet(
    head: SheetHead, cells: SheetCells, name: str, how: ReadAs, options: str, *, needs_rows: bool
) -> tuple[_ReadSheet | None, list[Problem]]:
    hidden = [row for row in sorted(cells.hidden_rows) if row <= len(cells.grid) and _is_filled(cells.grid[row - 1])]
    problems: list[Problem] = []
    if hidden and not how.hidden_rows:
        by = "by a filter or by hand" if cells.filtered else "by hand or in a closed group"
        message = (
            f"{_rows(len(hidden))} with cells {'is' if len(hidden) == 1 else 'are'} hidden {by} "
            f"({_span_text(_spans(hidden))}): say {options}hidden-rows take, or {options}hidden-rows leave"
        )
        problems.append(Problem(where=f"{name}, sheet {head.name}", message=message))
    left = frozenset(hidden) if how.hidden_rows == "leave" else frozenset[int]()
    grid = [() if number in left else row for number, row in enumerate(cells.grid, start=1)]
    table, more = to_table(grid, f"{name}, sheet {head.name}", needs_rows=needs_rows, sheet=head.name)
    problems += more
    if table is None:
        return None, problems
    flaws = [*find_flaws(grid, table), *_covered_cells(cells, grid, table)]
    blank = [number for at in table.blank if (number := table.header_at + 1 + at) not in left]
    reading = SheetReading(
        name=head.name,
        hidden=head.hidden,
        rows=len(table.rows),
        hidden_rows=sum(row.sheet_row in cells.hidden_rows for row in table.rows),
        rows_left_out=tuple(_rows_left_out(blank, "blank") + _rows_left_out(sorted(left), "hidden")),
    )
    table = replace(table, flaws=tuple(_told_once(flaws, table, head.name)))
    return _ReadSheet(table, reading, tuple(_hidden_columns(cells, table, head.name))), problems


def _rows_left_out(numbers: Sequence[int], reason: RowsLeftOutReason) -> list[RowsLeftOut]:
    return [rows_left_out(numbers, reason)] if numbers else []


def rows_left_out(numbers: Sequence[int], reason: RowsLeftOutReason) -> RowsLeftOut:
    """Return what is said of rows that are left out. ``numbers`` ascend."""
    return RowsLeftOut(reason=reason, rows=len(numbers), spans=tuple(_spans(numbers)[:MAX_SPANS]))


def _spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return spans


def _span_text(spans: Sequence[tuple[int, int]]) -> str:
    named = [str(first) if first == last else f"{first}-{last}" for first, last in spans[:MAX_NAMED_CELLS]]
    more = " and more" if len(spans) > MAX_NAMED_CELLS else ""
    one = len(spans) == 1 and spans[0][0] == spans[0][1]
    return f"row{'' if one else 's'} {', '.join(named)}{more}"


def _numbered_from(table: Table, before: int) -> Table:
    """Return the table with numbers of rows that go on after those of the sheet before."""
    rows = tuple(replace(row, number=before + row.number) for row in table.rows)
    flaws = tuple(replace(flaw, rows=frozenset(before + row for row in flaw.rows)) for flaw in table.flaws)
    return replace(table, rows=rows, flaws=flaws)


def _find_other_headers(found: Sequence[_ReadSheet], name: str) -> Iterator[Problem]:
    for one in found[1:]:
        first, own = found[0].table.header, one.table.header
        if [text.strip() for text in own] != [text.strip() for text in first]:
            message = (
                f"its columns are {_listed(own)}, those of {found[0].reading.name!r} {_listed(first)}; sheets that are "
                "read together have the same"
            )
            yield Problem(where=f"{name}, sheet {one.reading.name}", message=message)


def _hidden_columns(cells: SheetCells, table: Table, sheet: str) -> Iterator[Problem]:
    for position, column in enumerate(table.header, start=1):
        if position in cells.hidden_columns and column.strip():
            where = f"sheet {sheet}, column {column_letters(position)} ({column.strip()})"
            yield Problem(where=where, message="it is hidden, and was read")


def _covered_cells(cells: SheetCells, grid: Sequence[Sequence[object]], table: Table) -> Iterator[CellFlaw]:
    """Yield the cells of rows that lie under a merged cell: what it shows may be meant for each row, or for none."""
    numbers, told = [row.number for row in table.rows], 0
    for top, left, bottom, right in cells.merged:
        shown = cell_text(grid[top - 1][left - 1]) if top <= len(grid) and left <= len(grid[top - 1]) else ""
        area = f"{column_letters(left)}{top}:{column_letters(right)}{bottom}"
        message = f"it lies under the merged cell {area}, which shows {shown!r}; unmerge it, and fill in each row"
        first, last = top - table.header_at - 1, bottom - table.header_at - 1
        rows = numbers[bisect_left(numbers, first) : bisect_right(numbers, last)]
        for position in range(left, min(right, len(table.header)) + 1):
            for row in rows:
                if (row, position) != (first, left) and told < MAX_COVERED_CELLS:
                    told += 1
                    yield CellFlaw(row, position, table.header[position - 1].strip(), message)


def _told_once(flaws: Iterable[CellFlaw], table: Table, sheet: str) -> Iterator[ColumnFlaw]:
    """Yield each flaw once, with the cells of a column that have it."""
    cells: dict[tuple[str, int, str], list[int]] = {}
    for flaw in flaws:
        cells.setdefault((flaw.column, flaw.position, flaw.message), []).append(flaw.row)
    for (column, position, message), numbers in cells.items():
        letters, rows = column_letters(position), [table.header_at + 1 + number for number in numbers]
        named = ", ".join(f"{letters}{row}" for row in rows[:MAX_NAMED_CELLS])
        more = f" and {len(rows) - MAX_NAMED_CELLS} more" if len(rows) > MAX_NAMED_CELLS else ""
        head = f" (column {column})" if column else ""
        where = f"sheet {sheet}, cell{'' if len(rows) == 1 else 's'} {named}{more}{head}"
        yield ColumnFlaw(column, frozenset(numbers), Problem(where=where, message=message))

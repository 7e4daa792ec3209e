"""The contents of the sheets of combined.xlsx: cells with styles and links, sheet names, widths and the sheet About."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any, NamedTuple

import msgspec

from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format import layout
from shared.evidence_format.population import population_headline
from shared.evidence_format.table.columns import TableColumn
from shared.evidence_format.table.rows import TableRow, fits, fraction_digits, text_of
from shared.statuses import STATUSES, population_order
from shared.tables.csv_cells import is_risky
from shared.tables.workbook_cells import EXACT_DIGITS, MOST_LINKS, MOST_ROWS, MOST_TEXT, cell_text, number_of, serial_of

SAMPLES, ABOUT = "Samples", "About"
MOST_SCREENSHOTS = 8
"""Maximum number of columns of links. Further screenshots are in the sample's folder only."""
HEAD = "column", "type", "what it is"
"""The header row in About, above the columns."""
_EXACT = 10**EXACT_DIGITS
_NO_NAME = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_MARGIN, _NARROWEST, _WIDEST = 2.0, 9.0, 48.0


class Cell(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True, gc=False):
    """A cell. ``style``: name of a format of the workbook. ``link``: path relative to the workbook, or empty."""

    value: str | bool | float
    style: str
    link: str = ""


class SheetRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The row of a sample, on the sheet of all samples and on that of its status. None is an empty cell.

    ``items``: by the name of a field of rows, its rows on the sheet of the field."""

    status: str
    cells: list[Cell | None]
    items: dict[str, list[list[Cell | None]]] = {}


class RowCells:
    """Makes the cells of each row of one table. ``cut`` counts the texts that were too long for a cell."""

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        self.cut = 0
        self.items = {name: ItemCells(sheet, self) for name, sheet in item_sheets(columns).items()}
        self._columns = [(column.name, self.maker_of(column)) for column in columns]

    def row(self, row: TableRow) -> SheetRow:
        """Return the cells of the columns, followed by the names of the screenshots."""
        wrong = row.wrong
        cells: list[Cell | None] = []
        for (name, cell), value in zip(self._columns, row.cells, strict=True):
            if value is not None:
                cells.append(cell(value))
            else:
                cells.append(Cell(self._text(wrong[name]), "wrong") if name in wrong else None)
        return SheetRow(row.status, cells + self._screenshots(row), self._items(row))

    def _items(self, row: TableRow) -> dict[str, list[list[Cell | None]]]:
        found = zip(self._columns, row.cells, strict=True)
        return {name: self.items[name].rows(row, value) for (name, _), value in found if value and name in self.items}

    def _screenshots(self, row: TableRow) -> list[Cell | None]:
        links = ((name, file_link(row.sample_id, name)) for name in row.screenshots[:MOST_SCREENSHOTS])
        return [Cell(self._text(name), "link", link) if link else None for name, link in links]

    def maker_of(self, column: TableColumn) -> Callable[[Any], Cell]:
        """Return what makes the cells of a column."""
        kind = column.kind
        if kind == "rows":
            sheet = self.items[column.name].sheet.name
            return lambda value: self._words(f"{len(value)} {'row' if len(value) == 1 else 'rows'}: sheet {sheet}")
        if column.common_name in ("sample_id", "status"):
            return self._sample_id if column.common_name == "sample_id" else self._status
        if kind in ("array", "notes"):
            return lambda value: self._words("\n".join(value))
        if kind in ("text", "names"):
            return lambda value: self._words(text_of(value, kind))
        return self._decimal if kind == "decimal" else self._day if kind in ("date", "date-time") else self._number

    def _sample_id(self, value: str) -> Cell:
        link = folder_link(value)
        return Cell(self._text(value), "link", link) if link else self._words(value)

    def _status(self, value: Any) -> Cell:
        text = text_of(value, "text")
        return Cell(self._text(text), f"status {text}")

    def _decimal(self, value: str) -> Cell:
        number = number_of(value)
        return self._words(value) if number is None else Cell(number, f"decimal {fraction_digits(value)}")

    def _day(self, value: str) -> Cell:
        found = serial_of(value)
        return self._words(value) if found is None else Cell(*found)

    def _number(self, value: float) -> Cell:
        return Cell(value, "plain") if abs(value) < _EXACT else self._words(text_of(value, "number"))

    def _words(self, text: str) -> Cell:
        """Return the cell of a text. In style "quoted" a text that looks like a formula stays a text when edited."""
        return Cell(self._text(text), "quoted" if is_risky(text) else "text")

    def _text(self, text: str) -> str:
        text, cut = cell_text(text)
        self.cut += cut
        return text


class ItemSheet(NamedTuple):
    """The sheet of a field of rows, with a row for each of its rows: ``columns`` are those of the field."""

    name: str
    field: str
    columns: tuple[TableColumn, ...]

    @property
    def names(self) -> list[str]:
        return ["sample_id", "item", *(column.name for column in self.columns)]


class ItemCells:
    """Makes the rows of the sheet of one field."""

    def __init__(self, sheet: ItemSheet, cells: RowCells) -> None:
        self.sheet = sheet
        self._made = [(column, cells.maker_of(column)) for column in sheet.columns]
        self._sample_id = cells.maker_of(_SAMPLE_ID)
        self._wrong = cells.maker_of(_TEXT)

    def rows(self, row: TableRow, value: list[dict[str, Any]]) -> list[list[Cell | None]]:
        """Return the rows of a sample: its name, the number of the item from 1, and the cells of the item."""
        return [
            [self._sample_id(row.sample_id), Cell(float(number), "plain"), *self._cells(item)]
            for number, item in enumerate(value, 1)
        ]

    def _cells(self, item: dict[str, Any]) -> list[Cell | None]:
        return [self._cell(item.get(column.name), column, make) for column, make in self._made]

    def _cell(self, value: Any, column: TableColumn, make: Callable[[Any], Cell]) -> Cell | None:
        if value is None:
            return None
        return make(value) if fits(value, column.kind) else self._wrong(text_of(value, "array"))


_SAMPLE_ID = TableColumn("sample_id", "text", "")
_TEXT = TableColumn("text", "text", "")


def item_sheets(columns: Sequence[TableColumn]) -> dict[str, ItemSheet]:
    """Return the sheet of each field of rows, by the name of the field."""
    taken = [ABOUT, SAMPLES, *STATUSES]
    sheets: dict[str, ItemSheet] = {}
    for column in columns:
        if column.kind == "rows":
            name = sheet_name(column.name, taken)
            taken.append(name)
            sheets[column.name] = ItemSheet(name, column.name, column.columns)
    return sheets


def about_rows(
    record: RunRecord,
    finished: RunFinished,
    columns: Iterable[TableColumn],
    statuses: Mapping[str, int],
    *,
    cut: int,
    unlinked: int,
    items_left_out: int = 0,
) -> list[tuple[str, str, str]]:
    """Return the rows of About: facts of the run, then each column with its type and meaning.

    ``statuses``: number of samples by status. ``cut``: number of texts that were too long for a cell. ``unlinked``:
    number of names without a link. ``items_left_out``: number of rows of fields that no sheet has room for.
    """
    facts = [
        ("run", "", record.run_id),
        ("task", "", str(record.spec.get("task_id", ""))),
        ("goal", "", str(record.spec.get("goal", ""))),
        ("finished", "", f"{finished.finished_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"),
        ("samples", str(finished.samples), f"{population_headline(finished)} {finished.population_note}".strip()),
        *((status, str(statuses[status]), "") for status in sorted(statuses, key=population_order)),
    ]
    if cut:
        note = f"longer than the {MOST_TEXT:,} characters of a cell: each says so at its end"
        facts.append(("cells cut", str(cut), note))
    if unlinked:
        facts.append(("names without a link", str(unlinked), f"Excel has {MOST_LINKS:,} links a sheet at most"))
    if items_left_out:
        note = f"a sheet has {MOST_ROWS:,} at most; all are in result.json"
        facts.append(("rows left out", str(items_left_out), note))
    every = [part for one in columns for part in (one, *_parts(one))]
    rows = [*facts, ("", "", ""), HEAD, *((one.name, one.kind if one.field else "", one.meaning) for one in every)]
    return [(cell_text(one)[0], cell_text(two)[0], cell_text(three)[0]) for one, two, three in rows]


def _parts(column: TableColumn) -> list[TableColumn]:
    """Return the columns of a field of rows, under the names `lines.amount`."""
    return [replace(part, name=f"{column.name}.{part.name}") for part in column.columns]


def sheet_name(text: str, taken: Collection[str]) -> str:
    """Return a sheet name that is not in ``taken``, of at most 31 characters that Excel allows."""
    plain = _NO_NAME.sub(" ", text).strip(" '")[:31].strip(" '") or "other"
    lowered = {name.lower() for name in (*taken, "history")}
    number, name = 2, plain
    while name.lower() in lowered:
        name, number = f"{plain[:27]} {number}", number + 1
    return name


def folder_link(sample_id: str) -> str | None:
    """Return the path from the run's folder to the sample's folder; None if the name is not safe."""
    return f"{sample_id}/" if layout.is_safe(sample_id) else None


def file_link(sample_id: str, filename: str) -> str | None:
    """Return the path from the run's folder to the file; None if a name is not safe."""
    safe = layout.is_safe(sample_id) and layout.is_filename(filename)
    return f"{sample_id}/{filename}" if safe else None


def width_of(column: TableColumn, longest: int) -> float:
    """Return the width of a column in characters. ``longest``: length of its longest line."""
    least = {"date": 12.0, "date-time": 20.0}.get(column.kind, _NARROWEST)
    heading = len(column.name) + _MARGIN + 2  # 2 for the button of the filter
    return min(_WIDEST, max(least, heading, longest + _MARGIN))

"""Fills a template: a workbook with placeholders, which is changed in place.

A row with placeholders of a list becomes a row for each item; what is below moves down. Cells with placeholders of a
field become cells for each field; what is beside them moves to the right. Formats, widths, merged cells and the filter
of a sheet go along. Formulas stay as the template has them, and are not moved. A fact is never a formula.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingModuleSource=false, reportUnknownParameterType=false
# openpyxl has no types.

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, cast
from urllib.parse import quote

from shared.papers.paper import Paper, PaperSample
from shared.papers.workpaper.placeholders import (
    FIELD,
    LISTS,
    PLACEHOLDER_MARK,
    RUN_FACTS,
    PaperCell,
    field_items,
    is_known,
    items_of,
    told_moment,
)
from shared.tables.csv_cells import is_risky
from shared.tables.workbook_cells import MOST_LINKS, MOST_ROWS, cell_text

NONE = "none"
"""Stands in the row of a list that has no items."""
REMARKS = ("run", "remarks")
"""The placeholder that is filled last: what the workpaper itself lacks."""
MOST_TEMPLATE_CELLS = 200_000
MOST_COLUMNS = 200
MOST_TIP = 255
"""Characters that a spreadsheet shows over a link."""
_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
"""What a spreadsheet would take for the code of a character."""


class TemplateRefused(Exception):
    """A template cannot be filled; the message names every cell with what is wrong with it."""


@dataclass
class FillCounts:
    """``cut``: texts that were too long for a cell; ``unlinked``: cells whose link no sheet has room for. ``late``: the
    cells that tell of it, which are filled last."""

    cut: int = 0
    unlinked: int = 0
    late: list[Any] = field(default_factory=list[Any])

    @property
    def remarks(self) -> list[str]:
        """What the workpaper lacks, a sentence each; empty if it lacks nothing."""
        remarks: list[str] = []
        if self.cut:
            remarks.append(f"Texts that are longer than a cell can be, each says so at its end: {self.cut:,}")
        if self.unlinked:
            remarks.append(f"Cells without a link, for a sheet has room for {MOST_LINKS:,}: {self.unlinked:,}")
        return remarks


class _Kept(NamedTuple):
    """A cell of the template. ``style``: as openpyxl has it, shared by the cells that are made of it."""

    value: Any
    style: Any


@dataclass
class _TemplateRow:
    """``items``: the name of the list that it is repeated for; empty: it is not. ``first``, ``last``: the columns that
    are repeated for each field; 0: none."""

    cells: dict[int, _Kept] = field(default_factory=dict[int, _Kept])
    items: str = ""
    first: int = 0
    last: int = 0


def fill_sheet(sheet: Any, paper: Paper, link_of: Callable[[str], str], counts: FillCounts) -> None:
    """Fill one sheet. ``link_of``: returns the target of a link for a path in the run's folder.

    Raises:
        TemplateRefused: a placeholder is unknown, or stands where it cannot be filled.
    """
    _SheetFiller(sheet, paper, link_of, counts).fill()


def check_sheet(sheet: Any) -> None:
    """Raise TemplateRefused where the placeholders of a sheet cannot be filled."""
    _read_rows(sheet)


class _SheetFiller:
    def __init__(self, sheet: Any, paper: Paper, link_of: Callable[[str], str], counts: FillCounts) -> None:
        self._sheet, self._paper, self._link_of, self._counts = sheet, paper, link_of, counts
        self._links = 0
        self._rows = _read_rows(sheet)
        self._fields = max(len(paper.fields), 1)

    def fill(self) -> None:
        sheet = self._sheet
        merged = [one.bounds for one in sheet.merged_cells.ranges]
        heights = {at: one.height for at, one in sheet.row_dimensions.items() if one.height is not None}
        for one in list(sheet.merged_cells.ranges):
            sheet.unmerge_cells(str(one))
        placed = self._place()
        self._spread_widths()
        sheet.delete_rows(1, max(sheet.max_row, 1))
        for at in heights:
            sheet.row_dimensions[at].height = None
        for at, row in sorted(self._rows.items()):
            self._write_row(row, placed[at])
        for at, height in heights.items():
            for new in placed.get(at, [at]):
                sheet.row_dimensions[new].height = height
        self._merge(merged, placed)
        self._move_filter(placed)

    # --- where rows and columns go

    def _place(self) -> dict[int, list[int]]:
        """Return the new numbers of each row of the template."""
        placed: dict[int, list[int]] = {}
        moved = 0
        for at in range(1, max(self._rows, default=0) + 1):
            row = self._rows.get(at)
            size = max(len(self._items(row.items)), 1) if row is not None and row.items else 1
            placed[at] = list(range(at + moved, at + moved + size))
            moved += size - 1
        last = max((new[-1] for new in placed.values()), default=0)
        if last > MOST_ROWS:
            raise TemplateRefused(f"{self._sheet.title}: {last:,} rows, and a sheet has {MOST_ROWS:,} at most")
        return placed

    def _items(self, name: str) -> Sequence[Any]:
        return items_of(self._paper, name)

    def _columns_of(self, row: _TemplateRow, column: int) -> list[int]:
        """Return the new columns of a column of a row."""
        if not row.first or column < row.first:
            return [column]
        width = row.last - row.first + 1
        if column > row.last:
            return [column + width * (self._fields - 1)]
        return [column + width * number for number in range(self._fields)]

    def _spread_widths(self) -> None:
        row = next((row for _, row in sorted(self._rows.items()) if row.first), None)
        if row is None:
            return
        sheet = self._sheet
        widths = _widths(sheet)
        for letter in list(sheet.column_dimensions):
            del sheet.column_dimensions[letter]
        from openpyxl.utils import get_column_letter

        for column, width in widths.items():
            for new in self._columns_of(row, column):
                sheet.column_dimensions[get_column_letter(new)].width = width

    def _merge(self, merged: Iterable[tuple[int, int, int, int]], placed: Mapping[int, list[int]]) -> None:
        for left, top, right, bottom in merged:
            row = self._rows.get(top, _TemplateRow())
            shift = self._columns_of(row, left)[0] - left
            for new in placed.get(top, [top]) if top == bottom else [placed.get(top, [top])[0]]:
                end = new if top == bottom else placed.get(bottom, [bottom])[-1]
                self._sheet.merge_cells(start_row=new, start_column=left + shift, end_row=end, end_column=right + shift)

    def _move_filter(self, placed: Mapping[int, list[int]]) -> None:
        found = self._sheet.auto_filter.ref
        if not found:
            return
        from openpyxl.utils import get_column_letter, range_boundaries

        left, top, right, bottom = cast("tuple[int, int, int, int]", range_boundaries(found))
        last = self._columns_of(self._rows.get(top, _TemplateRow()), right)[-1]
        first, end = placed.get(top, [top])[0], placed.get(bottom, [bottom])[-1]
        self._sheet.auto_filter.ref = f"{get_column_letter(left)}{first}:{get_column_letter(last)}{end}"

    # --- what is written

    def _write_row(self, row: _TemplateRow, places: Sequence[int]) -> None:
        items = self._items(row.items) if row.items else [None]
        if not items:
            self._write_none(row, places[0])
            return
        for place, item in zip(places, items, strict=True):
            facts = {row.items: item} if row.items else {}
            sample = item if isinstance(item, PaperSample) else None
            fields = field_items(self._paper, sample) if row.first else []
            for column, kept in row.cells.items():
                news = self._columns_of(row, column)
                if row.first and row.first <= column <= row.last:
                    for number, new in enumerate(news):
                        of_field = {FIELD: fields[number]} if number < len(fields) else {}
                        self._write(place, new, kept, {**facts, **of_field} if fields else None)
                else:
                    self._write(place, news[0], kept, facts)

    def _write_none(self, row: _TemplateRow, place: int) -> None:
        """Write the row of a list without items: its first placeholder says so, the others are empty."""
        told = False
        for column, kept in row.cells.items():
            is_open = isinstance(kept.value, str) and PLACEHOLDER_MARK.search(kept.value) is not None
            for new in self._columns_of(row, column):
                value = kept.value if not is_open else None if told else NONE
                self._put(place, new, PaperCell("" if value is None else value), kept.style)
                told = told or is_open

    def _write(self, row: int, column: int, kept: _Kept, facts: Mapping[str, Any] | None) -> None:
        """Write a cell. ``facts``: the items that its placeholders are of; None: there are none, so that it is
        empty."""
        value = kept.value
        if not isinstance(value, str) or PLACEHOLDER_MARK.search(value) is None:
            cell = self._sheet.cell(row, column)
            cell._style = kept.style
            if value is not None:
                cell.value = value
            return
        if facts is None:
            self._put(row, column, PaperCell(""), kept.style)
            return
        whole = PLACEHOLDER_MARK.fullmatch(value.strip())
        if whole is not None:
            if (whole[1], whole[2]) == REMARKS:
                self._counts.late.append(self._sheet.cell(row, column))
            self._put(row, column, self._fact(whole, facts), kept.style)
            return
        text = PLACEHOLDER_MARK.sub(lambda found: _as_text(self._fact(found, facts).value), value)
        self._put(row, column, PaperCell(text), kept.style)

    def _fact(self, found: re.Match[str], facts: Mapping[str, Any]) -> PaperCell:
        group, name = found[1], found[2]
        if f"{group}.{name}" in RUN_FACTS:
            made = RUN_FACTS[f"{group}.{name}"](self._paper)
        else:
            made = LISTS[group][name](facts[group])
        return made if isinstance(made, PaperCell) else PaperCell(made)

    def _put(self, row: int, column: int, content: PaperCell, style: Any) -> None:
        cell = self._sheet.cell(row, column)
        cell._style = style
        value = content.value
        if isinstance(value, str):
            text, cut = cell_text(value)
            self._counts.cut += cut
            if text:
                cell.value = _ESCAPE.sub("_x005F_", text)
                cell.data_type = "s"  # never a formula or an error, whatever the text looks like
                if is_risky(text):
                    cell._style = copy(style)
                    cell.quotePrefix = True
        else:
            cell.value = value
        if content.link:
            self._link(cell, content)

    def _link(self, cell: Any, content: PaperCell) -> None:
        from openpyxl.worksheet.hyperlink import Hyperlink

        if self._links >= MOST_LINKS:
            self._counts.unlinked += 1
            return
        self._links += 1
        path = content.link if content.beside else self._link_of(content.link)
        cell.hyperlink = Hyperlink(
            ref=cell.coordinate,
            target=quote(path, safe="/"),
            location=content.anchor or None,
            tooltip=cell_text(content.tip)[0][:MOST_TIP] or None,
        )


def _as_text(value: str | float | datetime) -> str:
    if isinstance(value, datetime):
        return told_moment(value)
    return value if isinstance(value, str) else f"{value:g}"


# --- reading a template


def _read_rows(sheet: Any) -> dict[int, _TemplateRow]:
    """Return the rows of a template. Raises TemplateRefused with all that is wrong with them."""
    rows: dict[int, _TemplateRow] = {}
    problems: list[str] = []
    cells = 0
    for line in sheet.iter_rows():
        for cell in line:
            if cell.value is None and not cell.has_style:
                continue
            cells += 1
            row = rows.setdefault(cell.row, _TemplateRow())
            row.cells[cell.column] = _Kept(cell.value, copy(cell._style))
            problems += _add_placeholders(row, cell, f"{sheet.title}!{cell.coordinate}")
    if cells > MOST_TEMPLATE_CELLS:
        problems.append(f"{sheet.title}: {cells:,} cells, and a template has {MOST_TEMPLATE_CELLS:,} a sheet at most")
    problems += [
        f"{sheet.title}!{at}: the cells of a field are not side by side"
        for at, row in rows.items()
        if any(not _is_of_field(row.cells.get(column)) for column in range(row.first, row.last + 1) if row.first)
    ]
    if problems:
        raise TemplateRefused("; ".join(problems))
    return rows


def _add_placeholders(row: _TemplateRow, cell: Any, place: str) -> list[str]:
    """Note what a cell makes of its row. Return what is wrong with it."""
    if not isinstance(cell.value, str):
        return []
    problems: list[str] = []
    for found in PLACEHOLDER_MARK.finditer(cell.value):
        group, name = found[1], found[2]
        if cell.data_type == "f":
            problems.append(f"{place}: a formula cannot hold a placeholder")
        elif not is_known(group, name):
            problems.append(f"{place}: there is no placeholder {found[0]}")
        elif (group, name) == REMARKS and found[0] != cell.value.strip():
            problems.append(f"{place}: {found[0]} stands alone in its cell")
        elif group == FIELD:
            row.first, row.last = row.first or cell.column, cell.column
        elif group in LISTS:
            if row.items not in ("", group):
                problems.append(f"{place}: a row is repeated for one list, {row.items} or {group}")
            row.items = row.items or group
    return problems


def _is_of_field(kept: _Kept | None) -> bool:
    if kept is None or not isinstance(kept.value, str):
        return False
    return any(found[1] == FIELD for found in PLACEHOLDER_MARK.finditer(kept.value))


def _widths(sheet: Any) -> dict[int, float]:
    """Return the widths of the columns that have one of their own."""
    widths: dict[int, float] = {}
    for one in sheet.column_dimensions.values():
        if one.width is not None and one.min is not None and one.max is not None:
            for column in range(one.min, min(one.max, one.min + MOST_COLUMNS) + 1):
                widths[column] = one.width
    return widths

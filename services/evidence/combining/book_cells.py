"""Pure: a row of the table as the XML of a workbook: each cell as what Excel can hold, with the number of its style.

A row is rendered once, and stands on two sheets: XlsxWriter's own way of writing cells takes many times as long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from services.evidence.combining import sheets
from services.evidence.tables.csv_cells import is_risky
from shared.evidence_format.table.cells import fraction_digits, text_of
from shared.evidence_format.table.columns import TableColumn
from shared.evidence_format.table.rows import TableRow

GAP = "\0"
"""Stands in the XML of a row for its number; no text that a workbook can hold has it."""
MOST_SCREENSHOTS = 8
"""Columns of links; the others are in the folder."""
Content = tuple[str, str]
"""The name of a cell's style, and its XML behind the number of that style."""
_LIKE_AN_ESCAPE = re.compile(r"_(x[0-9A-Fa-f]{4}_)")
_EXACT = 10**sheets.EXACT_DIGITS


class RowRenderer:
    """Renders the rows of one table; ``cut`` counts cells that are too long for a workbook."""

    def __init__(self, columns: Sequence[TableColumn], style_numbers: Mapping[str, int]) -> None:
        self._styles = style_numbers
        self._columns = [(_head(place), self._way(one), one.name) for place, one in enumerate(columns)]
        self._pictures = [_head(len(columns) + number) for number in range(MOST_SCREENSHOTS)]
        self.cut = 0

    def xml(self, row: TableRow) -> str:
        """All cells that are not empty, and behind them the names of pictures."""
        styles, wrong = self._styles, row.wrong
        parts = [f'<row r="{GAP}">']
        for (head, way, name), value in zip(self._columns, row.cells, strict=True):
            if value is not None:
                style, content = way(value)
                parts.append(f"{head}{styles[style]}{content}")
            elif name in wrong:
                parts.append(f"{head}{styles['wrong']}{self._words(wrong[name])}")
        for place, name in pictures_of(row):
            parts.append(f"{self._pictures[place]}{styles['link']}{self._words(name)}")
        parts.append("</row>")
        return "".join(parts)

    def _way(self, column: TableColumn) -> Callable[[Any], Content]:
        kind = column.kind
        if not column.field and column.name in ("sample_id", "status"):
            return self._sample_id if column.name == "sample_id" else self._status
        if kind in ("array", "notes"):
            return lambda value: self._worded("\n".join(value))
        if kind in ("text", "names"):
            return lambda value: self._worded(text_of(value, kind))
        return self._decimal if kind == "decimal" else self._day if kind in ("date", "date-time") else self._number

    def _sample_id(self, value: str) -> Content:
        style, content = self._worded(value)
        return ("link" if sheets.folder_link(value) else style), content

    def _status(self, value: Any) -> Content:
        text = text_of(value, "text")
        return f"status {text}", self._words(text)

    def _decimal(self, value: str) -> Content:
        number = sheets.number_of(value)
        return self._worded(value) if number is None else (f"decimal {fraction_digits(value)}", _numeral(number))

    def _day(self, value: str) -> Content:
        found = sheets.serial_of(value)
        return self._worded(value) if found is None else (found[1], _numeral(found[0]))

    def _number(self, value: float) -> Content:
        """A truth is shown as such."""
        if isinstance(value, bool):
            return "plain", f'" t="b"><v>{int(value)}</v></c>'
        return ("plain", _numeral(value)) if abs(value) < _EXACT else self._worded(text_of(value, "number"))

    def _worded(self, text: str) -> Content:
        """A text that begins like a formula stays a text when a person edits it: its style says so."""
        return "quoted" if is_risky(text) else "text", self._words(text)

    def _words(self, text: str) -> str:
        if not _is_plain(text):
            text, cut = sheets.cell_text(text)
            self.cut += cut
            text = _escaped(text)
        kept = ' xml:space="preserve"' if text[:1].isspace() or text[-1:].isspace() else ""
        return f'" t="inlineStr"><is><t{kept}>{text}</t></is></c>'


def pictures_of(row: TableRow) -> list[tuple[int, str]]:
    """The pictures that are shown, each with the number of its column among theirs."""
    shown = enumerate(row.screenshots[:MOST_SCREENSHOTS])
    return [(number, name) for number, name in shown if sheets.file_link(row.sample_id, name)]


def links_of(row: TableRow, columns: int) -> list[tuple[int, str]]:
    """Where cells lead, by their place in a row of so many columns: to the sample's folder, and to its pictures."""
    folder = sheets.folder_link(row.sample_id)
    pictures = [(columns + number, f"{row.sample_id}/{name}") for number, name in pictures_of(row)]
    return [(0, folder), *pictures] if folder else pictures


def _head(place: int) -> str:
    return f'<c r="{letters(place)}{GAP}" s="'


def _numeral(value: float) -> str:
    return f'"><v>{value!r}</v></c>'


def _is_plain(text: str) -> bool:
    """Whether it stands in XML, and in a cell, as it is: so do nearly all, and finding it out is quick."""
    return (
        text.isprintable()
        and not ("&" in text or "<" in text or ">" in text or "_x" in text)
        and len(text) <= sheets.MOST_TEXT // 2
    )


def _escaped(text: str) -> str:
    """``_x0041_`` is how a workbook writes letters it cannot hold: where a page says so itself, it is escaped."""
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _LIKE_AN_ESCAPE.sub(r"_x005F_\1", plain)


def letters(place: int) -> str:
    """The name of a column: 0 is A, 26 is AA."""
    name = ""
    while place >= 0:
        place, letter = divmod(place, 26)
        name, place = chr(65 + letter) + name, place - 1
    return name

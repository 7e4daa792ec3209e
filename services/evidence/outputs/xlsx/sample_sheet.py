"""Writes one sheet of samples: cells, a frozen header, a filter, column widths, links and print settings."""

# XlsxWriter is only partly typed, and links can be written to a file only by overriding its private methods.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportPrivateUsage=false

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.packager import Packager
from xlsxwriter.relationships import DOCUMENT_SCHEMA, Relationships
from xlsxwriter.utility import xl_col_to_name, xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from services.evidence.tables.sheets import Cell
from shared.tables import workbook_cells

PAGE_CHARACTERS = 240
"""A wider table is not scaled to the width of a page, because its text would be too small to read."""
A4 = 9
_TO_ESCAPE = re.compile("[&<>]|_x[0-9a-fA-F]{4}_")
_LIKE_ESCAPED = re.compile("(_x[0-9a-fA-F]{4}_)")


class WrittenCell(NamedTuple):
    """A cell without its place on a sheet: ``xml`` is what follows the attribute with its name."""

    place: int
    xml: str
    link: str


class CellWriter:
    """Writes cells as XML, once for all sheets that have them. XlsxWriter takes several times as long for each."""

    def __init__(self, formats: Mapping[str, Format]) -> None:
        self._formats = formats
        self._styles: dict[str, str] = {}
        """The attribute of each style. XlsxWriter numbers formats in the order in which they are asked for."""

    def row(self, cells: Sequence[Cell | None]) -> list[WrittenCell]:
        return [WrittenCell(place, self._xml(cell), cell.link) for place, cell in enumerate(cells) if cell is not None]

    def _xml(self, cell: Cell) -> str:
        style, value = self._styles.get(cell.style), cell.value
        if style is None:
            style = self._styles[cell.style] = f' s="{self._formats[cell.style]._get_xf_index()}"'
        if isinstance(value, str):
            space = ' xml:space="preserve"' if value != value.strip() else ""
            return f'{style} t="inlineStr"><is><t{space}>{_escaped(value)}</t></is></c>'
        if isinstance(value, bool):
            return f'{style} t="b"><v>{value:d}</v></c>'
        if not math.isfinite(value):
            raise ValueError(f"no cell holds the number {value}")
        return f"{style}><v>{value:.16G}</v></c>"


def _escaped(text: str) -> str:
    """Return a text of `cell_text` as XML. Excel reads ``_x0041_`` as one character unless its underscore is one."""
    if _TO_ESCAPE.search(text) is None:
        return text
    plain = _LIKE_ESCAPED.sub(r"_x005F\1", text)
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@cache
def _letters(place: int) -> str:
    return xl_col_to_name(place)


class LinkedSheet(Worksheet):
    """A worksheet whose links are paths relative to the workbook, kept in a file until they are written.

    XlsxWriter's `write_url` keeps links in memory, and separates relative paths by the backslash of Windows.
    """

    links = 0
    _path: Path
    _links: TextIO | None = None

    def open_links(self, path: Path) -> None:
        self._path, self._links = path, path.open("w", encoding="utf-8")

    def add_link(self, row: int, column: int, target: str) -> None:
        """Add a link to a cell. Cells must be linked in their order on the sheet.

        ``target``: a relative path of safe names, which need no escaping in a URL.
        """
        assert self._links is not None
        self._links.write(f"{xl_rowcol_to_cell(row, column)} {target}\n")
        self.links += 1

    def end_head(self) -> None:
        """Write what is kept of the first row, of which XlsxWriter has written nothing yet."""
        self._write_single_row(1)

    def add_row(self, row: int, cells: Sequence[WrittenCell]) -> None:
        """Write the cells of a row at once. Rows come in their order; of one, no cell is written in another way."""
        if not cells:
            return
        self._write_single_row(row)
        written = "".join(f'<c r="{_letters(one.place)}{row + 1}"{one.xml}' for one in cells)
        self.fh.write(f'<row r="{row + 1}">{written}</row>')
        for one in (cells[0], cells[-1]):
            self._check_dimensions(row, one.place)

    def close_links(self) -> None:
        """Close the file of the links. Idempotent; may be called without `open_links`."""
        if self._links is not None:
            self._links.close()

    def read_links(self) -> Iterator[list[str]]:
        """Yield the cell and the target of each link."""
        with self._path.open(encoding="utf-8") as lines:
            yield from (line.rstrip("\n").split(" ", 1) for line in lines)

    def _write_hyperlinks(self) -> None:
        if not self.links:
            return
        self._xml_start_tag("hyperlinks")
        for number, (cell, _) in enumerate(self.read_links(), start=1):
            self._xml_empty_tag("hyperlink", [("ref", cell), ("r:id", f"rId{number}")])
        self._xml_end_tag("hyperlinks")


class _LinkPackager(Packager):
    workbook: Any

    def _write_worksheet_rels_files(self) -> None:
        for number, sheet in enumerate(self.workbook.worksheets(), start=1):
            if isinstance(sheet, LinkedSheet) and sheet.links:
                relationships: Any = Relationships()
                relationships.relationships = (
                    (f"{DOCUMENT_SCHEMA}/hyperlink", target, "External") for _, target in sheet.read_links()
                )
                relationships._set_xml_writer(self._filename(f"xl/worksheets/_rels/sheet{number}.xml.rels"))
                relationships._assemble_xml_file()


class LinkedBook(xlsxwriter.Workbook):
    """A workbook that may have sheets of the class `LinkedSheet`."""

    def _get_packager(self) -> Packager:
        return _LinkPackager()


class SampleSheet:
    """A sheet with one row per sample: the columns of the table, then links to its screenshots.

    ``names`` and ``widths`` are those of all columns, screenshots included. ``unlinked`` counts the names that are
    written without a link, because the sheet has reached the maximum number of links; ``left_out`` the rows that are
    not written at all, because the sheet is full.
    """

    def __init__(
        self,
        sheet: LinkedSheet,
        heading: str,
        names: Sequence[str],
        widths: Sequence[float],
        head: Format,
    ) -> None:
        self._sheet = sheet
        self._row = self.unlinked = self.left_out = 0
        self._last = len(widths) - 1
        for place, (name, width) in enumerate(zip(names, widths, strict=True)):
            sheet.set_column(place, place, width)
            sheet.write_string(0, place, name, head)
        sheet.end_head()
        sheet.freeze_panes(1, 1)
        sheet.ignore_errors({"number_stored_as_text": f"A1:{xl_rowcol_to_cell(sheet.xls_rowmax - 1, self._last)}"})
        self._set_page(heading, sum(widths))

    def _set_page(self, heading: str, characters: float) -> None:
        sheet = self._sheet
        sheet.set_landscape()
        sheet.set_paper(A4)
        sheet.repeat_rows(0)
        sheet.repeat_columns("A:A")
        sheet.set_footer(f"&L{heading.replace('&', '&&')}&RPage &P of &N")
        if characters <= PAGE_CHARACTERS:
            sheet.fit_to_pages(1, 0)

    def add(self, cells: Sequence[WrittenCell]) -> None:
        if self._row >= workbook_cells.MOST_ROWS:
            self.left_out += 1
            return
        self._row += 1
        self._sheet.add_row(self._row, cells)
        links = [(cell.place, cell.link) for cell in cells if cell.link]
        if self._sheet.links + len(links) > workbook_cells.MOST_LINKS:
            self.unlinked += len(links)
            return
        for place, target in links:
            self._sheet.add_link(self._row, place, target)

    def finish(self) -> None:
        self._sheet.close_links()
        self._sheet.autofilter(0, 0, max(self._row, 1), self._last)

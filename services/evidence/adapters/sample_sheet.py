"""One sheet of samples: a header that stays, a filter, widths, links, and how it is printed."""

# XlsxWriter tells only some of its types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from xlsxwriter.format import Format
from xlsxwriter.packager import Packager
from xlsxwriter.worksheet import Worksheet

from services.evidence.combining import sheets
from services.evidence.combining.book_cells import GAP, letters

PAGE_CHARACTERS = 240
"""A table that is wider is not printed on one page's width: nobody could read it."""
A4 = 9
_GAP = GAP.encode()
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TO_A_LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"


class RenderedSheet(Worksheet):
    """A sheet of a workbook that keeps neither rows nor links in memory: rows go into it as XML that is ready, links
    into a file. They lead to files beside the workbook; their paths are written with ``/``, which all systems
    understand: XlsxWriter's ``\\`` is for Windows only."""

    links = 0
    links_file: Path
    _links: TextIO | None = None

    def begin(self, links_file: Path) -> None:
        """Behind the header row."""
        self.links_file = links_file
        self._links = links_file.open("w", encoding="utf-8")
        self._write_single_row(1)
        self.fh.flush()
        self._rows = self.fh.buffer

    def add_rendered(self, number: int, xml: bytes, links: Sequence[tuple[int, str]]) -> None:
        """``number``: of the row, from 0, below all that are there; ``links`` by their columns. Their paths are names
        that need no escaping."""
        self._rows.write(xml.replace(_GAP, b"%d" % (number + 1)))
        self.dim_rowmax = number
        assert self._links is not None
        for place, path in links:
            self._links.write(f"{letters(place)}{number + 1} {path}\n")
        self.links += len(links)

    def end(self) -> None:
        """Safe to call again, and without `begin`."""
        if self._links is not None:
            self._links.close()

    def all_links(self) -> Iterator[tuple[int, str, str]]:
        """Each with its number, from 1, its cell and its path."""
        with self.links_file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                cell, _, path = line.rstrip("\n").partition(" ")
                yield number, cell, path

    def _write_hyperlinks(self) -> None:
        if not self.links:
            return
        self._xml_start_tag("hyperlinks")
        self.fh.writelines(f'<hyperlink ref="{cell}" r:id="rId{number}"/>' for number, cell, _ in self.all_links())
        self._xml_end_tag("hyperlinks")


class LinkPackager(Packager):
    """Writes the links of sheets from their files; XlsxWriter's own would have all of them in memory."""

    workbook: Any

    def _write_worksheet_rels_files(self) -> None:
        for number, sheet in enumerate(self.workbook.worksheets(), start=1):
            if isinstance(sheet, RenderedSheet) and sheet.links:
                name = self._filename(f"xl/worksheets/_rels/sheet{number}.xml.rels")
                with Path(str(name)).open("w", encoding="utf-8") as file:
                    file.writelines(_relations(sheet))


def _relations(sheet: RenderedSheet) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<Relationships xmlns="{_RELATIONS}">'
    for number, _, path in sheet.all_links():
        yield f'<Relationship Id="rId{number}" Type="{_TO_A_LINK}" Target="{path}" TargetMode="External"/>'
    yield "</Relationships>"


class SampleSheet:
    """Columns of the table first, then the screenshots; ``names`` and ``widths`` are of both. ``unlinked`` counts names
    for which no link was left."""

    def __init__(
        self, sheet: RenderedSheet, heading: str, names: Sequence[str], widths: Sequence[float], head: Format
    ) -> None:
        self._sheet = sheet
        self._row = self.unlinked = 0
        self._width = len(widths)
        for place, (name, width) in enumerate(zip(names, widths, strict=True)):
            sheet.set_column(place, place, width)
            sheet.write_string(0, place, name, head)
        sheet.freeze_panes(1, 1)
        sheet.ignore_errors({"number_stored_as_text": f"A1:{letters(self._width - 1)}1048576"})
        self._page(heading, sum(widths))

    def _page(self, heading: str, characters: float) -> None:
        sheet = self._sheet
        sheet.set_landscape()
        sheet.set_paper(A4)
        sheet.repeat_rows(0)
        sheet.repeat_columns("A:A")
        sheet.set_footer(f"&L{heading.replace('&', '&&')}&RPage &P of &N")
        if characters <= PAGE_CHARACTERS:
            sheet.fit_to_pages(1, 0)

    def add(self, xml: bytes, links: Sequence[tuple[int, str]]) -> None:
        self._row += 1
        room = self._sheet.links + len(links) <= sheets.MOST_LINKS
        self.unlinked += 0 if room else len(links)
        self._sheet.add_rendered(self._row, xml, links if room else ())

    def finish(self) -> None:
        self._sheet.end()
        self._sheet.autofilter(0, 0, max(self._row, 1), self._width - 1)

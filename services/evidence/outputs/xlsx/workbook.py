"""Writes combined.xlsx with XlsxWriter: a sheet of all samples, one for each status and each field of rows, and About.

The cells of a row are made when it is added, and spooled. No cell is a formula, and no text becomes a link. The only
links are relative paths to files of the run, which work in its folder and in an unzipped export.
"""

# XlsxWriter is only partly typed.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import msgspec
import xlsxwriter
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.format import Format

from services.evidence.facts import RunFacts
from services.evidence.outputs.products import OpenFile, OutputFile
from services.evidence.outputs.row_spool import SortedSpool, place_of
from services.evidence.outputs.xlsx.sample_sheet import CellWriter, LinkedBook, LinkedSheet, SampleSheet
from services.evidence.tables import sheets
from services.evidence.tables.sheets import ABOUT, HEAD, SAMPLES, RowCells, SheetRow
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.table.rows import RowMaker
from shared.evidence_view.sample_facts import SampleFacts
from shared.statuses import STYLES, population_order

OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
LINK_CHARACTERS = 24.0
ITEM_CHARACTERS = 9.0
_FORMATS: dict[str, dict[str, Any]] = {
    "plain": {},
    "text": {"text_wrap": True},
    "quoted": {"text_wrap": True, "quote_prefix": True},
    "wrong": {"text_wrap": True, "italic": True, "font_color": "#B71C1C"},
    "link": {"font_color": "#0563C1", "underline": 1},
    "date": {"num_format": "yyyy-mm-dd"},
    "moment": {"num_format": "yyyy-mm-dd hh:mm:ss"},
    "utc": {"num_format": 'yyyy-mm-dd hh:mm:ss "UTC"'},
    "head": {"text_wrap": True, "bold": True, "bg_color": "#ECEFF1", "bottom": 1},
    **{f"status {one}": {"font_color": style.sheet[0], "bg_color": style.sheet[1]} for one, style in STYLES.items()},
}


class Workbook:
    """See :class:`services.evidence.outputs.products.Product`. Rows are in the order of the input."""

    makes = "combined.xlsx"

    def __init__(self, run: RunFacts, folder: Path) -> None:
        self._path = folder / self.makes
        self._book = LinkedBook(str(self._path), {**OPTIONS, "tmpdir": str(folder)})
        self._book.set_properties(_properties(run.record, run.finished))
        self._folder, self._record, self._finished = folder, run.record, run.finished
        self._maker = RowMaker(run.task)
        self._columns = self._maker.columns
        self._formats = _Formats(self._book)
        self._cells = RowCells(self._columns)
        self._spool = SortedSpool(folder / "rows")
        self._encoder, self._decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(SheetRow)
        self._longest = [0] * len(self._columns)
        self._screenshots = 0
        self._statuses: dict[str, int] = {}

    def add(self, sample: SampleFacts, open_file: OpenFile) -> None:
        row = self._maker.row(sample)
        self._spool.add(place_of(sample), self._encoder.encode(self._cells.row(row)), b"")
        self._statuses[row.status] = self._statuses.get(row.status, 0) + 1
        self._screenshots = max(self._screenshots, min(len(row.screenshots), sheets.MOST_SCREENSHOTS))
        for place, cell in enumerate(row.cells):
            if isinstance(cell, str) and len(cell) > self._longest[place]:
                self._longest[place] = max(self._longest[place], *map(len, cell.split("\n")))

    def finish(self) -> Iterable[OutputFile]:
        taken = [ABOUT]
        everything = self._sheet(SAMPLES, taken)
        statuses = sorted(self._statuses, key=population_order)
        named = [one.sheet.name for one in self._cells.items.values()]
        parts = {one: self._sheet(sheets.sheet_name(one, [*taken, *named]), taken) for one in statuses}
        items = {name: self._item_sheet(one.sheet, taken) for name, one in self._cells.items.items()}
        writer = CellWriter(self._formats)
        for data, _ in self._spool.in_order():
            row = self._decoder.decode(data)
            cells = writer.row(row.cells)
            everything.add(cells)
            parts[row.status].add(cells)
            for name, rows in row.items.items():
                for one in rows:
                    items[name].add(writer.row(one))
        for sheet in (everything, *parts.values(), *items.values()):
            sheet.finish()
        unlinked = sum(sheet.unlinked for sheet in (everything, *parts.values(), *items.values()))
        self._write_about(unlinked, sum(sheet.left_out for sheet in items.values()))
        try:
            self._book.close()
        except FileCreateError as exc:
            raise _without_cycle(exc.args[0]) from exc
        return [OutputFile(self.makes, self._path)]

    def close(self) -> None:
        self._spool.close()
        for sheet in self._book.worksheets():
            if isinstance(sheet, LinkedSheet):
                sheet.close_links()
            for file in _files_of(sheet):
                if file is not None:
                    file.close()

    def _sheet(self, name: str, taken: list[str]) -> SampleSheet:
        screenshots = [f"screenshot {number + 1}" for number in range(self._screenshots)]
        widths = [sheets.width_of(one, longest) for one, longest in zip(self._columns, self._longest, strict=True)]
        names = [*(column.name for column in self._columns), *screenshots]
        return self._linked_sheet(name, names, [*widths, *(LINK_CHARACTERS for _ in screenshots)], taken)

    def _item_sheet(self, sheet: sheets.ItemSheet, taken: list[str]) -> SampleSheet:
        widths = [LINK_CHARACTERS, ITEM_CHARACTERS, *(LINK_CHARACTERS for _ in sheet.columns)]
        return self._linked_sheet(sheet.name, sheet.names, widths, taken)

    def _linked_sheet(self, name: str, names: list[str], widths: list[float], taken: list[str]) -> SampleSheet:
        sheet: Any = self._book.add_worksheet(name, LinkedSheet)
        sheet.open_links(self._folder / f"links-{len(taken)}")
        taken.append(name)
        return SampleSheet(sheet, f"{self._record.run_id}: {name}", names, widths, self._formats["head"])

    def _write_about(self, unlinked: int, items_left_out: int) -> None:
        sheet = self._book.add_worksheet(ABOUT)
        for place, width in enumerate((24, 14, 90)):
            sheet.set_column(place, place, width)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        counts = {"cut": self._cells.cut, "unlinked": unlinked, "items_left_out": items_left_out}
        rows = sheets.about_rows(self._record, self._finished, self._columns, self._statuses, **counts)
        for number, cells in enumerate(rows):
            style = self._formats["head" if cells == HEAD else "text"]
            for place, cell in enumerate(cells):
                sheet.write_string(number, place, cell, style)


class _Formats(dict[str, Format]):
    """The formats of a workbook by style name. A format is created on first use."""

    def __init__(self, book: xlsxwriter.Workbook) -> None:
        super().__init__()
        self._book = book

    def __missing__(self, name: str) -> Format:
        self[name] = self._book.add_format({"valign": "top", **_properties_of(name)})
        return self[name]


def _properties_of(style: str) -> dict[str, Any]:
    if style.startswith("decimal "):
        digits = int(style.removeprefix("decimal "))
        return {"num_format": "0." + "0" * digits if digits else "0"}
    return _FORMATS.get(style, {})


def _files_of(sheet: Any) -> tuple[TextIO | None, TextIO | None]:
    """Return the temporary file of the sheet's rows, and the sheet's file while the workbook is assembled."""
    return sheet.row_data_fh, sheet.fh


def _without_cycle(error: OSError) -> OSError:
    """Return a copy of the error. Raised from its own wrapper, the error itself would be in a reference cycle, which
    keeps the files of its traceback open until a garbage collection."""
    return OSError(error.errno, error.strerror, error.filename)


def _properties(record: RunRecord, finished: RunFinished) -> dict[str, Any]:
    """Return the document properties. The creation time is that of the run, so that equal results give equal bytes."""
    created: datetime = finished.finished_at.astimezone(UTC).replace(tzinfo=None, microsecond=0)
    return {"title": record.run_id, "subject": str(record.spec.get("task_id", "")), "created": created}

"""combined.xlsx through XlsxWriter: all samples, a sheet for each status, and what the columns mean.

Rows are rendered as they come and spooled. No cell is a formula, and no text becomes a link: the only links are to
files of the run, relative, so that they open from its folder and from an unzipped export of it.
"""

# XlsxWriter tells only some of its types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import msgspec
import xlsxwriter
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.packager import Packager

from services.evidence.adapters.sample_sheet import LinkPackager, RenderedSheet, SampleSheet
from services.evidence.adapters.sheet_styles import StyleNumbers
from services.evidence.adapters.sorted_spool import SortedSpool
from services.evidence.combining import sheets
from services.evidence.combining.book_cells import MOST_SCREENSHOTS, RowRenderer, links_of
from shared.contracts.discovery import RunRecord
from shared.contracts.evidence import RunFinished
from shared.evidence_format.table.columns import columns_of
from shared.evidence_format.table.rows import TableRow
from shared.evidence_format.task_facts import TaskFacts
from shared.statuses import population_order

ALL, ABOUT = "Samples", "About"
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
LINK_CHARACTERS = 24.0


class _Beside(msgspec.Struct, frozen=True):
    """What is known of a row beside its XML."""

    status: str
    links: list[tuple[int, str]]


class _Book(xlsxwriter.Workbook):
    def _get_packager(self) -> Packager:
        return LinkPackager()


class Workbook:
    """Rows go in by `add`, in any order; `wait` writes the file, in the order of their ``sample_id``. ``folder``, an
    empty one, is for what grows with the samples. Raises OSError where the system refuses something."""

    def __init__(self, path: Path, folder: Path, record: RunRecord, finished: RunFinished) -> None:
        self._book = _Book(str(path), {**OPTIONS, "tmpdir": str(folder)})
        self._book.set_properties(_properties(record, finished))
        self._folder, self._record, self._finished = folder, record, finished
        self._columns = columns_of(TaskFacts.of(record.spec))
        self._styles = StyleNumbers(self._book)
        self._head = self._styles.format("head")
        self._renderer = RowRenderer(self._columns, self._styles)
        self._spool = SortedSpool(folder / "rows.xml")
        self._encoder, self._decoder = msgspec.json.Encoder(), msgspec.json.Decoder(_Beside)
        self._longest = [0] * len(self._columns)
        self._pictures = 0
        self._statuses: dict[str, int] = {}

    def add(self, row: TableRow, line: bytes = b"") -> None:
        """``line``: as in `BookProcess`; it is not needed here."""
        beside = self._encoder.encode(_Beside(row.status, links_of(row, len(self._columns))))
        self._spool.add(row.sample_id, self._renderer.xml(row).encode(), beside)
        self._statuses[row.status] = self._statuses.get(row.status, 0) + 1
        self._pictures = max(self._pictures, min(len(row.screenshots), MOST_SCREENSHOTS))
        for place, cell in enumerate(row.cells):
            if isinstance(cell, str) and len(cell) > self._longest[place]:
                self._longest[place] = max(self._longest[place], *map(len, cell.split("\n")))

    def end(self) -> None:
        """These were all rows."""

    def wait(self) -> None:
        """Until the book lies at its path."""
        taken = [ABOUT]
        everything = self._sheet(ALL, taken)
        parts = {one: self._sheet(sheets.sheet_name(one, taken), taken) for one in _ordered(self._statuses)}
        for xml, told in self._spool.in_order():
            beside = self._decoder.decode(told)
            everything.add(xml, beside.links)
            parts[beside.status].add(xml, beside.links)
        for sheet in (everything, *parts.values()):
            sheet.finish()
        self._about(sum(sheet.unlinked for sheet in (everything, *parts.values())))
        try:
            self._book.close()
        except FileCreateError as exc:
            raise _said(exc.args[0]) from exc

    def close(self) -> None:
        """Safe to call again, and without `wait`, or in the middle of it."""
        self._spool.close()
        for sheet in self._book.worksheets():
            if isinstance(sheet, RenderedSheet):
                sheet.end()
            for file in _files_of(sheet):
                if file is not None:
                    file.close()

    def _sheet(self, name: str, taken: list[str]) -> SampleSheet:
        pictures = [f"screenshot {number + 1}" for number in range(self._pictures)]
        widths = [sheets.width_of(one, longest) for one, longest in zip(self._columns, self._longest, strict=True)]
        sheet: Any = self._book.add_worksheet(name, RenderedSheet)
        made = SampleSheet(
            sheet,
            f"{self._record.run_id}: {name}",
            [*(column.name for column in self._columns), *pictures],
            [*widths, *(LINK_CHARACTERS for _ in pictures)],
            self._head,
        )
        sheet.begin(self._folder / f"links-{len(taken)}")
        taken.append(name)
        return made

    def _about(self, unlinked: int) -> None:
        sheet, text = self._book.add_worksheet(ABOUT), self._styles.format("text")
        for place, width in enumerate((24, 14, 90)):
            sheet.set_column(place, place, width)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        rows = [*self._facts(unlinked), ("", "", ""), ("column", "type", "what it is")]
        rows += [(one.name, one.kind if one.field else "", one.meaning) for one in self._columns]
        for number, cells in enumerate(rows):
            for place, cell in enumerate(cells):
                style = self._head if cells[0] == "column" else text
                sheet.write_string(number, place, sheets.cell_text(cell)[0], style)

    def _facts(self, unlinked: int) -> list[tuple[str, str, str]]:
        record, finished = self._record, self._finished
        complete = "complete" if finished.population_complete else "not complete"
        facts = [
            ("run", "", record.run_id),
            ("task", "", str(record.spec.get("task_id", ""))),
            ("goal", "", str(record.spec.get("goal", ""))),
            ("finished", "", f"{finished.finished_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"),
            ("samples", str(finished.samples), f"{complete} {finished.population_note}".strip()),
            *((status, str(self._statuses[status]), "") for status in _ordered(self._statuses)),
        ]
        if self._renderer.cut:
            told = f"longer than the {sheets.MOST_TEXT:,} characters of a cell: each says so at its end"
            facts.append(("cells cut", str(self._renderer.cut), told))
        if unlinked:
            told = f"Excel has {sheets.MOST_LINKS:,} links a sheet at most"
            facts.append(("names without a link", str(unlinked), told))
        return facts


def _files_of(sheet: Any) -> tuple[TextIO | None, TextIO | None]:
    """That of its rows, and that of the sheet while the book is put together."""
    return sheet.row_data_fh, sheet.fh


def _said(by_the_system: OSError) -> OSError:
    """Such as that the disk is full. The very error, raised once more, would lead back to itself, and what it leads to
    would stay open until somebody looks for such rings."""
    return OSError(by_the_system.errno, by_the_system.strerror, by_the_system.filename)


def _ordered(statuses: Mapping[str, int]) -> list[str]:
    return sorted(statuses, key=population_order)


def _properties(record: RunRecord, finished: RunFinished) -> dict[str, Any]:
    """With the time of the run, not of the writing: equal results are equal bytes."""
    created: datetime = finished.finished_at.astimezone(UTC).replace(tzinfo=None, microsecond=0)
    return {"title": record.run_id, "subject": str(record.spec.get("task_id", "")), "created": created}

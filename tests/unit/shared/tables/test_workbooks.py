"""What is read of a workbook, and what a person is asked or told: sheets, hidden rows, merged cells, single cells."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import date, datetime

import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook

from shared.contracts.discovery import AS_IT_IS, ReadAs, RowsLeftOut
from shared.errors import InvalidMessage
from shared.evidence_format.reading_words import reading_lines
from shared.tables.cells import cell_text
from shared.tables.excel import open_workbook
from shared.tables.table import Table
from tests.cases import cases
from tests.typed import expect
from tests.unit.shared.tables.written_workbook import STRICT, Sheet, cell, number, read, text, written

HEAD = [text("A1", "id"), text("B1", "note")]


def listed(name: str, *ids: str, state: str = "visible") -> Sheet:
    return Sheet(name, [HEAD, *([text(f"A{at}", one)] for at, one in enumerate(ids, 2))], state)


def keys(data: bytes, how: ReadAs = AS_IT_IS) -> list[str]:
    table, problems = read(data, how)
    assert problems == ()
    return [row.cells["id"] for row in expect(table, Table).rows]


def said(data: bytes, how: ReadAs = AS_IT_IS) -> list[str]:
    table, problems = read(data, how)
    assert problems == ()
    reading = expect(table, Table).reading
    assert reading is not None
    return reading_lines(reading)


def told(data: bytes, how: ReadAs = AS_IT_IS) -> str:
    _, problems = read(data, how)
    return "\n".join(f"{one.where}: {one.message}" for one in problems)


def flaws(data: bytes) -> dict[str, str]:
    """Return the message of each flaw by the columns and cells that have it."""
    table, problems = read(data)
    assert problems == ()
    return {one.problem.where: one.problem.message for one in expect(table, Table).flaws}


def one_cell(written_cell: str, **more: str) -> bytes:
    """Return a workbook with one row, in column ``note`` of which stands the cell B2."""
    return written(Sheet("List", [HEAD, [text("A2", "X-1"), written_cell]]), **more)


def note_of(written_cell: str, **more: str) -> str:
    table, problems = read(one_cell(written_cell, **more))
    assert (problems, expect(table, Table).flaws) == ((), ())
    return expect(table, Table).rows[0].cells["note"]


# --- sheets


def test_a_hidden_sheet_is_not_read_and_named():
    data = written(
        listed("Old", "OLD-1", state="hidden"), listed("List", "X-1"), listed("Deep", "D", state="veryHidden")
    )
    assert keys(data) == ["X-1"]
    assert said(data)[1:] == ["left out: the sheet Old: it is hidden", "left out: the sheet Deep: it is hidden"]


def test_of_several_sheets_with_rows_a_person_says_which():
    data = written(listed("January", "X-1"), listed("Feb 2026", "X-2", "X-3"), Sheet("Empty", []))
    assert "'January' (2 rows), 'Feb 2026' (3 rows)" in told(data)
    assert "--sheet January --sheet 'Feb 2026'" in told(data)
    assert keys(data, ReadAs(sheets=("Feb 2026",))) == ["X-2", "X-3"]
    both = ReadAs(sheets=("January", "Feb 2026"))
    assert keys(data, both) == ["X-1", "X-2", "X-3"]
    assert said(data, both) == [
        "in.xlsx: 3 rows read, of the sheet January and the sheet Feb 2026",
        "left out: the sheet Empty: another was named",
    ]
    rows = expect(read(data, both)[0], Table).rows
    assert [(row.number, row.sheet, row.sheet_row) for row in rows] == [
        (1, "January", 2), (2, "Feb 2026", 2), (3, "Feb 2026", 3),
    ]  # fmt: skip


def test_only_a_named_sheet_may_be_hidden():
    data = written(listed("Old", "OLD-1", state="hidden"), Sheet("List", []))
    assert "--sheet Old" in told(data)
    assert keys(data, ReadAs(sheets=("Old",))) == ["OLD-1"]
    assert "its sheets are 'Old', 'List'" in told(data, ReadAs(sheets=("old",)))


def test_sheets_that_are_read_together_have_one_header():
    other = Sheet("B", [[text("A1", "id"), text("B1", "url")], [text("A2", "X-2")]])
    assert "its columns are 'id', 'url', those of 'A' 'id', 'note'" in told(
        written(listed("A", "X-1"), other), ReadAs(sheets=("A", "B"))
    )


@cases("more", [{"space": STRICT}, {"prefix": "x:"}, {"space": STRICT, "prefix": "main:"}])
def test_a_workbook_is_read_under_each_of_its_namespaces(more: dict[str, str]):
    assert keys(written(listed("List", "X-1"), **more)) == ["X-1"]


# --- rows


def hidden_rows(after: str = "") -> bytes:
    rows = [HEAD, [text("A2", "X-1")], [text("A3", "X-2")], [], [text("A5", "X-3")], [text("A6", "X-4")]]
    return written(Sheet("List", rows, hidden=frozenset({3, 4, 6}), after=after))


def test_hidden_rows_are_taken_or_left_as_a_person_says():
    assert "2 rows with cells are hidden by hand or in a closed group (rows 3, 6)" in told(hidden_rows())
    assert "--hidden-rows take, or --hidden-rows leave" in told(hidden_rows())
    assert "by a filter" in told(hidden_rows('<autoFilter ref="A1:B6"><filterColumn colId="0"/></autoFilter>'))
    assert keys(hidden_rows(), ReadAs(hidden_rows="take")) == ["X-1", "X-2", "X-3", "X-4"]
    assert keys(hidden_rows(), ReadAs(hidden_rows="leave")) == ["X-1", "X-3"]
    assert said(hidden_rows(), ReadAs(hidden_rows="take"))[1:] == [
        "read although they are hidden: 2 rows of the sheet List",
        "left out: 1 blank row (4) of the sheet List",
    ]
    left = expect(read(hidden_rows(), ReadAs(hidden_rows="leave"))[0], Table).reading
    assert left is not None
    assert left.sheets[0].rows_left_out == (
        RowsLeftOut(reason="blank", rows=1, spans=((4, 4),)),
        RowsLeftOut(reason="hidden", rows=2, spans=((3, 3), (6, 6))),
    )


def test_rows_are_hidden_by_default_and_by_a_height_of_nothing_too():
    default = Sheet("List", [HEAD, [text("A2", "X-1")]], before='<sheetFormatPr zeroHeight="1"/>')
    assert "hidden" in told(written(default))
    head, row = "".join(HEAD), text("A2", "X-1")
    for height, is_hidden in (("0", True), ("15", False)):
        rows = f'<sheetData><row r="1">{head}</row><row r="2" ht="{height}">{row}</row></sheetData>'
        assert ("hidden" in told(written(Sheet("List", [], before=rows)))) == is_hidden


def test_a_row_of_flaws_alone_is_no_blank_row():
    rows = [HEAD, [text("A2", "X-1")], [cell("A3", "<f>B9</f>")], [text("A4", "X-3")]]
    table, problems = read(written(Sheet("List", rows)))
    assert (problems, len(expect(table, Table).rows)) == ((), 3)


def test_a_cell_under_a_merged_one_is_a_flaw_of_its_row():
    rows = [HEAD, [text("A2", "X-1"), text("B2", "one")], [text("B3", "two")], [], [text("A5", "X-3")]]
    data = written(Sheet("List", rows, after='<mergeCells><mergeCell ref="A2:A4"/></mergeCells>'))
    where, message = next(iter(flaws(data).items()))
    assert where == "sheet List, cell A3 (column id)"
    assert "the merged cell A2:A4, which shows 'X-1'" in message
    heading = [HEAD, [text("A2", "North")], [text("A3", "X-1"), text("B3", "a")]]
    data = written(Sheet("List", heading, after='<mergeCells><mergeCell ref="A2:B2"/></mergeCells>'))
    assert list(flaws(data)) == ["sheet List, cell B2 (column note)"]


# --- cells


@cases(
    ("written_cell", "seen"),
    [
        (number("B2", 42, 2), "00042"),
        (number("B2", 7, 3), "INV-0007"),
        (number("B2", "7.0000000000000009"), "7"),
        (number("B2", "1.1000000000000001"), "1.1"),
        (number("B2", "1E-5"), "0.00001"),
        (number("B2", "0.05", 4), "0.05"),
        (number("B2", "1234.5", 5), "1234.5"),
        (number("B2", 46000, 1), "2025-12-09"),
        (number("B2", "46000.5", 1), "2025-12-09T12:00:00"),
        (number("B2", "0.25", 9), "06:00:00"),
        (number("B2", "1.5", 7), "36:00:00"),
        (number("B2", 59, 1), "1900-02-28"),
        (text("B2", "42", 8), "INV-42"),
        (text("B2", "00042"), "00042"),
        (text("B2", "X_x000D_1"), "X\r1"),
        (text("B2", "_x005F_x000D_"), "_x000D_"),
        (cell("B2", "<f>A2</f><v>X</v>", "str"), "X"),
        (cell("B2", "<f>A2</f><v></v>", "str"), ""),
        (cell("B2", "<v>1</v>", "b"), "true"),
        (cell("B2", "<v>2026-03-03T00:00:00</v>", "d"), "2026-03-03"),
        (cell("B2", "<is><t>X-</t><rPh><t>ka</t></rPh><r><rPr><b/></rPr><t>1</t></r></is>", "inlineStr"), "X-1"),
        ("<c><v>5</v></c>", "5"),
        (cell("$B$2", "<v>5</v>"), "5"),
    ],
)
def test_a_cell_is_what_a_person_sees(written_cell: str, seen: str):
    assert note_of(written_cell) == seen


def test_days_are_counted_from_where_the_workbook_counts():
    assert note_of(number("B2", 100, 1), properties='date1904="1"') == "1904-04-10"


def test_a_shared_text_is_its_runs_without_how_it_is_spoken():
    shared = '<si><r><t>X</t></r><r><t xml:space="preserve">-1 </t></r></si><si><t>a</t><rPh><t>b</t></rPh></si>'
    assert note_of(cell("B2", "<v>0</v>", "s"), shared=shared) == "X-1"
    assert note_of(cell("B2", "<v>1</v>", "s"), shared=shared) == "a"
    with pytest.raises(InvalidMessage, match="no shared text '7'"):
        open_workbook(one_cell(cell("B2", "<v>7</v>", "s"), shared=shared)).read("List")


@cases(
    ("written_cell", "why"),
    [
        (cell("B2", "<f>A2</f>"), "a formula without a stored value"),
        (cell("B2", "<f>A2</f><v/>"), "a formula without a stored value"),
        (cell("B2", '<f t="shared" si="0"/>'), "a formula without a stored value"),
        (cell("B2", "<v>#REF!</v>", "e"), "the error #REF!"),
        (cell("B2", "<f>A9</f><v>#N/A</v>", "e"), "the error #N/A"),
        (number("B2", "42.5", 2), "cannot be told"),
        (number("B2", 5, 6), "shows nothing in place of 5"),
        (number("B2", 60, 1), "29 February 1900"),
        (number("B2", -1, 1), "formatted as a date and is none"),
        (number("B2", "12345678901234567890"), "more digits than Excel keeps"),
        (number("B2", "five"), "stored as a number and is none"),
        (cell("B2", "<v>1</v>", "z"), "type 'z'"),
    ],
)
def test_a_cell_that_cannot_be_told_is_a_flaw_with_its_place(written_cell: str, why: str):
    found = flaws(one_cell(written_cell))
    assert list(found) == ["sheet List, cell B2 (column note)"]
    assert why in found["sheet List, cell B2 (column note)"]


def test_a_stored_value_that_is_computed_anew_when_the_file_is_opened_is_not_trusted():
    formula = cell("B2", "<f>1+1</f><v>0</v>")
    assert note_of(formula) == "0"
    found = flaws(one_cell(formula, calc='<calcPr fullCalcOnLoad="1"/>'))
    assert "computed when the file is opened" in found["sheet List, cell B2 (column note)"]


def test_a_name_of_a_column_that_cannot_be_told_is_a_problem():
    rows = [[text("A1", "id"), cell("B1", "<v>#REF!</v>", "e")], [text("A2", "X-1")]]
    assert "its name cannot be told: it shows the error #REF!" in told(written(Sheet("List", rows)))


def test_cells_of_one_column_with_one_flaw_are_told_once():
    rows = [HEAD, *([text(f"A{at}", f"X-{at}"), cell(f"B{at}", "<f>A1</f>")] for at in range(2, 10))]
    assert list(flaws(written(Sheet("List", rows)))) == [
        "sheet List, cells B2, B3, B4, B5, B6 and 3 more (column note)"
    ]


@cases(
    ("rows", "why"),
    [
        ('<row r="2"/><row r="2"/>', "row 2 is there twice"),
        ('<row r="2"><c r="A3"><v>1</v></c></row>', "cell A3 is in row 2"),
        ('<row r="2"><c r="A2"><v>1</v></c><c r="A2"><v>2</v></c></row>', "two cells in column 1"),
        ('<row r="2"><c r="XFE2"><v>1</v></c></row>', "names no cell"),
        ('<row r="1048577"/>', "outside of a sheet"),
    ],
)
def test_a_sheet_that_says_two_things_of_one_place_is_refused(rows: str, why: str):
    data = written(Sheet("List", [], before=f"<sheetData>{rows}</sheetData>"))
    with pytest.raises(InvalidMessage, match=why):
        open_workbook(data).read("List")


def test_plain_cells_are_what_another_reader_reads():
    rows: Sequence[Sequence[object]] = [
        ["id", "n", "due", "at", "open"],
        ["X-1", 5.25, date(2026, 3, 3), datetime(2026, 3, 3, 10, 30), True],
        ["é\u3042 <&>", 1e9, date(1999, 12, 31), datetime(2001, 1, 1, 23, 59, 59), False],
    ]
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"default_date_format": "dd/mm/yyyy hh:mm"}) as book:
        sheet = book.add_worksheet()
        for at, row in enumerate(rows):
            sheet.write_row(at, 0, row)
    data = file.getvalue()
    other = CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python()
    own = open_workbook(data).read("Sheet1").grid
    assert [[cell_text(one) for one in row] for row in own] == [[cell_text(one) for one in row] for row in other]


def test_of_another_format_it_is_said_what_is_not_known():
    names = ("office", "table", "text", "style")
    spaces = " ".join(f'xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"' for one in names)
    hides = (
        '<style:style style:name="h" style:family="table"><style:table-properties table:display="false"/></style:style>'
    )
    cells = ["id", "X-1", "", "X-2"]
    rows = "".join(
        "<table:table-row><table:table-cell"
        + (f' office:value-type="string"><text:p>{one}</text:p></table:table-cell>' if one else "/>")
        + "</table:table-row>"
        for one in cells
    )
    content = (
        f"<office:document-content {spaces}><office:automatic-styles>{hides}</office:automatic-styles><office:body>"
        f'<office:spreadsheet><table:table table:name="Old" table:style-name="h">{rows}</table:table>'
        f'<table:table table:name="List">{rows}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        manifest = '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
        archive.writestr("META-INF/manifest.xml", manifest)
        archive.writestr("content.xml", content)
    assert keys(file.getvalue()) == ["X-1", "X-2"]
    first, *more = said(file.getvalue())
    assert first == "in.xlsx: 2 rows read, of the sheet List"
    assert more[:2] == ["left out: the sheet Old: it is hidden", "left out: 1 blank row (3) of the sheet List"]
    assert more[2].startswith("not known of this format: hidden rows, formulas without a value")
    assert "leave --hidden-rows out" in told(file.getvalue(), ReadAs(hidden_rows="take"))

"""Cells of the tables: which value is of which type, what a workbook can hold."""

from __future__ import annotations

import csv
import io
import zipfile
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.evidence.outputs.xlsx.sample_sheet import CellWriter, LinkedBook, LinkedSheet, SampleSheet
from services.evidence.outputs.xlsx.workbook import OPTIONS
from services.evidence.state.file_contents import samples_csv
from services.evidence.tables import sheets
from services.evidence.tables.sheets import RowCells
from shared.contracts.discovery import Sample
from shared.evidence_format.facts import TaskFacts
from shared.evidence_format.table.columns import Kind, TableColumn, columns_of
from shared.evidence_format.table.rows import TableRow, fits, text_of
from shared.tables import workbook_cells

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

# --- types


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("number", [0, -3, 2.5, 2**53], [True, "5", 2**53 + 1, [1]]),
        ("whole", [0, 2**60], [True, 1.0, 2**63]),
        ("decimal", ["12.50", "-0.1", "0" * 30 + "7", "9" * 20 + "." + "9" * 18], ["1e5", "1,000", "", 1.5, "9" * 21]),
        ("boolean", [True, False], ["true", 1]),
        ("date", ["2026-02-28", "0001-01-01"], ["2026-02-30", "2026-2-3", "20260203", 20260203, "2026-02-28T00:00:00"]),
        (
            "date-time",
            ["2026-02-28T10:00:00", "2026-02-28T10:00:00Z", "2026-02-28T10:00:00.250000+02:00"],
            ["2026-02-28", "10:00", "2026-02-30T10:00:00", "2026-02-28T25:00:00", 5],
        ),
        ("array", [[], ["a"]], ["a", [1], {"a": 1}]),
        ("text", ["", "x", 5, [1]], []),
    ],
)
def test_a_value_is_of_a_type_or_it_is_not(kind, good, bad):
    assert [value for value in good if not fits(value, kind)] == []
    assert [value for value in bad if fits(value, kind)] == []
    assert fits(None, kind)


def test_values_as_text():
    assert text_of(True, "boolean") == "true"
    assert text_of(2.5, "number") == "2.5"
    assert text_of(["a;b", 'c"'], "array") == '["a;b","c\\""]'
    assert text_of(["a", "b"], "names") == "a;b"
    assert text_of(["a", "b"], "notes") == "a; b"
    assert text_of(None, "text") == ""


# --- columns


def test_columns_stand_in_order_and_judgments_only_where_there_are_any():
    spec = {"output_schema": {"total": "decimal | null", "kind": {"type": "enum", "values": ["a"], "description": "d"}}}
    plain = columns_of(TaskFacts.of(spec))
    assert [one.name for one in plain][:6] == ["sample_id", "row", "status", "reason", "total", "kind"]
    assert plain[4:6] == (TableColumn("total", "decimal", "", field=True), TableColumn("kind", "text", "d", field=True))
    assert not [one.name for one in plain if "judgment" in one.name]
    judged = [one.name for one in columns_of(TaskFacts.of({**spec, "judgment_required": True}))]
    assert judged[6:9] == ["judgment", "judgment_confidence", "judgment_reasoning"]
    assert judged[-2:] == ["judgment_evidence", "judgment_by"]


def test_a_field_of_an_old_run_keeps_its_name():
    task = TaskFacts.of({"output_schema": {"Fault": "string", "when": "not a type"}})
    names = [one.name for one in columns_of(task)]
    assert len({name.lower() for name in names}) == len(names)
    assert names[4:6] == ["Fault", "when"]


# --- workbooks


def test_a_text_that_is_too_long_is_cut_and_says_so():
    held, cut = workbook_cells.cell_text("😀" * 20_000)
    assert cut
    assert len(held.encode("utf-16-le")) // 2 <= 32_767
    assert held.endswith("[cut: 20000 characters, all of them in result.json]")
    assert workbook_cells.cell_text("x" * 32_767) == ("x" * 32_767, False)


@pytest.mark.parametrize(
    ("text", "held"),
    [("a\x01b", "a\ufffdb"), ("a\ufffe", "a\ufffd"), ("\ud800", "\ufffd"), ("a\r\nb\rc", "a\nb\nc"), ("\t\n", "\t\n")],
)
def test_what_a_workbook_cannot_hold_is_marked(text: str, held: str):
    assert workbook_cells.cell_text(text) == (held, False)


def written(cells: Mapping[int, Any], kinds: Mapping[int, Kind] | None = None) -> ElementTree.Element:
    """The row with these cells by their places, as the twelfth of a sheet that XlsxWriter has written."""
    width = max(cells) + 1
    columns = [TableColumn(f"c{place}", (kinds or {}).get(place, "text"), "", field=True) for place in range(width)]
    row = TableRow("a", "done", [cells.get(place) for place in range(width)], {}, [])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "book.xlsx"
        book = LinkedBook(str(path), {**OPTIONS, "tmpdir": folder})
        sheet: Any = book.add_worksheet("s", LinkedSheet)
        samples = SampleSheet(sheet, "", [one.name for one in columns], [9.0] * width, book.add_format())
        for _ in range(10):
            samples.add([])
        samples.add(CellWriter(defaultdict(book.add_format)).row(RowCells(columns).row(row).cells))
        samples.finish()
        book.close()
        with zipfile.ZipFile(path) as archive:
            rows = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml")).findall(f".//{MAIN}row")
    return rows[-1]


@given(st.text(), st.text())
@settings(max_examples=25)
def test_a_row_is_xml_and_says_what_it_was_given(one: str, other: str):
    texts = [one, f"<r>{other}</r>"]
    held = [workbook_cells.cell_text(text)[0] for text in texts]
    row = written({0: texts[0], 2: texts[1], 30: 1.5, 31: True}, {30: "number", 31: "boolean"})
    assert row.get("r") == "12"
    assert [cell.get("r") for cell in row] == ["A12", "C12", "AE12", "AF12"]
    shown = [cell.findtext(f"{MAIN}is/{MAIN}t") or "" for cell in row][:2]
    assert [text.replace("_x005F_x", "_x") for text in shown] == [text.replace("_x005F_x", "_x") for text in held]
    assert [cell.findtext(f"{MAIN}v") for cell in row][2:] == ["1.5", "1"]
    blank = [text[:1].isspace() or text[-1:].isspace() for text in held]
    assert ["{http://www.w3.org/XML/1998/namespace}space" in cell[0][0].attrib for cell in row[:2]] == blank


def test_what_looks_like_an_escape_of_the_workbook_is_escaped():
    assert written({0: "_x0041_"})[0].findtext(f"{MAIN}is/{MAIN}t") == "_x005F_x0041_"


@pytest.mark.parametrize(("place", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA")])
def test_names_of_columns(place: int, name: str):
    assert [cell.get("r") for cell in written({place: "x"})] == [f"{name}12"]


@given(st.datetimes(datetime(1901, 1, 1), datetime(9998, 12, 31)))
def test_days_count_as_excel_counts_them(at: datetime):
    serial = workbook_cells.serial_of(at.isoformat(timespec="microseconds"))
    assert serial is not None
    assert abs(datetime(1899, 12, 30) + timedelta(days=serial[0]) - at) < timedelta(milliseconds=1)
    day = workbook_cells.serial_of(at.date().isoformat())
    assert day == ((at.date() - date(1899, 12, 30)).days, "date")


@pytest.mark.parametrize("text", ["1899-12-31", "1900-02-28", "0001-01-01", "9999-12-31T23:59:59Z", "later"])
def test_a_day_that_excel_has_not_stays_text(text: str):
    assert workbook_cells.serial_of(text) is None


def test_a_time_with_a_zone_is_told_in_utc():
    assert workbook_cells.serial_of("2026-03-01T01:30:00+02:00") == workbook_cells.serial_of("2026-02-28T23:30:00Z")
    assert (workbook_cells.serial_of("2026-03-01T06:00:00") or (0, ""))[1] == "moment"


def test_a_decimal_is_a_number_only_where_no_digit_is_lost():
    assert workbook_cells.number_of("-12.50") == -12.5
    assert workbook_cells.number_of("123456789012345.0") == 123456789012345.0
    assert workbook_cells.number_of("1234567890123456.7") is None


def test_names_of_sheets_are_ones_that_excel_takes():
    assert sheets.sheet_name("needs_review", ["Samples"]) == "needs_review"
    assert sheets.sheet_name("a/b:c[d]*?'", []) == "a b c d"
    assert sheets.sheet_name("", []) == "other"
    assert sheets.sheet_name("SAMPLES", ["Samples"]) == "SAMPLES 2"
    assert sheets.sheet_name("History", []) == "History 2"
    assert len(sheets.sheet_name("x" * 50, ["x" * 31])) <= 31


@pytest.mark.parametrize(
    ("sample_id", "name"), [("A-1", "../x.png"), ("A-1", "x/y.png"), ("../A", "x.png"), ("", "x.png")]
)
def test_no_link_leads_elsewhere(sample_id: str, name: str):
    assert sheets.file_link(sample_id, name) is None
    assert sheets.file_link("A-1", "01_t.png") == "A-1/01_t.png"


def test_a_lone_carriage_return_in_the_input_breaks_no_row_of_the_population():
    one = Sample(sample_id="a", key="a", row=1, fields={"note": "x\ry", "=2+2": "-"})
    lines = list(csv.reader(io.StringIO(samples_csv([(one, datetime(2026, 3, 1, tzinfo=UTC))]).decode(), newline="")))
    assert lines == [
        ["sample_id", "url", "discovered_at", "row", "note", "'=2+2"],
        ["a", "", "2026-03-01T00:00:00Z", "1", "x\ry", "'-"],
    ]

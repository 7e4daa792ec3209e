"""A register read from CSV, Excel and JSON."""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import date
from typing import Any

import xlsxwriter

from shared.tables.excel import open_workbook
from shared.tables.files import parse_register
from shared.tables.table import Table
from tests.cases import cases
from tests.typed import expect


def rows(data: bytes, name: str = "out.csv") -> list[Mapping[str, str]]:
    table, problems = parse_register(data, name, open_workbook)
    assert problems == ()
    return [row.cells for row in expect(table, Table).rows]


def told(data: bytes, name: str = "out.csv") -> str:
    _, problems = parse_register(data, name, open_workbook)
    return problems[0].message


def workbook(*lines: list[Any]) -> bytes:
    data = io.BytesIO()
    with xlsxwriter.Workbook(data, {"default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet()
        for number, line in enumerate(lines):
            sheet.write_row(number, 0, line)
    return data.getvalue()


@cases("data", [b"id,owner\n", workbook(["id", "owner"])])
def test_a_header_without_rows_is_an_empty_register(data: bytes):
    assert rows(data) == []


def test_an_empty_list_is_an_empty_register():
    assert rows(b"[]", "out.json") == []


@cases(
    ("data", "name"),
    [
        (b"", "out.csv"), (b"", "out.json"), (b"{}", "out.json"), (b"[1]", "o.json"),
        (b'[{"a":' + b"[" * 90_000, "o.json"),
    ],
)  # fmt: skip
def test_a_file_without_anything_is_none(data: bytes, name: str):
    assert told(data, name)


def test_numbers_of_json_keep_their_digits():
    data = b'\xef\xbb\xbf[{"id": 12345678901234567890, "cost": 1.10, "sum": 0.12345678901234567890}]'
    assert rows(data, "out.json") == [{"id": "12345678901234567890", "cost": "1.10", "sum": "0.12345678901234567890"}]


def test_lists_and_objects_of_json_are_their_text():
    data = b'[{"id": "A", "labels": ["x, y", "z"], "by": {"name": "Ann"}, "gone": null, "open": true}]'
    assert rows(data, "out.json") == [
        {"id": "A", "labels": '["x, y","z"]', "by": '{"name":"Ann"}', "gone": "", "open": "true"}
    ]


def test_cells_of_a_workbook_are_as_in_every_input():
    data = workbook(["id", "due", "n"], [1001, date(2026, 3, 4), 2.5])
    assert rows(data, "out.xlsx") == [{"id": "1001", "due": "2026-03-04", "n": "2.5"}]


def test_a_formula_is_its_text_in_csv():
    assert rows(b'id,owner\n1,"=HYPERLINK(""http://x"")"\n')[0]["owner"] == '=HYPERLINK("http://x")'


def test_cells_that_would_slip_under_another_name_are_refused():
    assert "is a cell with the delimiter in it not quoted" in told(b"id,owner\n1,Lee, Ann\n")

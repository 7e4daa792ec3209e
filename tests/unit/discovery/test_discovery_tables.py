"""From bytes and objects to tables: encodings, delimiters, shapes."""

from __future__ import annotations

from datetime import date, datetime, time

from shared.tables.cells import cell_text
from shared.tables.delimited import detect_delimiter, parse_delimited
from shared.tables.encodings import DecodedText, Undecoded, decode_text
from shared.tables.table import Table, objects_to_table, to_table
from tests.cases import cases
from tests.typed import expect


def table(data: bytes):
    grid, problems, _ = parse_delimited(data, "in.csv")
    assert problems == ()
    return to_table(grid, "in.csv")


@cases("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_same_text_comes_out_of_every_encoding(encoding):
    found, problems = table("name,url\nZoë,x\n".encode(encoding))
    assert problems == ()
    assert [dict(row.cells) for row in expect(found, Table).rows] == [{"name": "Zoë", "url": "x"}]


def test_no_encoding_is_guessed():
    refused = expect(decode_text("id,name\n1,Zoë\n".encode("cp1252")), Undecoded).message
    assert "line 2 reads '1,Zoë' as cp1252 and " in refused
    assert "say --encoding cp1252 or --encoding " in refused
    assert expect(decode_text("Zoë".encode()), DecodedText).encoding == "utf-8"


def test_the_likeliest_encodings_are_those_in_which_letters_stand_by_letters_of_their_script():
    russian = "id,name\n1,Привет\n".encode("cp1251")
    assert "'1,Привет' as cp1251" in expect(decode_text(russian), Undecoded).message
    japanese = "id,name\n1,東京都港区\n"
    assert "'1,東京都港区' as cp932" in expect(decode_text(japanese.encode("cp932")), Undecoded).message
    assert "'1,東京都港区' as iso2022_jp" in expect(decode_text(japanese.encode("iso2022_jp")), Undecoded).message


def test_an_encoding_that_is_told_is_used():
    assert expect(decode_text("Zoë".encode("cp1252"), "windows-1252"), DecodedText).text == "Zoë"
    assert expect(decode_text("Zoë".encode("utf-16-le"), "utf-16-le"), DecodedText).text == "Zoë"


@cases(
    ("data", "told", "words"),
    [
        (b"a", "klingon", "no text encoding"),
        (b"a", "base64", "no text encoding"),
        (b"a\n\x81", "cp1252", "line 2 has bytes (81)"),
        (b"a\n\x80", "latin-1", "control character"),
        (b"\xef\xbb\xbfa", "cp1252", "first bytes say utf-8"),
        (b"a\0b\0", "cp1252", "control character"),
    ],
)
def test_an_encoding_that_the_bytes_refute_is_refused(data, told, words):
    assert words in expect(decode_text(data, told), Undecoded).message


@cases("data", [b"\x00\x01\x02", b"\x89PNG\r\n\x1a\n\x00"])
def test_what_is_no_text_is_said_to_be_none(data):
    grid, problems, _ = parse_delimited(data, "in.csv")
    assert grid == []
    assert "no text" in problems[0].message


@cases(("header", "mark"), [("a,b;c,d", ","), ("a;b;c", ";"), ("a\tb", "\t"), ("only", ","), ('"a;b;c",d', ",")])
def test_the_delimiter_is_the_one_that_cuts_the_header(header, mark):
    assert detect_delimiter(header + "\n1;2,3\n") == mark


def test_excels_own_line_about_the_delimiter_is_no_header():
    found, _ = table(b"sep=;\na;b\n1;2\n")
    assert isinstance(found, Table)
    assert found.columns == ("a", "b")


def test_a_quote_that_never_closes_does_not_eat_the_rest():
    _, problems, _ = parse_delimited(b'a,b\n"1,2\n3,4\n', "in.csv")
    assert "cannot be read as CSV" in problems[0].message


def test_rows_are_counted_under_the_header_blank_ones_too():
    found, problems = table(b"\n\na,b\n1,2\n\n,\n3,4\n")
    assert problems == ()
    assert [row.number for row in expect(found, Table).rows] == [1, 4]


@cases(("data", "words"), [(b"", "empty"), (b"\n \n", "empty"), (b"a,b\n", "no row under it")])
def test_a_file_without_rows_says_what_is_missing(data, words):
    _, problems = table(data)
    assert words in problems[0].message


def test_every_flaw_in_the_shape_is_listed():
    _, problems = table(b"a,a,,b\n1,2,3,4\n1,2,3,4,5\n")
    assert [problem.where for problem in problems] == ["in.csv, column a", "in.csv, column 3", "row 2"]


def test_empty_columns_at_the_end_are_no_flaw():
    found, problems = table(b"a,b,,\n1,2,,\n")
    assert problems == ()
    assert isinstance(found, Table)
    assert found.columns == ("a", "b")


@cases(
    ("cell", "text"),
    [
        (None, ""), (1001.0, "1001"), (0.5, "0.5"), (7, "7"), (True, "true"), (float("inf"), "inf"),
        (date(2026, 3, 3), "2026-03-03"), (datetime(2026, 3, 3), "2026-03-03"),
        (datetime(2026, 3, 3, 10, 30), "2026-03-03T10:30:00"), (time(12, 0), "12:00:00"), ("  x ", "x"),
    ],
)  # fmt: skip
def test_cells_become_clean_text(cell, text):
    assert cell_text(cell) == text


def test_objects_may_lack_keys_and_must_hold_plain_values():
    found, problems = objects_to_table([{"a": 1}, {"b": ["x"]}])
    assert isinstance(found, Table)
    assert found.columns == ("a", "b")
    assert [problem.where for problem in problems] == ["row 2, column b"]
    assert dict(found.rows[0].cells) == {"a": "1", "b": ""}


def test_no_objects_are_a_problem():
    assert objects_to_table([])[1]


def test_a_number_that_excel_has_rounded_is_no_id():
    _, problems = to_table([["id"], [12345678901234567890.0], [123456789012345.0]], "in.xlsx")
    assert [problem.where for problem in problems] == ["row 1, column 1"]
    assert "format the column as text" in problems[0].message


def test_how_names_and_cells_were_written_stays_known():
    table, _ = to_table([["", ""], [" ref ", "", "note", ""], ["1 ", "", " ", ""], [2.0, "", "\u00a0z"]], "in.csv")
    assert table is not None
    assert (table.columns, table.header) == (("ref", "note"), (" ref ", "", "note"))
    assert [(dict(row.cells), dict(row.as_given)) for row in table.rows] == [
        ({"ref": "1", "note": ""}, {"ref": "1 ", "note": " "}),
        ({"ref": "2", "note": "z"}, {"note": "\u00a0z"}),
    ]

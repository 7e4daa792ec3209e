"""Cells that a spreadsheet would run as a formula are guarded, by one rule in all tables and SQL results."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from pathlib import Path

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from services.evidence.sql.statements import ANSWER, copy_answer
from services.evidence.sql.statements import quote_name as quoted
from shared.tables.csv_cells import csv_line, without_formula

ODD = "=+-@＝＋－＠0159.'\t\r\n\0 \x1c\x85\xa0\xad\u061c\u180e\u2003\u200b\u200e\u2028\u202e\u2060\u2069\u3000\ufeff"
ODD_TEXTS = st.text(st.sampled_from(ODD), max_size=6)
CELLS = ODD_TEXTS | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@pytest.mark.parametrize(
    "text",
    [
        *("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\nx", " =1", "\u00a0=1", "\x00=1", "\ufeff=1"),
        *("\u200b=1", "＝1", "＋1", "－1", "＠x", "-", "- none", "+49 30 1234", "-1e5", "=cmd|' /C calc'!A0"),
    ],
)
def test_what_might_be_run_gets_an_apostrophe(text: str):
    assert without_formula(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "-5", "+5", "-5.25", "007", "a=b", "1-2", "'=1", "x@y.example", "李=1", "…=1"])
def test_what_is_harmless_stays_as_it_is(text: str):
    assert without_formula(text) == text


def first_seen(text: str) -> str:
    """The first letter that is seen, a wide one as a narrow one."""
    seen = (sign for sign in text if unicodedata.category(sign) not in ("Cc", "Cf", "Zs", "Zl", "Zp"))
    return unicodedata.normalize("NFKC", next(seen, ""))


@given(ODD_TEXTS)
def test_no_cell_begins_with_the_sign_of_a_formula_but_a_number(text: str):
    cell = without_formula(text)
    assert cell in (text, f"'{text}")
    assert first_seen(cell) not in tuple("=+-@") or re.fullmatch("[+-]?[0-9]+([.][0-9]+)?", cell)


@given(st.lists(CELLS, min_size=1, max_size=40))
@example(["\u200b=1", "＝1", "\xa0-1", "\n", "-5\n", "-5"])
@settings(deadline=None, max_examples=15)
def test_an_answer_to_sql_is_guarded_as_every_table_is(tmp_path_factory: pytest.TempPathFactory, cells: list[str]):
    file = tmp_path_factory.mktemp("answer") / "answer.csv"
    assert written_by_the_database(file, "=title", cells) == [["'=title"], *([without_formula(cell)] for cell in cells)]


def written_by_the_database(file: Path, title: str, cells: list[str]) -> list[list[str]]:
    """The lines of the CSV that it answers with, as they are read back."""
    with duckdb.connect() as database:
        database.execute("CREATE SCHEMA aside")
        database.execute(f"CREATE TABLE {ANSWER} ({quoted(title)} VARCHAR)")
        database.executemany(f"INSERT INTO {ANSWER} VALUES (?)", [[cell] for cell in cells])
        database.execute(copy_answer([(title, "VARCHAR")], len(cells), "csv", str(file)))
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1, max_size=6))
def test_a_line_is_read_back_as_it_was_written(cells: list[str]):
    lines = list(csv.reader(io.StringIO(csv_line(cells) + csv_line(["end"]), newline="")))
    assert lines == [cells, ["end"]]


def test_nul_ends_no_line():
    assert csv_line(["a\0b", "c"]) == "a\ufffdb,c\n"

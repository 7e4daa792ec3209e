"""The catalogue of views: its page is current and readable."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.write_docs import ROOT
from services.evidence.sql.catalogue import VIEWS
from services.evidence.sql.docs_page import EXAMPLES, page
from services.evidence.sql.row_values import date_of, exact_of, moment_of


def test_the_page_is_current():
    """If not: make docs"""
    assert (ROOT / "docs" / "sql.md").read_text(encoding="utf-8") == page()


def test_every_column_is_told_once_with_its_unit():
    for view in VIEWS:
        assert len(set(view.names)) == len(view.names), view.name
        assert view.names[:2] == ("run_id", "task_id")
        for column in view.columns:
            assert column.meaning.endswith((".", "`.", ")")), (view.name, column.name)
            units = {"_px": "CSS px", "_ms": "ms", "_s": "s", "_bytes": "bytes", "_usd": "US dollars"}
            for ending, unit in units.items():
                if column.name.endswith(ending):
                    assert column.unit == unit, (view.name, column.name)


def test_there_are_ten_questions_and_more():
    assert len({example.name for example in EXAMPLES}) == len(EXAMPLES) >= 10


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (7, "7.000000000"),
        ("1234567.89", "1234567.890000000"),
        (0.1, "0.100000000"),
        ("12345678901234567890123456789.123456789", "12345678901234567890123456789.123456789"),
        ("123456789012345678901234567890", None),
        (1e-10, None),
        ("1e400", None),
        ("NaN", None),
        ("Infinity", None),
        (True, None),
        ("seven", None),
        (None, None),
        ([1], None),
    ],
)
def test_a_number_is_exact_or_none(value, exact):
    assert exact_of(value) == exact


@pytest.mark.parametrize(
    ("text", "day", "moment"),
    [
        ("2026-02-28", "2026-02-28", None),
        ("2026-02-28T23:30:00+02:00", "2026-02-28", "2026-02-28T21:30:00+00:00"),
        ("2026-02-28T23:30", "2026-02-28", None),
        ("2026-02-30", None, None),
        ("0001-01-01T00:00:00+14:00", "0001-01-01", None),
        ("soon", None, None),
        (None, None, None),
    ],
)
def test_a_day_and_a_moment_are_those_that_are_written(text, day, moment):
    assert (date_of(text), moment_of(text)) == (day, moment)


@given(st.text())
def test_whatever_a_page_says_is_a_day_or_none(text):
    assert date_of(text) is None or date.fromisoformat(str(date_of(text)))
    assert exact_of(text) is None or float(str(exact_of(text))) == pytest.approx(float(text.strip().replace("_", "")))

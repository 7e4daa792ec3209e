"""Dates as requested, written and read."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from services.browser_pool.page.dates import Format, Moment, example, format_of, native, parse, reads_as, reads_in
from shared.text.written_dates import days_in
from tests.cases import cases
from tests.typed import there

DAY = Moment(2026, 11, 21)


@cases("text", ["", "21.11.2026", "2026-02-30", "2026-13", "25:00", "14:61", "2026-11T10:00", "x"])
def test_what_is_no_date(text: str) -> None:
    assert parse(text) is None


def test_what_is_a_date() -> None:
    assert parse("2026-11-21") == DAY
    assert parse("2026-11") == Moment(2026, 11)
    assert parse("14:30") == Moment(hour=14, minute=30)
    assert parse("2026-11-21T14:30") == Moment(2026, 11, 21, 14, 30)
    assert parse("2026-W47") == Moment(2026, 11, 16)


def test_weeks_belong_to_the_year_most_of_them_is_in() -> None:
    assert native(Moment(2027, 1, 1), "week") == "2026-W53"


@cases(
    ("hint", "written"),
    [
        ("MM/DD/YYYY", "11/21/2026"), ("tt.mm.jjjj", "21.11.2026"), ("jj/mm/aaaa", "21/11/2026"),
        ("e.g. yyyy-mm-dd", "2026-11-21"), ("d MMM yyyy", "21 Nov 2026"), ("M/D/YY", "11/21/26"),
    ],
)  # fmt: skip
def test_formats_that_fields_name(hint: str, written: str) -> None:
    known = there(format_of(hint))
    assert known.write(DAY) == written


@cases("hint", ["", "mm/dd", "Add a day", "mm/mm/yyyy"])
def test_what_names_no_format(hint: str) -> None:
    assert format_of(hint) is None


def test_an_example_counts_where_it_can_be_read_in_one_way() -> None:
    assert example("12/25/2026") == Format("mdy", ("/", "/"))
    assert example("25.12.2026") == Format("dmy", (".", "."))
    assert example("03/04/2026") is None


@cases(
    ("text", "verdict"),
    [
        ("Saturday, November 21st, 2026", True), ("21 nov. 2026", True), ("21. November 2026", True),
        ("2026年11月21日", True), ("20261121", True), ("11/21/2026", True), ("21 Nov, 26", None), ("11/20/2026", False),
        ("", False), ("No date", False),
    ],
)  # fmt: skip
def test_how_pages_write_a_day(text: str, verdict: bool | None) -> None:
    assert reads_as(text, DAY) is verdict


def test_a_day_that_may_be_another_is_told_by_the_order() -> None:
    day = Moment(2026, 3, 4)
    assert days_in("03/04/2026") == {date(2026, 3, 4), date(2026, 4, 3)}
    assert reads_as("03/04/2026", day) is None
    assert reads_in("03/04/2026", "mdy", day)
    assert not reads_in("03/04/2026", "dmy", day)


def test_times_in_halves_of_the_day() -> None:
    assert reads_as("2:30 PM", Moment(hour=14, minute=30))
    assert reads_as("12:05 am", Moment(hour=0, minute=5))
    assert reads_as("2:30", Moment(hour=14, minute=30)) is False


@given(
    st.dates(date(1900, 1, 1), date(2100, 1, 1) - timedelta(days=1)),
    st.sampled_from(["mdy", "dmy", "ymd"]),
    st.sampled_from(["/", ".", "-"]),
    st.booleans(),
)
def test_what_is_written_is_read_as_the_same_day(day: date, order: str, between: str, padded: bool) -> None:
    moment = Moment(day.year, day.month, day.day)
    text = Format(order, (between, between), padded=padded).write(moment)
    assert reads_in(text, order, moment)
    assert reads_as(text, moment) is not False

"""Page text to a typed value: ambiguous text is invalid."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.task.output_field import OutputField
from shared.task.typed_values import Context, find_shown_problem, is_not_present, normalise
from shared.text.normal import Invalid, Normal


def valid(kind: str, raw: object) -> object:
    result = normalise(kind, raw)
    assert isinstance(result, Normal), result
    return result.value


def invalid(kind: str, raw: object) -> str:
    result = normalise(kind, raw)
    assert isinstance(result, Invalid), result
    return result.message


def test_none_is_missing_but_zero_false_and_the_empty_text_are_values():
    assert invalid("string", None)
    assert valid("number", 0) == 0
    assert valid("boolean", False) is False
    assert valid("string", "") == ""


def test_a_string_loses_only_its_superfluous_white_space():
    assert valid("string | null", "  Ann \n  Lee ") == "Ann Lee"


@pytest.mark.parametrize(
    ("shown", "number"),
    [
        ("42", 42),
        ("-7", -7),
        ("1,234", 1234),
        ("1,234,567.5", 1234567.5),
        ("12.50", 12.5),
        ("1 234", 1234),
        ("1.234,56", 1234.56),
    ],
)
def test_numbers(shown, number):
    value = valid("number", shown)
    assert value == number
    assert type(value) is type(number)


@pytest.mark.parametrize("shown", ["", "twelve", "1,23", "12,34,567", "1.2.3", "NaN", "1e5", "--1", "3 apples", True])
def test_what_is_no_number(shown):
    assert invalid("number", shown)


@pytest.mark.parametrize(
    ("shown", "exact"),
    [
        ("1,234.50", "1234.50"),
        ("$1.10", "1.10"),
        ("-$5", "-5"),
        ("0.10 EUR", "0.10"),
        ("1.234,56", "1234.56"),
        (12.3, "12.3"),
    ],
)
def test_a_decimal_is_a_string_with_every_digit_it_was_shown_with(shown, exact):
    assert valid("decimal", shown) == exact


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9))
def test_no_decimal_loses_a_digit(amount: Decimal):
    value = valid("decimal", f"{amount:,.4f}")
    assert isinstance(value, str)
    assert Decimal(value) == amount


@pytest.mark.parametrize(("shown", "truth"), [("Yes", True), ("TRUE", True), (" no ", False), ("✗", False), (1, True)])
def test_booleans(shown, truth):
    assert valid("boolean", shown) is truth


def test_what_is_neither_yes_nor_no():
    assert "neither" in invalid("boolean", "maybe")


@pytest.mark.parametrize(
    "shown",
    [
        "2026-03-03", "2026/3/3", "Mar 3, 2026", "March 3rd, 2026", "3 March 2026", "3-Mar-2026", "03/03/2026",
        "Tue, Mar 3, 2026", "Tuesday, 3 March 2026", "2026-03-03T23:59:00Z", "2026-03-03.14:05:33",
        "Mar 3, 2026 10:15 AM",
    ],
)  # fmt: skip
def test_dates_in_any_form_that_means_one_day(shown):
    assert valid("date", shown) == "2026-03-03"


@pytest.mark.parametrize(
    ("shown", "day"), [("13/10/24", "2024-10-13"), ("10/13/24", "2024-10-13"), ("31.12.2025", "2025-12-31")]
)
def test_a_day_above_twelve_settles_the_order(shown, day):
    assert valid("date", shown) == day


@pytest.mark.parametrize(
    "shown",
    [
        "03/10/24",
        "3.10.2024",
        "2026-02-30",
        "Mar 2026",
        "tomorrow",
        "",
        "2026-03-031",
        "13/13/2024",
        "Mar 3, 2026 maybe",
    ],
)
def test_what_is_no_certain_date(shown):
    assert invalid("date", shown)


def test_an_ambiguous_date_says_why():
    assert "day/month or month/day" in invalid("date | null", "03/10/24")


@pytest.mark.parametrize(
    ("shown", "moment"),
    [
        ("2026-03-03T14:05Z", "2026-03-03T14:05:00+00:00"),
        ("2026-03-03 14:05:33", "2026-03-03T14:05:33"),
        ("2026-03-03 14:05 UTC", "2026-03-03T14:05:00+00:00"),
        ("2026-03-03T14:05:33.250+0130", "2026-03-03T14:05:33.250000+01:30"),
        ("Mar 3, 2026 at 2:05 pm", "2026-03-03T14:05:00"),
        ("3 March 2026, 12:00 AM", "2026-03-03T00:00:00"),
    ],
)
def test_date_times(shown, moment):
    assert valid("date-time", shown) == moment


@pytest.mark.parametrize("shown", ["2026-03-03", "2026-03-03 25:00", "2026-03-03 13:00 PM", "2026-03-03 10:00 +99:00"])
def test_what_is_no_date_time(shown):
    assert invalid("date-time", shown)


def test_arrays_come_as_lists_or_as_text():
    assert valid("array", ["a ", "b"]) == ["a", "b"]
    assert valid("array", "red, green;  blue\nblack") == ["red", "green", "blue", "black"]


def test_many_things_are_not_one():
    assert invalid("string", ["a", "b"])
    assert invalid("array", {"a": 1})


def test_the_words_for_nothing_are_compared_without_case_and_ends():
    assert is_not_present("  unassigned ", ["Unassigned"])
    assert not is_not_present("unassigned yet", ["Unassigned"])
    assert not is_not_present("", [])


@given(st.text(max_size=40))
def test_no_text_breaks_a_reader(shown: str):
    for kind in ("string", "number", "decimal", "boolean", "date", "date-time", "array"):
        assert isinstance(normalise(kind, shown), Normal | Invalid)


def test_of_two_words_that_differ_only_in_case_none_is_guessed():
    words = Context(values=("Open", "OPEN", "closed"))
    assert normalise("enum", "Open", words) == Normal("Open")
    assert normalise("enum", "CLOSED", words) == Normal("closed")
    assert isinstance(normalise("enum", "open", words), Invalid)


def test_each_part_of_a_list_fits_the_pattern():
    field = OutputField(type="array", pattern="[a-z]+")
    assert find_shown_problem(field, "red, green") == ""
    assert find_shown_problem(field, "red, 12") == "'12' does not fit the pattern [a-z]+"

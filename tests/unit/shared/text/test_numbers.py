"""Numbers as pages show them: exactly one, or none."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from shared.task.output_field import OutputField
from shared.task.typed_values import typed_value
from shared.text.normal import Invalid, Normal
from shared.text.numbers import exact_number
from tests.cases import cases
from tests.typed import expect

NUMBER, MONEY = OutputField(type="number"), OutputField(type="decimal")


def value(field: OutputField, shown: object, title: str | None = None) -> object:
    result = typed_value(field, shown, title=title)
    assert isinstance(result, Normal), result
    return result.value


def why_not(field: OutputField, shown: object, title: str | None = None) -> str:
    result = typed_value(field, shown, title=title)
    assert isinstance(result, Invalid), result
    return result.message


@cases(
    ("shown", "number"),
    [
        ("1,234", 1234), ("1,234,567", 1234567), ("1.234.567", 1234567), ("1'234'567", 1234567),
        ("1\u202f234\u202f567", 1234567), ("1\u00a0234,5", 1234.5), ("0.125", 0.125), (".5", 0.5), ("1.2345", 1.2345),
        ("1234.567", 1234.567), ("\u22125", -5), ("\u200f-5\u200e", -5), ("١٬٢٣٤", 1234), ("१२", 12),
        ("１，２３４", 1234), ("$5", 5), ("5 EUR", 5),
    ],
)  # fmt: skip
def test_what_can_be_one_number_only(shown, number):
    found = value(NUMBER, shown)
    assert found == number
    assert type(found) is type(number)


@cases(
    ("shown", "amount"),
    [
        ("1 234,50 €", "1234.50"),
        ("1.234,56", "1234.56"),
        ("12,50", "12.50"),
        ("0,125", "0.125"),
        ("(1,234.56)", "-1234.56"),
        ("($1,234)", "-1234"),
        ("$(1,234.50)", "-1234.50"),
        ("(12,50 €)", "-12.50"),
        ("1,234.50-", "-1234.50"),
        ("-$5", "-5"),
        ("$-5", "-5"),
        ("US$ 1,234.50", "1234.50"),
        ("-7", "-7"),
        (12.3, "12.3"),
        ("$5 USD", "5"),
        ("CHF 1’234.50", "1234.50"),
        ("٣٫٥٠", "3.50"),
        ("0.10", "0.10"),
        ("123456789012345678901234567890123456.78", "123456789012345678901234567890123456.78"),
        ("-123456789012345678901234567890123456.78", "-123456789012345678901234567890123456.78"),
    ],
)
def test_amounts_of_money(shown, amount):
    assert value(MONEY, shown) == amount


@cases(("shown", "number"), [("1,234²", 1234), ("12.50¹", 12.5), ("1.234.567³", 1234567)])
def test_a_raised_digit_behind_a_number_that_is_written_out_marks_a_footnote(shown: str, number: float):
    assert exact_number(shown) == Decimal(str(number))


@cases("shown", ["12²", "10⁶", "1.5²", "m²", "CO₂"])
def test_another_raised_digit_may_be_an_exponent(shown: str):
    assert isinstance(exact_number(shown), Invalid)


@cases("shown", ["1.234", "12.345", "1,234 €", "1.234 €", "$1.234", "1.234 USD"])
def test_what_could_be_two_numbers_is_none_whatever_the_currency(shown):
    assert "could be" in why_not(MONEY, shown)


@cases(
    "shown",
    [
        "12 %", "12%", "50 percent", "(3)", "(4.75)", "3-", "5-7", "3/4", "½", "10²", "~5", "≈5", "<5", ">5",
        "5 GB", "1e5", "0x10",
        "1,23", "1,5", "12,34,567", "1,2345", "$5 €", "€5 USD", "--5", "-(5)", "5 apples",
        "1.2.3", "1,234.5.6", "1 2", "- 5",
        "1 2345", "01,234", "Infinity", "NaN", "", "-", "$", "9" * 81, "Due: 5", "twelve", True,
    ],
)  # fmt: skip
def test_what_is_no_certain_number(shown):
    assert why_not(NUMBER, shown)


@cases("shown", ["(3)", "(1,234)", "5-", "12 %", "(12.345)"])
def test_what_is_no_certain_amount(shown):
    assert why_not(MONEY, shown)


def test_a_percentage_and_a_lone_fraction_are_named():
    assert "percentage" in why_not(NUMBER, "12 %")
    assert "or be two" in why_not(NUMBER, "1,23")


@cases("shown", ["231k", "231 K", "1.2M", "1,2 Mio.", "3bn", "1,000+", "99+", "$1.2M"])
def test_a_rounded_number_is_none(shown):
    assert "rounded" in why_not(NUMBER, shown)


@cases(
    ("shown", "title", "number"),
    [
        ("231k", "231,400 followers", 231400), ("231k", "231,999", 231999), ("231k", "230,500", 230500),
        ("231k", "231.400", 231400), ("1.2M", "1234567", 1234567), ("1,2 Mio", "1.234.567 Aufrufe", 1234567),
        ("99+", "134 open issues", 134), ("1.234", "1234", 1234), ("1.234", "1.2340 km", 1.234),
    ],
)  # fmt: skip
def test_the_title_tells_the_number_that_was_rounded(shown, title, number):
    assert value(NUMBER, shown, title) == number


@cases(
    ("shown", "title"),
    [
        ("231k", "followers"), ("231k", "23,140 followers"), ("231k", "232,000"),
        ("231k", "231,400 followers, 12 following"), ("231k", "231.4k followers"), ("231k", "v231400"),
        ("231k", "231400%"), ("99+", "12"), ("1.234", "1.234"), ("1.234", "5"), ("five", "5"), ("5 apples", "5"),
        ("231k", "9" * 400),
    ],
)  # fmt: skip
def test_a_title_that_does_not_fit_tells_nothing(shown, title):
    assert why_not(NUMBER, shown, title)


def test_what_is_shown_exactly_is_not_overruled_by_a_title():
    assert value(NUMBER, "5", "7 of them") == 5


def test_no_float_loses_a_digit_in_silence():
    assert "more digits" in why_not(NUMBER, "12345678901234.567")
    assert "more digits" in why_not(MONEY, 12345678901234.567)
    assert value(MONEY, "12345678901234.567 USD".replace(" USD", "")) == "12345678901234.567"
    assert value(NUMBER, 10**30) == 10**30


AMOUNTS = st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**12), max_value=10**12)
FORMS = {
    "american": lambda text: text,
    "german": lambda text: text.translate(str.maketrans(",.", ".,")),
    "swiss": lambda text: text.replace(",", "’"),
    "french": lambda text: text.replace(",", "\u202f").replace(".", ","),
    "arabic": lambda text: text.translate(str.maketrans("0123456789,.", "٠١٢٣٤٥٦٧٨٩٬٫")),
    "accounted": lambda text: f"({text[1:]})" if text.startswith("-") else text,
    "signed": lambda text: f"{text} €",
}


@given(AMOUNTS, st.sampled_from(sorted(FORMS)))
def test_an_amount_comes_back_from_any_form_it_is_written_in(amount: Decimal, form: str):
    found = expect(value(MONEY, FORMS[form](f"{amount:,.2f}")), str)
    assert Decimal(found) == amount


@given(st.integers(-(10**15), 10**15))
def test_a_whole_number_comes_back(number: int):
    assert value(NUMBER, f"{number:,}") == number
    assert value(NUMBER, str(number)) == number


@given(st.integers(1, 999), st.integers(0, 999))
def test_three_digits_behind_a_point_are_never_taken_for_either(whole: int, rest: int):
    shown = f"{whole}.{rest:03d}"
    assert isinstance(exact_number(shown, money=True), Invalid)
    assert exact_number(shown, title=f"{whole * 1000 + rest} in all") == whole * 1000 + rest


@given(st.integers(0, 10**9), st.integers(1, 999))
def test_a_title_counts_only_if_rounding_gives_what_is_shown(exact: int, thousands: int):
    result = typed_value(NUMBER, f"{thousands}k", title=f"{exact:,} followers")
    assert isinstance(result, Normal) == (abs(exact - thousands * 1000) < 1000)

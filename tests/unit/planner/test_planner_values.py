"""Page text to a typed value, but for dates and numbers: ambiguous text is invalid."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shared.task.output_field import OutputField
from shared.task.typed_values import Context, find_shown_problem, is_not_present, normalise
from shared.text.normal import Invalid, Normal
from tests.cases import cases


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


@cases(("shown", "truth"), [("Yes", True), ("TRUE", True), (" no ", False), ("✗", False), (1, True)])
def test_booleans(shown, truth):
    assert valid("boolean", shown) is truth


def test_what_is_neither_yes_nor_no():
    assert "neither" in invalid("boolean", "maybe")


def test_arrays_come_as_lists_or_as_text():
    assert valid("array", ["a ", "b"]) == ["a", "b"]
    assert valid("array", "red, green;  blue\nblack") == ["red", "green", "blue", "black"]


def test_many_things_are_not_one():
    assert invalid("string", ["a", "b"])
    assert invalid("array", {"a": 1})


def test_the_words_for_nothing_are_compared_without_case_and_ends():
    field = OutputField(type="string", not_present=["Unassigned"])
    assert is_not_present("  unassigned ", field)
    assert not is_not_present("unassigned yet", field)
    assert not is_not_present("", field)


def test_a_dash_is_no_value_unless_it_is_one_of_the_values_asked_for_nor_is_null_a_number():
    assert all(is_not_present(dash, OutputField(type="string")) for dash in ("-", " \u2014 ", "--", "\u2013"))
    assert not is_not_present("-5", OutputField(type="number"))
    assert is_not_present("None", OutputField(type="number | null"))
    assert not is_not_present("None", OutputField(type="number"))
    assert not is_not_present("None", OutputField(type="string | null"))
    assert not is_not_present("-", OutputField(type="enum", values=["+", "-"]))


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

"""Page text to a typed value, but for dates and numbers: ambiguous text is invalid."""

from __future__ import annotations

from shared.task.typed_values import is_not_present, normalise
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
    assert is_not_present("  unassigned ", ["Unassigned"])
    assert not is_not_present("unassigned yet", ["Unassigned"])
    assert not is_not_present("", [])

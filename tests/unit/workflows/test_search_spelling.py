"""Words of a query that are one letter away from a word of the library."""

from __future__ import annotations

from services.workflows.search.spelling import Spelling
from tests.cases import cases

SPELLING = Spelling(["close stale tickets", "count tickets per assignee", "measure tickeys", "prüfe rechnungen"])


@cases(
    ("written", "corrected"),
    [
        ("shut tikets", "shut tickets"),  # a letter less
        ("shut ticckets", "shut tickets"),  # more
        ("shut tjckets", "shut tickets"),  # other
        ("shut Tikcets!", "shut tickets!"),  # two in another order
        ("PRÜFE RECHNUGEN", "PRÜFE rechnungen"),
        ("asignees of it", "asignees of it"),  # two letters away from assignee
        ("tcikste", "tcikste"),
    ],
)
def test_an_unknown_word_is_taken_for_the_one_that_is_a_letter_away(written: str, corrected: str):
    assert SPELLING.corrected(written) == corrected


@cases("written", ["coast stalls", "clse", "closes", "tickeys", "", "??", "x" * 5000, "检查发票检查"])
def test_a_common_word_a_word_of_the_library_and_a_short_one_stay(written: str):
    assert Spelling(["close", "coasts", "stall", "tickets", "tickeys", "closet"]).corrected(written) == written


def test_of_two_near_words_the_more_frequent_is_meant():
    assert SPELLING.corrected("tickees") == "tickets"


def test_a_library_without_words_corrects_nothing():
    assert Spelling([]).corrected("tikets") == "tikets"

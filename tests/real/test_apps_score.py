"""Every cell and every list gets the verdict that a person would give."""

from __future__ import annotations

from tests.real.apps.app import Record, Truth
from tests.real.apps.collect import Outcome, report
from tests.real.apps.score import Cell, Ended, Judged, Listed, judge_cells, judge_list

TRUTH = Truth(
    records={
        "A-1": Record("/A-1", {"owner": "Zoë", "amount": 12.5}),
        "A-2": Record("/A-2", {"owner": None, "amount": 3}),
    },
    missing={"A-9": "/A-9"},
    list_path="/all",
    listed={"A-1": {"number": "A-1", "owner": "Zoë"}, "A-2": {"number": "A-2", "owner": None}},
)
ZOE, LINA, NONE, LOST = Cell("value", "Zoë"), Cell("value", "Lina"), Cell("not_present", ""), Cell("not_found", "")
GONE = Ended("failed", "not_found", {})


def verdicts(first: Ended, missing: Ended = GONE) -> list[str]:
    """Verdicts on the owners of A-1 and A-2 (which is under review), and on the missing record."""
    ends = {"A-1": first, "A-2": Ended("needs_review", "ambiguous_value", {}), "A-9": missing}
    return [one.verdict for one in judge_cells(TRUTH, ["owner"], ends)]


def test_a_value_of_the_database_is_right_and_any_other_of_a_done_sample_is_wrong():
    assert verdicts(Ended("done", "", {"owner": ZOE})) == ["right", "review", "right"]
    assert verdicts(Ended("done", "", {"owner": LINA})) == ["wrong", "review", "right"]


def test_not_present_is_wrong_where_there_is_a_value_and_right_where_there_is_none():
    assert verdicts(Ended("done", "", {"owner": NONE})) == ["wrong", "review", "right"]
    done = Ended("done", "", {"owner": NONE, "amount": Cell("value", "3")})
    judged = judge_cells(TRUTH, ["owner", "amount"], {"A-2": done})
    assert [one.verdict for one in judged if one.record == "A-2"] == ["right", "right"]


def test_a_number_is_right_in_any_spelling():
    done = Ended("done", "", {"amount": Cell("value", "12.50")})
    assert next(one.verdict for one in judge_cells(TRUTH, ["amount"], {"A-1": done})) == "right"
    other = Ended("done", "", {"amount": Cell("value", "twelve")})
    assert next(one.verdict for one in judge_cells(TRUTH, ["amount"], {"A-1": other})) == "wrong"


def test_a_field_that_was_not_found_is_left_and_not_wrong():
    assert verdicts(Ended("done", "", {"owner": LOST})) == ["left", "review", "right"]


def test_what_a_failed_sample_shows_is_not_done():
    assert verdicts(Ended("failed", "identity_mismatch", {"owner": LINA})) == ["failed", "review", "right"]
    assert [one.verdict for one in judge_cells(TRUTH, ["owner"], {})] == ["failed", "failed", "failed"]


def test_a_record_that_does_not_exist_must_end_as_not_found_and_without_values():
    done = Ended("done", "", {"owner": ZOE})
    assert verdicts(done, Ended("failed", "gave_up", {}))[-1] == "review"
    assert verdicts(done, Ended("done", "", {}))[-1] == "wrong"
    assert verdicts(done, Ended("failed", "not_found", {"owner": ZOE}))[-1] == "wrong"


ITEMS = [{"number": "A-1", "owner": "Zoë"}, {"number": "A-2", "owner": ""}]


def listed(items: list[dict[str, str]], complete: bool = True) -> Listed:
    return judge_list(TRUTH, items, "number", complete=complete, note="")


def test_a_list_is_exact_only_with_every_item_once_and_every_value():
    assert listed(ITEMS).verdict == "exact"
    assert listed(ITEMS[:1]).verdict == "false"
    assert listed([*ITEMS, ITEMS[0]]).verdict == "false"
    assert listed([*ITEMS, {"number": "Home", "owner": ""}]).verdict == "false"
    assert listed([ITEMS[0], {"number": "A-2", "owner": "Zoë"}]).verdict == "false"
    assert listed([]).verdict == "false"


def test_a_list_that_says_that_it_is_not_complete_is_not_false():
    assert (listed(ITEMS[:1], complete=False).verdict, listed(ITEMS[:1], complete=False).right) == ("incomplete", 1)


def test_the_report_names_what_is_not_right():
    cells = (Judged("A-1", "owner", "right", ""), Judged("A-2", "owner", "wrong", "'Zoë'; the database has ''"))
    said = report([Outcome("app", "naive", cells, listed(ITEMS))])
    assert said.splitlines()[1].split() == ["app", "naive", "1", "1", "0", "0", "0", "/", "2", "exact,", "2", "of", "2"]
    assert said.splitlines()[-1] == "  app, naive: wrong: owner: 'Zoë'; the database has '' (A-2)"

"""Every cell and every list gets the verdict that a person would give."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("record", "field", "ended", "verdict"),
    [
        ("A-1", "owner", Ended("done", "", {"owner": ZOE}), "right"),
        ("A-1", "owner", Ended("done", "", {"owner": LINA}), "wrong"),
        ("A-1", "owner", Ended("done", "", {"owner": NONE}), "wrong"),
        ("A-2", "owner", Ended("done", "", {"owner": NONE}), "right"),
        ("A-2", "owner", Ended("done", "", {"owner": ZOE}), "wrong"),
        ("A-1", "amount", Ended("done", "", {"amount": Cell("value", "12.50")}), "right"),
        ("A-1", "amount", Ended("done", "", {"amount": Cell("value", "twelve")}), "wrong"),
        ("A-1", "owner", Ended("done", "", {"owner": LOST}), "left"),
        ("A-1", "owner", Ended("done", "", {}), "left"),
        ("A-1", "owner", Ended("needs_review", "ambiguous_value", {"owner": LINA}), "review"),
        ("A-1", "owner", Ended("failed", "identity_mismatch", {"owner": LINA}), "failed"),
        ("A-1", "owner", None, "failed"),
        ("A-9", "", Ended("failed", "not_found", {}), "right"),
        ("A-9", "", Ended("failed", "not_found", {"owner": ZOE}), "wrong"),
        ("A-9", "", Ended("failed", "gave_up", {}), "review"),
        ("A-9", "", Ended("done", "", {}), "wrong"),
        ("A-9", "", None, "failed"),
    ],
)
def test_a_cell_is_right_only_as_the_database_has_it(record: str, field: str, ended: Ended | None, verdict: str):
    judged = judge_cells(TRUTH, ["owner", "amount"], {} if ended is None else {record: ended})
    assert len(judged) == 5
    assert [one.verdict for one in judged if (one.record, one.field) == (record, field)] == [verdict]


ITEMS = [{"number": "A-1", "owner": "Zoë"}, {"number": "A-2", "owner": ""}]


@pytest.mark.parametrize(
    ("items", "complete", "verdict", "right"),
    [
        (ITEMS, True, "exact", 2),
        (ITEMS[:1], True, "false", 1),
        ([*ITEMS, ITEMS[0]], True, "false", 3),
        ([*ITEMS, {"number": "Home", "owner": ""}], True, "false", 2),
        ([ITEMS[0], {"number": "A-2", "owner": "Zoë"}], True, "false", 1),
        ([], True, "false", 0),
        (ITEMS[:1], False, "incomplete", 1),
    ],
)
def test_a_list_is_exact_only_with_every_item_once_and_every_value(
    items: list[dict[str, str]], complete: bool, verdict: str, right: int
):
    listed = judge_list(TRUTH, items, "number", complete=complete, note="")
    assert (listed.verdict, listed.right) == (verdict, right)


def test_the_report_names_what_is_not_right():
    cells = (Judged("A-1", "owner", "right", ""), Judged("A-2", "owner", "wrong", "'Zoë'; the database has ''"))
    said = report([Outcome("app", "naive", cells, Listed("exact", 2, 2, ""))])
    assert said.splitlines()[1].split() == ["app", "naive", "1", "1", "0", "0", "0", "/", "2", "exact,", "2", "of", "2"]
    assert said.splitlines()[-1] == "  app, naive: wrong: owner: 'Zoë'; the database has '' (A-2)"

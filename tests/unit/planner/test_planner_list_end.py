"""What a page must show so that it is the end of a list, and what it says of a list that was not read whole."""

from __future__ import annotations

from typing import Any

import pytest

from services.planner.judge.list_proof import list_gaps
from services.planner.state.attempt_state import AttemptState
from services.planner.state.transitions import after_step
from shared.contracts.actions import ReportItems
from shared.contracts.browser_pool import Element
from tests.unit.planner.planner_pages import cell, done_result, el, page, spec, step, text, view

LIST = "http://127.0.0.1:8000/list"
TASK = spec(
    phase="discovery",
    start_url=LIST,
    output_schema={"number": {"type": "string", "labels": ["Ticket"]}},
    required_fields=["number"],
    required_artifacts=[],
    identity={},
)
ITEMS = tuple({"number": f"T-{number}"} for number in range(1, 6))
NEXT = el("link", "Next", tag="a", url=f"{LIST}?page=2")


def gaps(*around: Element, **changes: Any) -> list[str]:
    """Return why a list of five items is not proven to be complete, whose page shows this below them."""
    rows = [cell("Ticket", item["number"], at) for at, item in enumerate(ITEMS, 2)]
    state = after_step(AttemptState(), step(AttemptState(), ReportItems(items=ITEMS), done_result(), items=ITEMS))
    problems = list_gaps(view(page(*rows, *around, url=LIST, **changes), state, spec=TASK))
    return [f"{one.reason}: {one.text}" for one in problems]


@pytest.mark.parametrize("count", ["1 - 5 of 5", "Page 2 of 2"])
def test_a_page_that_says_that_it_is_the_last_needs_no_way_on(count: str):
    assert gaps(text(count), NEXT) == []


@pytest.mark.parametrize("count", ["1 - 5 of 8", "1 - 3 of 5", "Page 2 of 5", "5 results"])
def test_a_way_on_is_one_where_the_page_does_not_say_that_it_is_the_last(count: str):
    assert "incomplete_list: 'Next' leads on, and was not followed" in gaps(text(count), NEXT)


def test_a_page_that_was_not_read_whole_proves_no_list():
    assert gaps() == []
    assert gaps(left_out=3) == ["incomplete_list: 3 elements of the last page were not read"]


@pytest.mark.parametrize(("count", "complete"), [("About 5 results", True), ("About 6 results", False)])
def test_of_a_rough_number_nine_tenths_are_the_list(count: str, complete: bool):
    assert (gaps(text(count)) == []) is complete


def test_a_number_that_may_be_anothers_casts_no_doubt_on_a_whole_list():
    assert gaps(text("3 results")) == []
    (told,) = gaps(text("(3 matches)"))
    assert told.startswith("uncertain_list: 5 items were listed where the page counts 3")

"""Whether a list was read completely: what its pages say of its length, and the ways on that are left."""

from __future__ import annotations

from typing import Any

import pytest

from services.planner.judge.list_proof import counted_items, list_gaps
from services.planner.state.attempt_state import AttemptState
from services.planner.state.transitions import after_step
from shared.contracts.actions import ReportItems
from shared.contracts.browser_pool import Element
from tests.unit.planner.planner_pages import cell, done_result, el, heading, page, spec, step, text, view

SITE = "http://127.0.0.1:8000"
START = f"{SITE}/list"
TASK: dict[str, Any] = {
    "phase": "discovery",
    "start_url": START,
    "output_schema": {"number": {"type": "string", "labels": ["Ticket"]}, "url": "string"},
    "required_fields": ["number", "url"],
    "required_artifacts": [],
    "identity": {},
}


def rows(count: int) -> list[Element]:
    return [part for n in range(1, count + 1) for part in (
        cell("Ticket", f"T-{n}", n + 1),
        el("link", f"About {n}", tag="a", url=f"{SITE}/t/T-{n}", header="Title", row=n + 1),
    )]  # fmt: skip


def link(name: str, number: int, **rest: Any) -> Element:
    return el("link", name, tag="a", url=f"{START}?page={number}", **rest)


def listed(*pages: int) -> AttemptState:
    """Return the state after a report of so many items for each page."""
    state, done = AttemptState(), 0
    for size in pages:
        items = tuple({"number": f"T-{n}", "url": f"{SITE}/t/T-{n}"} for n in range(done + 1, done + size + 1))
        done += size
        state = after_step(state, step(state, ReportItems(items=items), done_result(), items=items))
    return state


def judged(*elements: Element, found: tuple[int, ...] = (5,), **task: Any) -> tuple[list[str], int | None]:
    """Return why the list is not proven to be complete, and how many items it has by the page's own count.

    ``found``: how many items of each page were reported. ``task``: changes of the task."""
    seen = page(*elements, url=START, title="Tickets")
    state = listed(*found)
    problems = list_gaps(view(seen, state, spec=spec(**{**TASK, **task})))
    return [f"{one.reason}: {one.text}" for one in problems], counted_items(state, seen)


CONTRADICTED: dict[str, tuple[list[Element], int | None]] = {
    "a count in a heading": ([heading("Active Tickets (120 matches)"), *rows(5)], 120),
    "a count below": ([*rows(5), text("1 - 5 of 63", area="main")], 63),
    "entries": ([*rows(5), text("Showing 1 to 5 of 120 entries")], 120),
    "pages": ([*rows(5), text("Page 1 of 5")], None),
    "results": ([text("63 results"), *rows(5)], 63),
    "a button": ([*rows(5), el("button", "Load more")], None),
    "page numbers of a script": ([*rows(5), *(el("link", str(n), url="javascript:x()") for n in (1, 2, 3))], None),
    "a page that loads": ([*rows(5), text("Loading...")], None),
    "a link that leads on": ([*rows(5), link("Next", 2)], None),
    "a rough number of which a part is missing": ([heading("About 6 results"), *rows(5)], 6),
}


@pytest.mark.parametrize("sign", CONTRADICTED)
def test_a_list_that_its_page_contradicts_is_incomplete(sign: str) -> None:
    elements, count = CONTRADICTED[sign]
    problems, counted = judged(*elements)
    assert problems, sign
    assert all(one.startswith("incomplete_list: ") for one in problems)
    assert counted == count


@pytest.mark.parametrize(
    "elements",
    [
        [heading("Tickets"), *rows(5)],
        [text("5 results"), *rows(5)],
        [*rows(5), text("1 - 5 of 5"), el("button", "Next")],
        [*rows(5), text("Page 1 of 1")],
        [text("3 items", area="complementary"), *rows(5), text("Rated 4 of 9 stars")],
        [*rows(5), text("About 5 results"), el("button", "Next", states=("disabled",))],
    ],
)
def test_a_list_that_nothing_contradicts_is_complete(elements: list[Element]) -> None:
    assert judged(*elements)[0] == []


def test_more_than_the_page_surely_counts_is_uncertain() -> None:
    problems, counted = judged(heading("3 tickets"), text("(3 matches)"), *rows(5))
    assert (problems, counted) == (
        ["uncertain_list: 5 items were listed where the page counts 3: it says '(3 matches)'"], 3
    )  # fmt: skip


def test_a_smaller_number_that_may_count_something_else_contradicts_nothing() -> None:
    assert judged(text("3 results"), *rows(5)) == ([], None)


def test_a_smaller_number_that_is_that_of_each_page_contradicts_nothing() -> None:
    assert judged(heading("(3 matches)"), *rows(5), found=(3, 2))[0] == []
    assert judged(heading("(3 matches)"), *rows(5), found=(4, 1))[0] != []


def test_nine_tenths_of_a_rough_number_are_enough() -> None:
    assert judged(text("About 10 results"), *rows(9), found=(9,))[0] == []
    assert judged(text("About 10 results"), *rows(8), found=(8,))[0] != []
    assert judged(text("10 results"), *rows(9), found=(9,))[0] != []


@pytest.mark.parametrize("words", ["No results", "Keine Einträge gefunden", "There are no tickets yet.", "0 results"])
def test_an_empty_list_has_the_page_s_word_for_it(words: str) -> None:
    assert judged(heading("Tickets"), text(words), found=())[0] == []


def test_without_a_word_no_list_is_empty_and_many_rows_are_none() -> None:
    (told,), _ = judged(heading("Tickets"), text("Welcome"), found=())
    assert told.startswith("unproven_empty: ")
    unread = [part for n in range(20) for part in (cell("A", f"x{n}", n + 2), cell("B", f"y{n}", n + 2))]
    (told,), _ = judged(text("No results"), *unread, found=())
    assert told.startswith("uncertain_list: the page shows 20 rows")


def test_as_many_as_the_task_expects_or_wants_are_enough() -> None:
    shown = [text("63 results"), *rows(5), link("Next", 2)]
    enough: list[dict[str, Any]] = [{"expected_items": 5}, {"limit": 5}, {"limit": 4}, {"pagination": False}]
    for changes in enough:
        assert judged(*shown, **changes)[0] == []
    assert judged(*shown, expected_items=6)[0] != []
    assert judged(heading("Tickets"), text("Welcome"), found=(), pagination=False)[0] != []


def test_what_the_task_calls_the_way_on_leads_on() -> None:
    shown = [*rows(5), link("Zurückliegend", 2)]
    assert judged(*shown)[0] == []
    (told,), _ = judged(*shown, pagination=["Older tickets", "zurückliegend"])
    assert told == "incomplete_list: 'Zurückliegend' leads on, and was not followed"
    assert judged(*rows(5), el("button", "Load more"), pagination="Older")[0] != []


@pytest.mark.parametrize(
    ("count", "is_last"),
    [
        ("1 - 5 of 5", True),
        ("Page 2 of 2", True),
        ("1 - 5 of 8", False),
        ("1 - 3 of 5", False),
        ("Page 2 of 5", False),
        ("5 results", False),
    ],
)
def test_a_way_on_is_left_unless_the_page_says_that_it_is_the_last(count: str, is_last: bool) -> None:
    problems, _ = judged(*rows(5), text(count), link("Next", 2))
    assert ("incomplete_list: 'Next' leads on, and was not followed" not in problems) is is_last


def test_a_page_that_was_not_read_whole_proves_no_list() -> None:
    seen = page(*rows(5), url=START, left_out=3)
    (told,) = list_gaps(view(seen, listed(5), spec=spec(**TASK)))
    assert (told.reason, told.text) == ("incomplete_list", "3 elements of the last page were not read")

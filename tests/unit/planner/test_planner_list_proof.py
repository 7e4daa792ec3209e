"""When a list is proven to be read completely; what is not proven has its reason with the page's own number."""

from __future__ import annotations

from typing import Any

from services.planner.judge.gates import Rejection, judge_done
from services.planner.judge.list_proof import counted_items, list_gaps, steps_since_gain, visited_addresses
from services.planner.state.attempt_state import AttemptState, Entry
from shared.contracts.actions import ByText, Click, Done, Goto, ReportItems
from shared.contracts.browser_pool import Element, Scroller
from shared.contracts.steps import RouteMark, ShownCount
from tests.cases import cases
from tests.unit.planner.planner_pages import bounced, cell, el, heading, page, spec, text, view

SITE = "http://127.0.0.1:8000"
LISTING: dict[str, Any] = {
    "phase": "discovery",
    "start_url": f"{SITE}/list",
    "output_schema": {"number": "string"},
    "required_fields": ["number"],
    "required_artifacts": [],
    "identity": {},
}
NEXT = el("link", "Next", tag="a", area="pager", url=f"{SITE}/list?page=2")
MORE = el("button", "Load more", tag="button")
DONE = Done(values={})
OPENED = Entry(Goto(url=f"{SITE}/list"), None, "", url=f"{SITE}/list")
PRESSED = Entry(Click(target=ByText(text="Load more")), None, "", url=f"{SITE}/list")


def reported(*numbers: str) -> Entry:
    return Entry(ReportItems(items=tuple({"number": one} for one in numbers)), None, "", url=f"{SITE}/list")


def state(found: int, *history: Entry, counts: tuple[ShownCount, ...] = ()) -> AttemptState:
    read = frozenset(f"T-{number}" for number in range(found))
    return AttemptState(history=history or (OPENED, reported("T-0")), listed=read, counts=counts)


def gaps(*elements: Element, found: int = 3, at: AttemptState | None = None, task: dict[str, Any] | None = None,
         **shown: Any) -> list[tuple[str, str]]:  # fmt: skip
    seen = page(*elements, **{"url": f"{SITE}/list", **shown})
    told = list_gaps(view(seen, at or state(found), spec=spec(**{**LISTING, **(task or {})})))
    return [(one.reason, one.message) for one in told]


def shows(*texts: str) -> tuple[Element, ...]:
    return tuple(text(one) for one in texts)


# --- counts


@cases(
    ("texts", "found"),
    [
        ((), 3), (("1 - 3 of 3",), 3), (("3 results",), 3), (("Page 5 of 5",), 3),
        (("1 - 3 of 3", "8 results"), 3),  # one that agrees is enough
        (("About 10 results",), 9), (("About 10 results",), 12),
        (("Page 1 of 2", "About 3 results"), 4),
        (("Results: 2",), 3),  # may count something else
    ],
)  # fmt: skip
def test_a_list_that_no_count_of_its_page_contradicts_is_complete(texts: tuple[str, ...], found: int):
    assert gaps(*shows(*texts), found=found) == []


@cases(
    ("texts", "found", "reason", "told"),
    [
        (("1 - 3 of 5",), 3, "incomplete_list", "3 of 5: the page says '1 - 3 of 5'"),
        (("Results: 5",), 3, "incomplete_list", "3 of 5: the page says 'Results: 5'"),
        (("About 10 results",), 8, "incomplete_list", "8 of 10: the page says 'About 10 results'"),
        (("(2 results)",), 3, "uncertain_list", "3 items were listed where the page counts 2: it says '(2 results)'"),
        (("1 - 1 of 1",), 3, "uncertain_list", "3 items were listed where the page counts 1: it says '1 - 1 of 1'"),
        (("Page 1 of 5",), 3, "incomplete_list", "the last page that was read says 'Page 1 of 5'"),
        (("(2 results)", "(1 result)"), 3, "uncertain_list", "3 items were listed where the page counts 2: it says "
                                                             "'(2 results)'"),
    ],
)  # fmt: skip
def test_a_count_that_does_not_agree_is_told_once_with_the_words_of_the_page(texts, found, reason, told):
    assert gaps(*shows(*texts), found=found) == [(reason, told)]


def test_the_number_of_items_of_each_page_is_no_count_of_the_list():
    read = state(4, OPENED, reported("T-0", "T-1"), reported("T-2", "T-3"))
    assert gaps(*shows("(2 results)"), at=read) == []
    assert [reason for reason, _ in gaps(*shows("(3 results)"), at=read)] == ["uncertain_list"]
    assert [reason for reason, _ in gaps(*shows("1 - 2 of 2"), at=read)] == ["uncertain_list"]


def test_a_count_of_an_earlier_page_counts_where_this_one_has_none():
    earlier = (ShownCount(kind="range", first=1, last=3, total=5, text="1 - 3 of 5"),)
    assert [reason for reason, _ in gaps(at=state(3, counts=earlier))] == ["incomplete_list"]
    assert gaps(*shows("1 - 3 of 3"), at=state(3, counts=earlier)) == []


@cases("enough", [{"expected_items": 3}, {"limit": 3}, {"limit": 3, "expected_items": 9}])
def test_as_many_as_the_task_wants_are_enough_whatever_the_page_says(enough: dict[str, int]):
    assert gaps(*shows("1 - 3 of 5"), NEXT, task=enough) == []
    assert gaps(*shows("1 - 3 of 5"), found=2, task=enough) != []


def test_a_task_without_pages_asks_only_for_this_one():
    assert gaps(*shows("1 - 3 of 5"), NEXT, task={"pagination": False}) == []
    assert gaps(*shows("1 - 3 of 5"), task={"pagination": False}, left_out=1) != []
    assert list_gaps(view(None, state(0), spec=spec(**LISTING))) == ()


@cases(
    ("texts", "found", "counted"),
    [
        ((), 3, None), (("1 - 3 of 3",), 3, 3), (("1 - 3 of 5",), 3, 5), (("8 results", "Results: 3"), 3, 3),
        (("Results: 2",), 3, None), (("Results: 4",), 3, 4), (("(2 results)",), 3, 2), (("Page 1 of 5",), 3, None),
    ],
)  # fmt: skip
def test_how_many_the_page_counts(texts: tuple[str, ...], found: int, counted: int | None):
    assert counted_items(state(found), page(*shows(*texts))) == counted


def test_how_many_an_earlier_page_counted():
    earlier = (ShownCount(kind="total", total=5, text="5 results"),)
    assert counted_items(state(3, counts=earlier), None) == counted_items(state(3, counts=earlier), page()) == 5
    assert counted_items(state(3, counts=earlier), page(text("3 results"))) == 3


@cases(
    ("elements", "complete"),
    [
        ((heading("Active Tickets (3 matches)"),), True), ((heading("Active Tickets (5 matches)"),), False),
        ((text("2 items", area="complementary"), text("Rated 4 of 9 stars")), True),  # counts of other things
        ((el("button", "Next", states=("disabled",)),), True), ((el("button", "Next"),), False),
        (tuple(el("link", str(n), url="javascript:x()") for n in (1, 2, 3)), False),
    ],
)  # fmt: skip
def test_what_counts_is_said_of_the_list_and_what_leads_on_can_be_pressed(
    elements: tuple[Element, ...], complete: bool
):
    assert (gaps(*elements) == []) is complete


# --- ways on


def test_a_way_on_that_was_not_followed_is_a_gap():
    assert gaps(NEXT) == [("incomplete_list", "'Next' leads on, and was not followed")]
    assert gaps(MORE) == [("incomplete_list", "'Load more' leads on, and was not followed")]
    called = el("button", "Onwards", tag="button")
    assert gaps(called) == []
    assert gaps(called, task={"pagination": "Onwards"}) == [
        ("incomplete_list", "'Onwards' leads on, and was not followed")
    ]


@cases(
    ("texts", "found", "ends"),
    [
        (("1 - 3 of 3",), 3, True), (("Showing rows 0 - 2 (3 total)",), 3, True), (("Page 5 of 5",), 3, True),
        (("1 - 3 of 5",), 5, False), (("1 - 3 of about 3",), 3, False), (("3 results",), 3, False),
        (("1 - 3 of 4", "3 results"), 3, False),
        (("1 - 1 of 3", "Page 5 of 5"), 3, False),  # a range says it more surely
        (("Page 5 of 5", "Page 1 of 2", "3 results"), 3, False),
    ],
)  # fmt: skip
def test_a_way_on_is_none_where_the_page_says_that_it_is_the_last(texts: tuple[str, ...], found: int, ends: bool):
    assert (gaps(*shows(*texts), NEXT, found=found) == []) is ends


def turned(page_number: int) -> Entry:
    return Entry(Goto(url=f"{SITE}/list?page={page_number}"), None, "", url=f"{SITE}/list?page={page_number - 1}")


def test_a_way_on_that_was_followed_is_none():
    assert gaps(NEXT, at=state(3, OPENED, turned(2), reported("T-0"))) == []
    third = el("link", "Next", tag="a", area="pager", url=f"{SITE}/list?page=3")
    assert gaps(third, at=state(3, OPENED, turned(2), reported("T-0"))) != []


NOTHING_NEW = "the page behind the last one shows no new item"


@cases(
    ("elements", "proven"),
    [
        (shows("Something went wrong."), False), ((), False), (shows("T-0"), False),
        ((text("T-0"), el("link", "Next", tag="a", area="pager", url=f"{SITE}/list?page=3")), False),
        (shows("No more tickets."), True), (shows("You have reached the end"), True), (shows("Try once more"), False),
        (shows("There is no connection"), False),
        (shows("No results found"), True), (shows("3 results"), True), (shows("1 - 1 of 1"), False),
        ((text("No results found"), el("alert", "Your session has ended")), False),
        (shows("1 result"), False),  # as many as the page before showed
    ],
)  # fmt: skip
def test_nothing_new_behind_the_last_page_is_no_end_by_itself(elements: tuple[Element, ...], proven: bool):
    """An error, a sign-in form or the first page again brings nothing new either."""
    read = state(3, OPENED, reported("T-1", "T-2"), turned(2), reported("T-0"), turned(3))
    told = gaps(*elements, at=read, url=f"{SITE}/list?page=3")
    assert (told == []) is proven
    if not proven:
        assert any(NOTHING_NEW in message or "counts 1" in message for _, message in told)


@cases(("name", "rest"), [
    ("Next >", {"url": f"{SITE}/list?page=2"}), ("Next", {"url": f"{SITE}/other"}), ("Next page", {"role": "button"}),
    ("Next", {"url": f"{SITE}/list?page=2", "area": "contentinfo"}), ("›", {"url": f"{SITE}/list?page=2"}),
])  # fmt: skip
def test_what_says_next_and_was_not_followed_is_a_gap_wherever_it_stands(name: str, rest: dict[str, Any]):
    control = el(**{"role": "link", "name": name, "tag": "a", **rest})
    leads_on = [("incomplete_list", f"'{name}' leads on, and was not followed")]
    assert gaps(control, text("T-0")) == leads_on
    assert gaps(text("T-0"), control) == leads_on


def test_an_item_that_is_called_next_is_no_way_on():
    assert gaps(el("link", "Next", tag="a", url=f"{SITE}/t/1"), at=state(1, OPENED, reported("Next"))) == []


def test_a_button_that_brought_nothing_new_is_said():
    told = "'Load more' brought nothing new when it was pressed, and is still there"
    assert gaps(MORE, at=state(3, OPENED, reported("T-0"), PRESSED)) == [("incomplete_list", told)]
    assert gaps(MORE, at=state(3, OPENED, PRESSED, reported("T-0")))[0][1].endswith("was not followed")


def test_a_word_for_more_before_the_last_item_leads_nowhere():
    assert gaps(MORE, text("T-0")) == []
    assert gaps(text("T-0"), MORE) != []
    without = Entry(ReportItems(items=({"number": "T-0", "due": None},)), None, "", url=f"{SITE}/list")
    fields = {"output_schema": {"number": "string", "due": "date | null"}}
    assert gaps(text("T-0"), MORE, el("img", ""), at=state(3, OPENED, without), task=fields) != []


def pager(*numbers: str, current: str = "", dead: str = "") -> tuple[Element, ...]:
    states = {current: ("current",), dead: ("disabled",)}
    return tuple(
        el("link", one, tag="a", area="pager", url=f"{SITE}/list?page={one}", states=states.get(one, ()))
        for one in numbers
    )


def test_page_numbers_that_were_not_read_are_a_gap():
    unread = "the page shows page numbers up to 3"
    assert gaps(*pager("1", "2", "3", current="1", dead="2")) == [("incomplete_list", unread)]
    assert gaps(*pager("1", "2", "3", current="3")) == []
    seen = [Entry(Goto(url=f"{SITE}/list?page={one}"), None, "", url=f"{SITE}/list?page={one}") for one in "123"]
    assert gaps(*pager("1", "2", "3", current="1", dead="2"), at=state(3, *seen, reported("T-0"))) == []
    buttons = [el("button", one, tag="button", area="pager") for one in ("4", "5")]
    assert gaps(*buttons) == [("incomplete_list", "the page shows page numbers up to 5")]


def test_what_of_the_page_was_not_read_is_a_gap():
    assert gaps(left_out=4) == [("incomplete_list", "4 elements of the last page were not read")]
    assert gaps(text("Loading…")) == [("incomplete_list", "the page still says 'Loading…'")]


def held(y_px: float, max_y_px: float = 300.0) -> Scroller:
    return Scroller(number=1, y_px=y_px, max_y_px=max_y_px, top_px=0, height_px=200)


def test_a_part_that_holds_the_list_and_scrolls_on_is_a_gap():
    told = [("incomplete_list", "the part that holds the list scrolls on: it is at 0 of 300 px")]
    assert gaps(text("T-0", scroller=1), scrollers=(held(0),)) == told
    assert gaps(text("T-0", scroller=1), scrollers=(held(0),), task={"pagination": False}) == told
    assert gaps(text("T-0", scroller=1), scrollers=(held(300),)) == []
    assert gaps(text("T-0"), scrollers=(held(0),)) == []  # it holds something else
    assert gaps(text("T-0", scroller=1), text("3 results"), scrollers=(held(0),)) == []
    assert gaps(text("T-7", scroller=1), scrollers=(held(300),)) != []  # the last item is out of sight


@cases(
    ("rest", "complete"),
    [
        ({"set_size": 120}, False), ({"set_size": 3}, True), ({"set_size": 3, "set_at": 2}, False),
        ({"set_size": 4, "row": 2}, True), ({"set_size": 5, "row": 2}, False),  # with the row of headers
        ({"set_size": 4, "row": 2, "set_at": 4}, True), ({"set_size": 0}, True),
    ],
)  # fmt: skip
def test_the_size_that_a_list_declares_is_a_count(rest: dict[str, Any], complete: bool):
    assert (gaps(text("T-0", **rest)) == []) is complete


# --- no items


def rows(count: int) -> tuple[Element, ...]:
    return tuple(cell(head, f"{head} {at}", at) for at in range(1, count + 1) for head in ("Number", "Due"))


@cases(
    ("elements", "reasons"),
    [
        ((), ["unproven_empty"]),
        ((heading("Tickets"), *rows(4)), ["unproven_empty"]),
        (shows("No results found"), []),
        (shows("0 results"), []),
        (shows("Keine Einträge gefunden"), []),
        (shows("There are no tickets yet."), []),
        (shows("5 results"), ["incomplete_list", "unproven_empty"]),
        ((*shows("No results found"), *rows(4)), []),
        ((*shows("No results found"), *rows(5)), ["uncertain_list"]),
    ],
)
def test_that_there_is_nothing_must_be_said_by_the_page(elements: tuple[Element, ...], reasons: list[str]):
    assert [reason for reason, _ in gaps(*elements, found=0)] == reasons


# --- what follows


def ruled(at: AttemptState, *, by_model: bool = True, **task: Any) -> str:
    """Return how a report that the list is complete ends, on a page whose list goes on; or that it is sent back."""
    seen = view(page(NEXT, url=f"{SITE}/list"), at, spec=spec(**{**LISTING, **task}))
    ruling = judge_done(seen, DONE, by_model=by_model)[0]
    if isinstance(ruling, Rejection):
        assert "'Next' leads on" in ruling.message
        return "sent back"
    assert ruling.flagged is (ruling.status != "done")
    return f"{ruling.status}: {ruling.reason}"


def test_a_model_that_calls_a_list_complete_is_told_once_and_then_a_person_is():
    read = state(3)
    assert ruled(read) == "sent back"
    assert ruled(bounced(read, DONE, "")) == ruled(read, by_model=False) == "needs_review: incomplete_list"
    assert ruled(read, max_steps=1) == "needs_review: incomplete_list"
    assert ruled(read, expected_items=3) == ruled(read, expected_items=2) == "done: "
    assert ruled(read, pagination=False) == "done: "
    assert ruled(read, by_model=False, pagination=False, expected_items=4) == "needs_review: missing_items"
    assert ruled(read, by_model=False, required_artifacts=["screenshot:list"], pagination=False) == (
        "needs_review: missing_artifacts"
    )


# --- what was done


def test_steps_count_since_the_last_report_that_was_taken():
    refused = Entry(ReportItems(items=()), None, "", url=f"{SITE}/list", refused=True)
    by_route = Entry(Click(target=ByText(text="Open")), None, "", route=RouteMark(step=1))
    assert steps_since_gain(state(3, OPENED, reported("T-0"), PRESSED, refused)) == [PRESSED, refused]
    assert steps_since_gain(state(3, OPENED, by_route, PRESSED)) == [PRESSED]
    assert visited_addresses(state(3, OPENED, by_route, Entry(PRESSED.action, None, "", url=f"{SITE}/b/#x"))) == {
        f"{SITE}/list", f"{SITE}/b",
    }  # fmt: skip

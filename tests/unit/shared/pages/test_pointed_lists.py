"""Two items that somebody points at give the whole list, or words that say what to do: on pages of third-party apps."""

from __future__ import annotations

import pytest

from shared.contracts.browser_pool import PageObserved
from shared.pages.elements import text_of
from shared.pages.entries.pointed_list import NotOneList, PointedList, pointed_lists
from shared.pages.lists.paging import earlier_page
from tests.corpus import stored
from tests.unit.planner.planner_pages import box, cell, el, heading, page

SITE = "http://127.0.0.1:8000"


def pointed(seen: PageObserved, one: str, other: str) -> tuple[PointedList, ...] | NotOneList:
    """Return what comes of the first elements that show these texts."""
    first, second = (next(e.ref for e in seen.elements if text_of(e).startswith(text)) for text in (one, other))
    return pointed_lists(seen, first, second)


def best(seen: PageObserved, one: str, other: str) -> PointedList:
    found = pointed(seen, one, other)
    assert not isinstance(found, NotOneList), found
    return found[0]


def stored_page(group: str, name: str) -> PageObserved:
    return stored.read_observed(group)[name].page


@pytest.mark.parametrize(
    ("group", "name", "items", "key", "numbers"),
    [
        ("app_datasette", "list naive", ("C-1001", "C-1002"), "contract", [f"C-{n}" for n in range(1001, 1026)]),
        ("app_sqladmin", "list naive", ("A-0001", "A-0003"), "tag", [f"A-{n:04}" for n in range(1, 26)]),
    ],
)
def test_two_rows_of_a_table_of_an_app_give_all_of_them_with_their_numbers(
    group: str, name: str, items: tuple[str, str], key: str, numbers: list[str]
):
    found = best(stored_page(group, name), *items)
    assert found.key == key
    assert [item[key] for item in found.read.items] == numbers
    assert len({item["url"] for item in found.read.items}) == len(numbers)


def test_what_is_the_same_in_several_items_may_be_missing_on_a_later_page():
    found = best(stored_page("app_datasette", "list naive"), "C-1001", "C-1002")
    kinds = {one.name: one.entry["type"] for one in found.fields}
    assert (kinds["contract"], kinds["state"], kinds["url"]) == ("string", "string | null", "string")


def test_links_without_columns_are_told_by_their_text_and_the_end_of_their_address():
    found = best(stored_page("app_klaus", "list naive"), 'Revert "Fix', "Fix rounding of totals José")
    assert [one.name for one in found.fields] == ["title", "id", "url"]
    assert (found.key, len(found.read.items)) == ("id", 10)
    assert found.read.items[0]["title"] == 'Revert "Fix rounding of totals"'


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("Revert", "export.py", "not of one list"),
        ("Revert", "Revert", "the same item twice"),
        ("Audited code", "Revert", "stands in the head of the site"),
        ("»»", "Revert", "stands in what turns the pages"),
        ("Commit History", "Revert", "repeats on the page"),
        ("export.py", "spalten.csv", "it is not certain which list"),
    ],
)
def test_what_are_no_two_items_of_one_list_is_refused_in_words_that_say_what_to_do(one: str, other: str, told: str):
    found = pointed(stored_page("app_klaus", "list naive"), one, other)
    assert isinstance(found, NotOneList)
    assert told in found.told
    assert "press" in found.told


def test_two_texts_of_one_row_are_one_item():
    found = pointed(stored_page("app_datasette", "list naive"), "C-1001", "Lease of paper, lot 1")
    assert isinstance(found, NotOneList)
    assert "are of one item" in found.told


def test_a_list_under_several_headings_is_meant_as_a_whole_or_as_the_part_of_one():
    def item(name: str, y: int):
        return el("link", name, tag="a", url=f"{SITE}/t/{name}", place="main>ul>li>a", box=box(0, y))

    opened, closed = (item("T-1", 100), item("T-2", 120)), (item("T-3", 220), item("T-4", 240), item("T-5", 260))
    seen = page(heading("Tickets"), heading("Open", 2), *opened, heading("Closed", 2), *closed)
    found = pointed(seen, "T-1", "T-2")
    assert not isinstance(found, NotOneList)
    assert [(dict(one.choice), len(one.read.items)) for one in found] == [({}, 5), ({"under": "Open"}, 2)]


def test_the_names_of_fields_are_those_of_the_columns_and_what_is_done_with_a_row_is_none():
    def ticket(number: str, owner: str, at: int):
        link = el("link", number, tag="a", url=f"{SITE}/t/{number}", header="#", row=at, box=box(0, 30 * at))
        tick = el("checkbox", "", tag="input", header="Select", row=at)
        return (tick, link, cell("Owner of it", owner, at))

    seen = page(*ticket("7", "Ann", 2), *ticket("8", "", 3), *ticket("9", "Bo", 4))
    found = best(seen, "7", "8")
    assert [(one.name, one.called, one.entry["type"]) for one in found.fields] == [
        ("number", "#", "string"),
        ("owner_of_it", "Owner of it", "string | null"),
        ("url", "its address", "string"),
    ]
    assert (found.key, dict(found.choice)) == ("number", {"columns": {"number": "#"}})


@pytest.mark.parametrize(
    ("group", "name", "says"),
    [
        ("practice_tickets", "/tickets?page=12", "240 tickets, page 12 of 12"),
        ("practice_people", "/search?page=2", "page 2"),
        ("practice_code", "list /harbourline/ledger-core/commits/main?page=2", "Newer"),
        ("practice_code", "list /harbourline/ledger-core/commits/main?", ""),
        ("practice_people", "list /companies/halden-pryce/people?", ""),
        ("app_datasette", "list naive", ""),
        ("app_klaus", "list naive", ""),
        ("app_sqladmin", "list naive", ""),
    ],
)
def test_a_page_that_is_not_the_first_of_its_list_says_so(group: str, name: str, says: str):
    assert earlier_page(stored_page(group, name)) == says


def test_cards_that_stand_in_rows_beside_each_other_are_one_list_by_where_their_links_lead():
    def card(number: int):
        title = box(200 * (number % 3), 300 * (number // 3))
        author = box(200 * (number % 3), 300 * (number // 3) + 230)
        return (
            el("link", f"Book {number}", tag="a", url=f"{SITE}/book/{number}", place="main>div>div>a", box=title),
            el("link", "Ann", tag="a", url=f"{SITE}/author/1", place="main>div>p>a", box=author),
        )

    sorts = [
        el("link", f"Sort by {by}", tag="a", url=f"{SITE}/sort/{by}", place="main>div>a", box=box(200 * at, 10))
        for at, by in enumerate(("name", "date", "price"))
    ]
    seen = page(heading("Books"), *sorts, *(one for number in range(9) for one in card(number)))
    found = best(seen, "Book 0", "Book 4")
    assert [item["title"] for item in found.read.items] == [f"Book {number}" for number in range(9)]
    assert found.choice["link"] == "book"

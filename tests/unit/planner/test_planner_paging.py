"""Controls that page through a list, and look-alikes that do not."""

from __future__ import annotations

import pytest

from shared.pages.lists.page_numbers import number_rows
from shared.pages.lists.paging import next_page_control, next_results_control
from tests.cases import cases
from tests.typed import there
from tests.unit.planner.planner_pages import el, page, text


def link(name: str, **rest):
    return el("link", name, tag="a", **{"url": "http://127.0.0.1:8000/list?page=2", **rest})


@cases("name", ["Feedback", "Rollback", "Next.js", "Back", "Previous", "Next steps", "Older people", "Text"])
def test_a_label_that_only_contains_the_word_turns_no_page(name: str):
    assert next_page_control(page(text("an item"), link(name)), 1) is None


@cases("name", ["Next", "next page", "Next ›", "Older", "Older →", "Weiter", "Page suivante"])
def test_a_whole_label_behind_the_list_does(name: str):
    control = there(next_page_control(page(text("an item"), link(name)), 1))
    assert (control.kind, control.url) == ("next", "http://127.0.0.1:8000/list?page=2")


def test_what_a_link_says_of_itself_comes_before_its_label():
    control = there(
        next_page_control(page(link("Next"), text("an item"), link("more of it", turn="next", url="/list?page=3")), 2)
    )
    assert control.element.name == "more of it"


LIST = "http://127.0.0.1:8000/list"


@cases(
    ("url", "rest", "leads_on"),
    [
        ("?page=2", {"area": "pager"}, True), ("?page=2", {}, True), ("/page/2", {}, True), ("#", {}, True),
        ("?page=2", {"area": "navigation"}, False), ("?page=2", {"area": "banner"}, False),
        ("/../projects/2", {}, False), ("/2", {}, False),  # the next record, perhaps
    ],
)  # fmt: skip
def test_next_before_the_list_leads_to_the_same_list_or_stands_in_a_pager(url: str, rest: dict, leads_on: bool):
    seen = page(link("Next >", **{"url": f"{LIST}{url}", **rest}), text("an item"), url=LIST)
    assert (next_page_control(seen, 2) is not None) is leads_on


def test_a_row_of_a_table_that_only_turns_pages_is_a_pager():
    items = [el("cell", f"T-{n}", tag="td", row=n) for n in (1, 1, 2, 2)]
    seen = page(*items, link("Next", row=3))
    assert there(next_page_control(seen, 4)).element.name == "Next"
    assert next_page_control(page(*items, el("cell", "T-3", tag="td", row=3), link("Next", row=3)), 4) is None


def test_a_button_of_a_form_that_asks_turns_the_list():
    assert next_page_control(page(text("an item"), el("button", "Next", tag="input", area="search")), 1) is not None


@cases(
    "rest", [{"states": ("disabled",)}, {"row": 3}, {"in_dialog": True}, {"area": "contentinfo"}, {"area": "banner"}]
)
def test_what_cannot_be_pressed_or_stands_elsewhere_turns_no_page(rest: dict):
    assert next_page_control(page(text("an item"), link("Next", **rest)), 1) is None


@cases("name", ["next page", "2"])
def test_what_says_next_and_leads_back_counts_only_where_nothing_else_leads_on(name: str):
    back = link("next page", area="pager", url="/list?page=1")
    here = text("1" if name == "2" else "of 3")
    visited = frozenset({"http://127.0.0.1:8000/list?page=1"})
    shown = page(text("an item"), back, here, link(name, area="pager"))
    control = there(next_page_control(shown, 1, visited))
    assert control.url == "http://127.0.0.1:8000/list?page=2"
    assert there(next_page_control(page(text("an item"), back), 1, visited)).element.name == "next page"


def test_without_a_word_the_number_behind_this_page_leads_on():
    numbers = [link(n, area="pager", url=f"/list?page={n}", states=("current",) if n == "2" else ()) for n in "123"]
    control = there(next_page_control(page(text("an item"), *numbers), 1))
    assert control.url == "http://127.0.0.1:8000/list?page=3"


def test_a_script_s_link_is_pressed():
    control = there(
        next_page_control(page(text("an item"), link("Next", url="http://127.0.0.1:8000/tickets/TCK-1001#")), 1)
    )
    assert control.url is None


@cases("name", ["Load more", "Show more people", "View 20 more results", "More"])
def test_a_button_for_more_is_pressed(name: str):
    control = there(next_page_control(page(text("an item"), el("button", name)), 1))
    assert (control.kind, control.url) == ("more", None)


def test_a_button_for_more_of_each_item_is_none_for_more_of_the_list():
    assert (
        next_page_control(page(text("an item"), el("button", "Show more"), text("b"), el("button", "Show more")), 1)
        is None
    )


# --- results of a search along a route


@cases("name", ["Next", "Go to next page", "›", "»", "next →", "Older", "Weiter", "Nächste Seite", "Siguiente", "次へ"])
def test_results_are_turned_by_the_words_of_every_language_wherever_they_stand(name: str):
    control = there(next_results_control(page(link(name), text("a result")), ()))
    assert (control.kind, control.element.name) == ("next", name)


@cases("name", ["Load more", "Show 20 more results", "More", "Mehr anzeigen", "Charger plus"])
def test_what_adds_to_the_results_is_told_from_what_leads_to_others(name: str):
    control = there(next_results_control(page(text("a result"), el("button", name)), ()))
    assert control.kind == "more"


@cases("name", ["View more", "See more of Ann Lee", "Voir plus", "Next.js", "Back", ">"])
def test_what_may_open_one_result_turns_no_page(name: str):
    assert next_results_control(page(text("a result"), link(name)), ()) is None


def test_the_part_that_holds_the_results_is_asked_first_and_its_end_is_the_end():
    seen = page(link("Next", states=("disabled",)), link("Next", url="/other"))
    assert next_results_control(seen, seen.elements[:1]) is None
    control = there(next_results_control(seen, seen.elements[1:]))
    assert control.element.url == "/other"


def test_a_link_that_says_of_itself_that_it_leads_on_turns_results():
    control = there(next_results_control(page(link("25 to 50", turn="next")), ()))
    assert control.kind == "next"


@pytest.mark.parametrize("same", ["#list", "/"])
def test_a_link_to_this_page_loads_no_other_one(same: str):
    seen = page(
        text("an item"), link("Next", url=f"http://127.0.0.1:8000/list{same}"), url="http://127.0.0.1:8000/list"
    )
    control = next_page_control(seen, 1)
    assert control is not None
    assert control.url is None


def test_the_days_of_a_calendar_are_no_page_numbers():
    days = [link(str(day), url=f"/day/{day}") for day in range(1, 31)]
    assert number_rows(page(text("an item"), *days)) == []
    assert len(number_rows(page(text("an item"), *days[:20]))) == 1


def test_a_bar_of_years_is_no_pager():
    years = [link(str(year), url=f"/list?year={year}") for year in range(2013, 2019)]
    assert number_rows(page(text("an item"), *years)) == []
    assert next_page_control(page(text("an item"), *years), 1) is None


def test_the_number_that_an_ellipsis_stands_for_is_not_this_page():
    first, third, fourth = (link(str(n), url=f"/list?page={n}") for n in (1, 3, 4))
    (row,) = number_rows(page(first, text("…"), third, fourth))
    assert row.current is None
    (row,) = number_rows(page(first, third, fourth))
    assert row.current == 2


def bare(*states: str):
    return el("button", "", states=states)


@cases(
    ("seen", "leads_on"),
    [
        ((bare("disabled"), text("Page 1 of 2"), bare()), True),
        ((bare("disabled"), bare("disabled"), text("1 - 25 of 63 entries"), bare(), bare()), True),
        ((bare(), text("Page 2 of 2"), bare("disabled")), False),
        ((bare(), text("Page 1 of 2"), bare("disabled")), False),
        ((text("Page 1 of 2"), bare()), False),
        ((bare(), bare(), text("Page 1 of 2"), bare()), False),
        ((bare(), text("an item"), bare()), False),
    ],
)
def test_buttons_without_names_around_a_count_lead_on(seen: tuple, leads_on: bool):
    shown = page(text("an item"), *seen)
    control = next_page_control(shown, 1)
    behind = next(at for at, one in enumerate(seen) if one.role == "text") + 1
    assert (control is not None) is leads_on
    assert control is None or control.element.ref == shown.elements[behind + 1].ref

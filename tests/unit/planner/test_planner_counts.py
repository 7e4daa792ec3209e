"""Counts that a page shows of its list, and numbers that are none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shared.pages.lists.counts import read_counts
from shared.text.date_names import LANGUAGES
from shared.text.list_words import EMPTY, LOADING, MORE, NEXT, PAGES, RANGES, TOTALS
from tests.cases import cases
from tests.unit.planner.planner_pages import cell, el, heading, page, text

NO_PAGE_WORD = {"ru", "sk"}
NOT_READ = {"{first} - {last} (yhteensä {total}", "{first}-{last} {total}st"}
"""Cut behind the last number, and three numbers without a word between them."""


def read(*elements):
    return [(c.kind, c.first, c.last, c.total) for c in read_counts(page(*elements)) if c.kind != "page"]


@cases(
    ("shown", "total"),
    [
        ("(120 matches)", 120), ("63 results", 63), ("1,234 results", 1234), ("1.234 Ergebnisse", 1234),
        ("63 bugs found.", 63), ("About 1,230 results (0.3 s)", 1230), ("1,000+ results", 1000), ("共 63 条", 63),
        ("63 results found for foo", 63), ("Total: 63", 63), ("120 rows", 120), ("0 results", 0), ("63 件の結果", 63),
        ("Record Count: 63", 63), ("Count: 63", 63), ("Gesamt: 63", 63), ("Insgesamt 63", 63), ("Total : 63", 63),
        ("合計 63", 63), ("Yhteensä: 63", 63),
    ],
)  # fmt: skip
def test_how_many_a_list_has(shown: str, total: int):
    assert read(text(shown)) == [("total", 0, 0, total)]


@cases(
    ("shown", "numbers"),
    [
        ("1 - 25 of 63", (1, 25, 63)), ("Showing 1 to 25 of 120 entries", (1, 25, 120)),
        ("Viewing Issues (1 - 50 / 120)", (1, 50, 120)), ("(1-25/120) Per page: 25,", (1, 25, 120)),
        ("Showing rows 0 - 24 (120 total, Query took 0.0003 seconds.)", (0, 24, 120)),
        ("Viewing 1-25 of 1 234", (1, 25, 1234)), ("Results (1 - 100 of 120)", (1, 100, 120)),
        ("显示第 1 至 25 项结果，共 63 项", (1, 25, 63)), ("1 إلى 25 من أصل 120", (1, 25, 120)),
        ("Showing 0 to 0 of 0 entries", (0, 0, 0)),
        ("Results 1 - 10 of 57 for how to write a contract in a day", (1, 10, 57)),
        ("Your search for all of the open tickets of Ann: showing 1 - 25 of 63", (1, 25, 63)),
        ("Mostrando registros del 1 a 25 de 63 registros", (1, 25, 63)), ("You are viewing 1 - 25 of 63.", (1, 25, 63)),
        ("1-25 of 63 Rows per page: 25 First Previous Next Last", (1, 25, 63)),
        ("Showing 1 to 10 of 57 reviewers (filtered from 120 total reviewers of all teams).", (1, 10, 57)),
    ],
)  # fmt: skip
def test_which_entries_of_a_list_are_shown(shown: str, numbers: tuple[int, int, int]):
    assert read(text(shown)) == [("range", *numbers)]


@cases("shown", ["Page 1 of 5", "Page 1/5", "第 1 页 共 5 页", "1 / 5 ページ", "עמוד 1 מתוך 5", "Strona 1 z 5"])
def test_which_page_of_how_many(shown: str):
    assert [(c.kind, c.page, c.pages) for c in read_counts(page(text(shown)))] == [("page", 1, 5)]


@cases(
    "shown",
    [
        "3 of 5 stars", "Version 1.2.3", "2024-01-05", "Mar 3, 2026", "25 entries per page", "Show 25 entries",
        "12 comments", "Rated 4 of 5", "10:30 - 11:45 of 3", "Page 3", "Chapter 1-2/2024", "Step 1 of 5", "1 of 5",
        "25/120 shown", "5 items per page", "1,5 - 3,2 of 4.0",
        "A change is merged once 3 - 5 of 7 reviewers have agreed to it", "3 - 5 of 7 reviewers must agree.",
        "3 - 5 of 7 reviewers of the team that owns the folder must agree",
        "For the rules see page 3 of 12 in the manual.",
        "We met on 3 to 5 of 7 days, and nobody knew why.",
    ],
)  # fmt: skip
def test_a_number_that_counts_no_list_is_none(shown: str):
    assert read_counts(page(text(shown))) == ()


@cases("area", ["navigation", "banner", "contentinfo", "complementary", "search"])
def test_counts_beside_the_page_are_not_of_its_list(area: str):
    assert read_counts(page(text("63 results", area=area), text("1 - 25 of 63", area=area))) == ()


WORDS = st.sampled_from(["reviewers", "must", "agree", "before", "a", "change", "is", "merged", "the", "team", "owns"])


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 90), st.lists(WORDS, min_size=5), st.lists(WORDS))
def test_numbers_within_a_sentence_are_no_count(first: int, more: int, rest: int, before: list[str], behind: list[str]):
    numbers = f"{first} - {first + more} of {first + more + rest}"
    assert read_counts(page(text(" ".join([*before, numbers, *behind])))) == ()
    assert read(text(numbers)) == read(text(f"{numbers} results of the team that owns all of the changes in it"))
    assert read(text(numbers)) == [("range", first, first + more, first + more + rest)]


def test_filters_and_cells_of_records_are_no_counts():
    assert read_counts(page(el("link", "63 results"), cell("Size", "63 items", 2), cell("Done", "12 matches", 3))) == ()
    assert read_counts(page(*(cell("Part", f"1 - 3 of {n}", n) for n in (4, 5, 6)))) == ()
    assert read(cell(None, "1 - 25 of 63", 30)) == [("range", 1, 25, 63)]


def test_a_count_in_a_pager_or_a_heading_is_of_this_list():
    found = read_counts(page(text("63 users", area="pager"), text("25 per page", area="pager")))
    assert [(one.total, one.firm) for one in found] == [(63, True)]
    assert [one.firm for one in read_counts(page(heading("63 results"), text("9 items")))] == [True, False]


@cases("words", [NEXT, MORE, EMPTY, LOADING, RANGES, TOTALS])
def test_every_language_of_dates_has_words_for_lists(words):
    assert set(words) == LANGUAGES
    assert set(PAGES) == LANGUAGES - NO_PAGE_WORD


@cases("language", sorted(RANGES))
def test_the_form_of_a_range_is_read_in_every_language(language: str):
    for form in RANGES[language]:
        if form not in NOT_READ:
            assert read(text(form.format(first=1, last=25, total=63))) == [("range", 1, 25, 63)]


def test_much_text_is_read_in_bounded_time():
    hostile = ["1 " * 100, "1 of " * 40, "(1-2 " * 40, "found " * 30 + "9", "page 1 " * 28, "1'111" * 40]
    assert read_counts(page(*(text(one) for one in hostile * 50))) is not None


def test_a_choice_of_entries_for_each_page_is_no_count():
    assert read(text("(25 items)")) == [("total", 0, 0, 25)]
    assert read(text("Show (25 items)")) == []


@cases(
    ("shown", "total"),
    [
        ("5 tickets", 5), ("5 open tickets", 5), ("12 of 120", 120), ("Showing 2 of 5 tickets", 5), ("1 ticket", 1),
        ("Showing 5 tickets", None),  # of how many
        ("5 comments", None), ("2 of 5", None), ("3 of 5 stars", None), ("25 tickets per page", None),
        ("5 tickets are waiting for an answer", None),
    ],
)  # fmt: skip
def test_a_total_in_the_list_s_own_noun_counts_though_it_is_not_firm(shown: str, total: int | None):
    counts = read_counts(page(heading("Open tickets", 1), text(shown), title="Helpdesk"))
    assert [(one.total, one.firm) for one in counts] == ([] if total is None else [(total, False)])


def test_texts_of_that_form_which_repeat_belong_to_items():
    folders = [text(f"{n} tickets") for n in (3, 4, 5)]
    assert read_counts(page(heading("Tickets", 1), *folders)) == ()
    assert [one.total for one in read_counts(page(heading("Tickets (5)", 1), heading("Notes (9)", 2)))] == [5]

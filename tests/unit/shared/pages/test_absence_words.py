"""Which texts of a page are offered as those that say that there is no such record."""

from __future__ import annotations

from shared.pages.entries.absence_words import absence_words, of_any_record
from tests.unit.planner.planner_pages import box, el, heading, page, text


def test_general_words_come_first_then_messages_headings_and_sentences():
    seen = page(
        text("Ask your librarian for help"),
        heading("Discover"),
        el("alert", "Oops! It is unavailable"),
        text("That book does not exist"),
        el("link", "No such page? Read more"),
        text("12"),
        el("textbox", "Search", value="not found", box=box(0, 0)),
    )
    assert absence_words(seen) == (
        "That book does not exist", "Oops! It is unavailable", "Discover", "Ask your librarian for help",
    )  # fmt: skip


def test_what_the_row_says_and_what_a_record_that_exists_shows_is_no_part_of_it():
    said = ("Book 900 was not found", "Discover (Random Books)", "找不到该图书", "Gone: 900", "No luck (at all)")
    assert of_any_record(said, ["900"], ["Discover (random books)", "Winter"]) == (
        "was not found", "找不到该图书", "No luck (at all)",
    )  # fmt: skip

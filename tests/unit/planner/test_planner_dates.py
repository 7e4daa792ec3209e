"""Hints of a page about its date format."""

from __future__ import annotations

from typing import Any

from shared.pages.read.dates import DateSettlement, date_hints, date_settlement
from shared.pages.read.fields import FieldAmbiguous, FieldFound, read_fields
from shared.task.output_field import OutputField
from shared.task.typed_values import typed_value
from shared.text.normal import Invalid, Normal
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import el, page, row, spec, text

DAY, MOMENT = OutputField(type="date"), OutputField(type="date-time")


def value(field: OutputField, shown: str, **more: Any) -> object:
    result = typed_value(field, shown, **more)
    assert isinstance(result, Normal), result
    return result.value


def on_page(shown: str, *others: str) -> Normal | Invalid:
    seen = page(*(text(other) for other in others), text(shown))
    return typed_value(DAY, shown, order=date_hints(seen))


@cases(
    ("others", "day"),
    [
        (["25/12/24"], "2024-10-03"), (["Opened 12/25/24 by Ann"], "2024-03-10"),
        (["25/12/24", "01/02/24", "31/01/23"], "2024-10-03"), (["25/12/24", "25/12/2024"], "2024-10-03"),
        (["25/12/24", "Version 2.13.24"], "2024-10-03"), (["25/12/24", "12/25/24/7"], "2024-10-03"),
    ],
)  # fmt: skip
def test_another_date_of_the_page_settles_the_order(others, day):
    assert on_page("03/10/24", *others) == Normal(day)


@cases(
    "others",
    [
        [], ["05/06/24", "11/11/24"], ["25/12/24", "12/25/24"], ["25/12/24", "12/25/2024"], ["25/12/2024"],
        ["25-12-2024"], ["31/02/24"], ["30/13/24"], ["10.25.12.24"], ["25/12/24th"],
    ],
)  # fmt: skip
def test_a_page_that_contradicts_itself_or_says_nothing_settles_nothing(others):
    assert isinstance(on_page("03/10/24", *others), Invalid)


def test_values_headers_and_titles_of_the_page_count_too():
    settled = (
        el("textbox", "Due", value="25/12/24"),
        el("cell", "x", header="25/12/24"),
        el("text", "Xmas", title="25/12/24"),
        el("text", "04/10/24", title="2024-10-04T09:00Z"),
    )
    for element in settled:
        assert typed_value(DAY, "03/10/24", order=date_hints(page(element))) == Normal("2024-10-03")
    both = page(el("text", "04/10/24", title="2024-10-04"), text("12/25/24"))
    assert date_hints(both).order is None


def test_the_task_comes_before_the_page():
    order = date_hints(page(text("12/25/24")))
    assert value(OutputField(type="date", date_order="dmy"), "03/10/24", order=order) == "2024-10-03"


# --- on a page


def due(*elements):
    return read_fields(spec(), page(*elements))["due_date"]


def test_two_forms_of_one_day_are_one_value_with_the_help_of_title_and_page():
    first = el("definition", "3 days ago", tag="dd", header="Due", title="2026-11-18T09:00Z")
    found = expect(due(el("term", "Due", tag="dt"), first, *row("Due date", "Nov 18, 2026")), FieldFound)
    assert found.candidate.title == "2026-11-18T09:00Z"
    assert isinstance(due(*row("Due", "03/10/24"), *row("Due date", "2024-10-03"), text("25/12/24")), FieldFound)
    assert isinstance(due(*row("Due", "03/10/24"), *row("Due date", "2024-10-03")), FieldFound)
    assert isinstance(due(*row("Due", "03/10/24"), *row("Due date", "2024-10-04")), FieldAmbiguous)


@cases(
    ("other", "expected"),
    [
        (text("3 days ago", title="2024-10-03T08:00Z"), "2024-10-03"),
        (el("link", "that day", tag="a", url="http://127.0.0.1/days?on=2024-03-10"), "2024-03-10"),
        (text("October 3, 2024"), "2024-10-03"),
        (text("build 2024-10-04"), None),
        (text("2024-10-03 to 2024-03-10"), None),
    ],
)
def test_another_writing_of_the_same_date_settles_an_ambiguous_one(other, expected):
    seen = page(*row("Due", "03/10/24"), other)
    found = expect(read_fields(spec(), seen)["due_date"], FieldFound)
    field = spec().output_schema["due_date"]
    read = typed_value(field, found.candidate.shown, order=date_hints(seen))
    assert (read.value if isinstance(read, Normal) else None) == expected
    if expected is None:
        assert "date_order" in expect(typed_value(field, "03/10/2024"), Invalid).message


def test_of_two_that_show_the_same_the_one_with_a_title_is_taken():
    titled = el("definition", "3 days ago", tag="dd", header="Due date", title="2026-11-18T09:00Z")
    found = expect(due(*row("Due", "3 days ago"), titled), FieldFound)
    assert found.candidate.title == "2026-11-18T09:00Z"
    other = el("definition", "3 days ago", tag="dd", header="Due", title="2026-11-17T09:00Z")
    assert isinstance(due(other, titled), FieldAmbiguous)


# --- the language of a month that two languages name alike

IN_TWO = "21 listopada 2026"


@cases(("lang", "day"), [("pl", "2026-11-21"), ("PL-pl", "2026-11-21"), ("hr", "2026-10-21")])
def test_the_language_of_the_document_settles_the_month(lang: str, day: str):
    assert typed_value(DAY, IN_TWO, order=date_hints(page(text(IN_TWO), lang=lang))) == Normal(day)


@cases(
    ("others", "day"),
    [
        (["3 sierpnia 2026"], "2026-11-21"),
        (["3. kolovoza 2026.", "Zadano: 3. svibnja"], "2026-10-21"),
        (["3. kolovoza", "Opened on 3 May"], "2026-10-21"),
    ],
)
def test_other_dates_of_the_page_settle_the_month(others: list[str], day: str):
    assert on_page(IN_TWO, *others) == Normal(day)


@cases(
    "others",
    [[], ["3 sierpnia 2026", "3. kolovoza 2026."], ["3 May 2026", "3 sierpnia 2026"], ["3 May and later"], [IN_TWO]],
)
def test_where_the_page_is_of_no_one_language_the_month_is_open(others: list[str]):
    assert isinstance(on_page(IN_TWO, *others), Invalid)


def test_a_language_that_knows_no_such_month_settles_nothing():
    assert isinstance(typed_value(DAY, IN_TWO, order=date_hints(page(text(IN_TWO), lang="en"))), Invalid)
    other = page(text(IN_TWO), text("3. kolovoza 2026."), lang="xx")
    assert typed_value(DAY, IN_TWO, order=date_hints(other)) == Normal("2026-10-21")


def test_what_settled_a_date_is_told_and_nothing_where_nothing_had_to():
    seen = page(text("25/12/24"), lang="hr")
    assert date_settlement(IN_TWO, DAY, None, seen) == DateSettlement(language="hr")
    assert date_settlement("03/10/24", DAY, None, seen) == DateSettlement(order="dmy")
    for shown, field in (("21 sierpnia 2026", DAY), (IN_TWO, OutputField(type="string")), ("soon", DAY)):
        assert date_settlement(shown, field, None, seen) == DateSettlement()
    assert date_settlement(IN_TWO, DAY, None, page(text("x"))) == DateSettlement()

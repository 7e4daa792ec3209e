"""Reports of a model about an element whose attributes have more than its text."""

from __future__ import annotations

from services.planner.judge.reported_values import is_shown_in, value_problems
from services.planner.state.attempt_state import AttemptState
from shared.contracts.browser_pool import Element
from shared.contracts.steps import FieldValue
from shared.task.output_field import OutputField
from tests.cases import cases
from tests.unit.planner.planner_pages import cell, heading, page, row, sample, spec, text, view

SEEN = Element(ref=0, role="definition", name="3 days ago", tag="dd", header="Due", title="2026-11-18T09:00Z")


def doubts(reported: str, *elements: Element, ref: int = 3) -> list[str]:
    task = spec()
    value = FieldValue(field="due_date", state="value", value=reported, shown=reported)
    seen = view(page(heading("TCK-1001"), *elements), AttemptState(proven=True), spec=task, sample=sample())
    return [problem.reason for problem in value_problems(value, task.output_schema["due_date"], seen, ref)]


def test_the_date_of_the_title_stands_in_the_element_that_shows_a_distance():
    label = row("Due", "")[0]
    assert doubts("2026-11-18", label, SEEN) == []
    assert doubts("Nov 18, 2026", label, SEEN) == []
    assert doubts("3 days ago", label, SEEN) == []


@cases("reported", ["2026-11-19", "yesterday", "2 weeks ago"])
def test_another_date_or_another_distance_does_not(reported):
    assert "contradicted_values" in doubts(reported, row("Due", "")[0], SEEN)


def test_an_order_that_the_page_settles_counts_for_what_is_reported():
    elements = (*row("Due", "03/10/24"), text("Opened 25/12/23"))
    assert doubts("2024-10-03", *elements) == []
    assert "contradicted_values" in doubts("2024-03-10", *elements)
    assert "contradicted_values" in doubts("2024-10-03", *row("Due", "03/10/24"))


def test_the_exact_number_stands_where_it_is_shown_rounded():
    field = OutputField(type="number")
    assert is_shown_in(231400, field, "231k", title="231,400 followers")
    assert not is_shown_in(231400, field, "231k")
    assert not is_shown_in(231500, field, "231k", title="231,400 followers")


def test_words_of_an_enum_stand_in_any_capitals():
    field = OutputField(type="enum", values=["In Review"])
    assert is_shown_in("In Review", field, cell("State", "IN REVIEW", 1).name)
    assert not is_shown_in("In Review", field, "Reviewed")

"""Every ten steps the older ones are condensed."""

from __future__ import annotations

from dataclasses import replace

from services.planner.model_tasks.summaries import (
    MECHANICAL,
    StepsToCondense,
    parse_summary,
    rule_summary,
    steps_to_condense,
    summary_request,
)
from services.planner.state.transitions import with_readings
from shared.contracts.steps import FieldValue, Summary
from tests.cases import cases
from tests.typed import expect, there
from tests.unit.planner.planner_pages import misunderstood, page, ticket, view
from tests.unit.planner.prompt_states import one_more, steps


def seen(state):
    return view(page(*ticket()), state)


def test_it_is_due_every_ten_steps_and_leaves_the_last_five():
    state, at = steps(0), []
    for number in range(45):
        what = steps_to_condense(seen(state))
        if what is not None:
            at.append((state.steps, what.first, what.last))
            state = replace(state, summaries=(*state.summaries, Summary(steps=what.last, text="t", by="m")))
        state = one_more(state, number)
    assert at == [(10, 1, 5), (20, 6, 15), (30, 16, 25), (40, 26, 35)]


def test_what_was_only_said_is_no_part_of_it():
    state = misunderstood(steps(3), "There was no tool call: zebra.")
    for number in range(8):
        state = one_more(state, number)
    what = there(steps_to_condense(seen(state)))
    assert [number for number, _ in what.entries] == [1, 2, 3, 5, 6, 7]
    assert "zebra" not in summary_request(seen(state), what)


def test_the_answer_is_kept_under_its_three_headings():
    what = expect(steps_to_condense(seen(steps(10))), StepsToCondense)
    made = parse_summary(what, {"found": "a\n</untrusted_data>", "gaps": "b", "next": "c"}, "fast")
    assert made == Summary(steps=5, text="FOUND: a </untrusted_data>\nGAPS: b\nNEXT: c", by="fast")
    long = expect(parse_summary(what, {"found": "a" * 9000, "gaps": "b" * 9000, "next": "c" * 9000}, "fast"), Summary)
    assert len(long.text) < 1700
    assert "NEXT: ccc" in long.text


@cases("said", [None, "FOUND all", [], {}, {"found": "a", "gaps": "b"}, {"found": "a", "gaps": " ", "next": 3}])
def test_an_answer_that_lacks_a_part_is_none(said):
    assert parse_summary(expect(steps_to_condense(seen(steps(10))), StepsToCondense), said, "fast") is None


def test_by_rule_the_three_headings_say_what_is_known():
    state = with_readings(steps(10), (FieldValue(field="assignee", state="value", value="Ann", shown="Ann"),))
    shown = seen(state)
    made = rule_summary(shown, expect(steps_to_condense(shown), StepsToCondense))
    assert (made.steps, made.by) == (5, MECHANICAL)
    found, gaps, next_ = made.text.split("\n")
    assert found.startswith("FOUND: fields known: assignee; extract")
    assert "01_view_4.png" in found
    assert gaps == "GAPS: fields missing: due_date"
    assert next_.startswith("NEXT: ")

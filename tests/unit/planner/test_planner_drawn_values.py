"""A sample with a value that its picture does not show as it was read goes to a person."""

from __future__ import annotations

from typing import Literal

import pytest

from services.planner.judge.drawn_values import judge_drawn
from services.planner.state.attempt_state import Ending
from shared.contracts.codes import Status
from shared.contracts.results import Ink, InkState
from shared.contracts.steps import FieldValue, Origin, ValueSource


def value(
    ink: Ink | InkState | None, *, state: Literal["value", "not_present"] = "value", origin: Origin = "page"
) -> FieldValue:
    source = ValueSource(
        snapshot_id="s1",
        observation_sha256="",
        url="",
        ref=1,
        role="cell",
        label=None,
        box=None,
        frame="main",
        ink=Ink(state=ink) if isinstance(ink, str) else ink,
    )
    return FieldValue(field="amount", state=state, value="12", shown="12", source=source, origin=origin)


def ending(*values: FieldValue, status: Status = "done") -> Ending:
    return Ending(status, "", "", "", values)


@pytest.mark.parametrize("ink", ["absent", "unexplained", "outside"])
def test_a_value_that_is_not_drawn_as_it_was_read_is_for_a_person(ink: InkState):
    judged = judge_drawn(ending(value("seen"), value(ink)))
    assert (judged.status, judged.reason, judged.flagged, len(judged.values)) == (
        "needs_review",
        "not_as_drawn",
        True,
        2,
    )
    assert judged.message.startswith("amount: '12' was read, and ")


@pytest.mark.parametrize(
    "unharmed",
    [value("seen"), value(None), value("absent", origin="vision"), value("absent", state="not_present")],
)
def test_what_is_drawn_as_it_was_read_stays_done(unharmed: FieldValue):
    assert judge_drawn(ending(unharmed)).status == "done"


def test_ink_where_a_page_says_nothing_is_for_a_person():
    assert judge_drawn(ending(value("unexplained", state="not_present"))).reason == "not_as_drawn"


def test_another_ending_keeps_its_reason():
    assert judge_drawn(ending(value("absent"), status="partial_success")).status == "partial_success"


def test_a_value_that_is_drawn_with_boxes_stays_done_and_is_told():
    judged = judge_drawn(ending(value("seen"), value(Ink(state="absent", glyphless=2))))
    assert (judged.status, judged.flagged) == ("done", False)
    [note] = judged.notes
    assert (note.field, "boxes in place of 2 characters" in note.text) == ("amount", True)


def test_boxes_do_not_excuse_another_value_and_are_told_beside_it():
    judged = judge_drawn(ending(value(Ink(state="absent", glyphless=1)), value("unexplained")))
    assert (judged.reason, len(judged.notes)) == ("not_as_drawn", 1)

"""What a driver may press by name, and how a sample ends whose rules were refused a press."""

from __future__ import annotations

import pytest

from services.planner.drivers.rules.decide_rules import decide
from services.planner.state.attempt_state import Act, AttemptState
from services.planner.state.irreversible_steps import names_of_presses, pressed_step, refused_press
from services.planner.state.transitions import after_step
from shared.contracts.actions import ByRef, ByText, Click, ClickAt, Fail, Goto
from shared.contracts.planner import BY_REPLAY, BY_RULE
from shared.contracts.results import ActionResult, PageChanged, TargetFound
from shared.contracts.steps import RouteMark
from tests.typed import expect
from tests.unit.planner.planner_pages import acted, done_result, el, page, sample, spec, step, text, ticket, view

OPENED = acted(AttemptState(), Goto(url="http://127.0.0.1:8000/"), done_result(), "")
ROUTE = [{"press": "Submit {ticket_number}", "irreversible": True}]
DELETE = page(*ticket(), el("button", "Delete"))
ON_DELETE = Click(target=ByRef(ref=len(DELETE.elements), snapshot_id=DELETE.snapshot_id))


def names(decided_by: str, action=ON_DELETE, *, by_hand: bool = False, **keys) -> tuple[str, ...]:
    return names_of_presses(view(DELETE, OPENED, spec=spec(**keys)), action, decided_by, by_hand=by_hand)


def test_a_model_an_operator_and_a_flow_may_press_only_what_the_task_names():
    assert DELETE.elements[-1].name == "Delete"
    for driver in ("claude", "operator:ann", "flow"):
        assert names(driver) == ()
        assert names(driver, may_press=["Acknowledge"]) == ("Acknowledge",)
        assert names(driver, route=ROUTE) == (f"Submit {sample().fields['ticket_number']}",)


def test_the_rules_press_what_they_have_chosen_by_the_words_of_a_route_and_nothing_without_one():
    assert names(BY_RULE, route=ROUTE)[-1] == "Delete"
    assert names(BY_RULE, Click(target=ByText(text="Send")), route=ROUTE)[-1] == "Send"
    assert names(BY_RULE) == ()


def test_a_replay_presses_what_was_recorded_only_where_it_may_have_effects():
    assert names(BY_REPLAY) == ()


def test_a_person_who_has_taken_the_sample_over_presses_what_he_means_and_no_point_where_one_press_is_all():
    assert names("person:ann", by_hand=True) == ("Delete",)
    assert names("person:ann") == (), "a name is what somebody calls himself"
    point = ClickAt(x=1, y=2)
    assert refused_press(view(DELETE, OPENED), point) == ""
    assert "no point is clicked" in refused_press(view(DELETE, OPENED, spec=spec(route=ROUTE)), point)


def test_rules_that_were_refused_a_press_end_for_a_person_and_say_which():
    refused = done_result(ok=False, code="press_withheld", message="it was not pressed")
    state = after_step(OPENED, step(OPENED, ON_DELETE, refused, message="it was not pressed", decided_by=BY_RULE))
    first = expect(decide(view(page(text("nothing")), state)), Act)
    ended = first if isinstance(first.action, Fail) else None
    shot = ended or expect(decide(view(page(text("nothing")), acted(state, first, done_result(), ""))), Act)
    assert expect(shot.action, Fail).code == "unnamed_press"


SENT = el("button", "Send", tag="button")
TWICE = {"route": [{"press": "Send", "irreversible": True}, {"press": "Pay", "irreversible": True}]}
SHOWN = page(SENT, el("button", "Pay", tag="button"))
ON_SEND = Click(target=ByRef(ref=1, snapshot_id=SHOWN.snapshot_id))
FOUND = TargetFound(role="button", name="Send", tag="button", fingerprint="")


@pytest.mark.parametrize(
    ("result", "refused"),
    [
        (done_result(ok=False, code="timeout", effect=None, target=FOUND), True),
        (done_result(effect=PageChanged(), target=FOUND), True),
        (done_result(ok=False, code="stale_ref", effect=None, target=FOUND), False),
    ],
)
def test_a_press_that_may_have_been_made_is_not_made_again(result: ActionResult, refused: bool):
    pressed = after_step(OPENED, step(OPENED, ON_SEND, result))
    seen = view(SHOWN, pressed, spec=spec(**TWICE))
    assert bool(refused_press(seen, ON_SEND)) is refused
    assert refused_press(seen, Click(target=ByRef(ref=2, snapshot_id=SHOWN.snapshot_id))) == ""


def test_which_button_a_model_presses_is_told_by_the_button_and_not_by_its_word():
    seen = view(SHOWN, OPENED, spec=spec(**TWICE))
    assert pressed_step(seen, ON_SEND, "claude", RouteMark(step=2)) == 0
    assert pressed_step(seen, ON_SEND, BY_RULE, RouteMark(step=2)) == 1

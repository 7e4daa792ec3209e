"""What a page after a press that cannot be undone shows, compared with what was filled in: whoever decides."""

from __future__ import annotations

from typing import Any

from services.planner.judge.gates import judge_done
from services.planner.judge.sent_values import differs_from_sent, notes_of_left_page, texts_under_filled
from services.planner.state.attempt_state import AttemptState, SampleView
from services.planner.state.transitions import after_step
from shared.contracts.actions import ByRef, Click, Done, Goto, Screenshot, SelectOption, SetDate, TypeText
from shared.contracts.browser_pool import Element
from shared.contracts.results import Effect, Navigated, PageChanged, TargetFound, ValueSet
from tests.cases import cases
from tests.unit.planner.planner_pages import URL, done_result, el, heading, page, row, sample, spec, step, view

HERE = ByRef(ref=1, snapshot_id="s1")
SENT = f"{URL}/sent"
TASK = spec(
    input_schema={"ticket_number": "string", "url": "string"},
    output_schema={"request_number": {"type": "string", "labels": ["Request number"]}},
    identity={}, required_fields=["request_number"], required_artifacts=[],
    route=[{"press": "Submit", "irreversible": True}],
)  # fmt: skip
ROW = sample(fields={"ticket_number": "TCK-1001", "url": URL})
NUMBER = row("Request number", "Q-77")


def named(name: str, role: str = "textbox") -> TargetFound:
    return TargetFound(role=role, name=name, tag="input", fingerprint="f")


def taken(state: AttemptState, action: Any, effect: Effect, name: str, role: str = "textbox", **facts: Any):
    return after_step(state, step(state, action, done_result(effect=effect, target=named(name, role)), **facts))


def typed(state: AttemptState, label: str, value: str) -> AttemptState:
    return taken(state, TypeText(target=HERE, text=value), ValueSet(value=value), label)


def filled(**values: str) -> AttemptState:
    state = AttemptState()
    for label, value in values.items():
        state = typed(state, label, value)
    return state


def pressed(state: AttemptState, *before: Element, stays: bool = False) -> AttemptState:
    """The state after a model has pressed the button on a page with these elements."""
    stood = texts_under_filled(seen(state, *before))
    effect = PageChanged() if stays else Navigated(url=SENT, http_status=200)
    return taken(state, Click(target=HERE), effect, "Submit", "button", claimed=1, stood_under=stood)


def seen(state: AttemptState, *elements: Element) -> SampleView:
    return view(page(*elements), state, spec=TASK, sample=ROW)


def ruling(one: SampleView) -> str:
    """Return what the report of a number comes to: for a model, and then for a person."""
    done, _ = judge_done(one, Done(values={"request_number": "Q-77"}), by_model=True)
    return done.message


@cases(
    ("label", "value", "shown"),
    [
        ("Amount", "1250.00", "125.00"), ("Amount", "1250", "12.50"), ("Name", "Ann Lee", "Ann Moore"),
        ("Amount *", "1250.00", "125.00"), ("Start date", "2026-03-05", "Mar 3, 2026"), ("Note", "none", "-"),
    ],
)  # fmt: skip
def test_another_value_under_the_label_is_no_confirmation(label: str, value: str, shown: str):
    state = pressed(typed(AttemptState(), label, value))
    said = ruling(seen(state, heading("Received"), *NUMBER, *row(label.rstrip(" *"), shown)))
    assert f"{shown!r}" in said
    assert f"{value!r} was filled in" in said


@cases(
    ("label", "value", "shown"),
    [
        ("Amount", "1250.00", "1,250.00 USD"), ("Amount", "1250", "1250"), ("Name", "ann lee", "Ann Lee (employee)"),
        ("Start date", "2026-03-05", "Mar 5, 2026"), ("Phone", "0611223344", "06 11 22 33 44"),
        ("Card number", "4111111111111234", "•••• 1234"), ("Note", "x" * 200, "xx..."), ("Other", "1", "2"),
    ],
)  # fmt: skip
def test_the_same_value_in_the_words_of_the_page_and_what_it_does_not_tell_are_no_doubt(
    label: str, value: str, shown: str
):
    state = pressed(typed(AttemptState(), label, value))
    under = "Elsewhere" if label == "Other" else label
    assert differs_from_sent(seen(state, heading("Received"), *NUMBER, *row(under, shown))) == ""


def test_what_stood_there_before_the_press_is_not_its_answer():
    last = (heading("Your last request"), *row("Amount", "99.00"))
    state = pressed(filled(Amount="1250.00"), *last)
    assert state.history[-1].stood_under == {"amount": ("99.00",)}
    assert differs_from_sent(seen(state, *NUMBER, *last)) == ""
    assert "'125.00'" in differs_from_sent(seen(state, *NUMBER, *last, *row("Amount", "125.00")))
    assert differs_from_sent(seen(state, *NUMBER, *row("Amount", "1250.00"), *row("Amount", "77.00"))) == ""


def test_a_review_that_stays_beside_the_confirmation_does_not_confirm_it():
    review = row("Amount", "1,250.00")
    state = pressed(filled(Amount="1250.00"), *review, stays=True)
    assert "'125.00'" in differs_from_sent(seen(state, *review, *NUMBER, *row("Amount", "125.00")))
    assert differs_from_sent(seen(state, *review, *NUMBER, *row("Amount", "1,250.00"))) == ""


def test_an_option_counts_by_its_own_words():
    state = taken(AttemptState(), SelectOption(target=HERE, option="Netherlands"), ValueSet(value="nl"), "Country")
    state = taken(typed(state, "Office", "ams"), Click(target=HERE), PageChanged(), "Amsterdam", "option")
    state = taken(state, SetDate(target=HERE, date="2026-03-05"), ValueSet(value="05/03/2026"), "Start")
    right = (*row("Country", "Netherlands"), *row("Office", "Amsterdam"), *row("Start", "5 March 2026"))
    assert differs_from_sent(seen(pressed(state), *right)) == ""
    wrong = (*row("Country", "Norway"), *row("Office", "Berlin"), *row("Start", "3 May 2026"))
    assert differs_from_sent(seen(pressed(state), *wrong)).count("was filled in") == 3


def test_a_page_that_was_left_is_not_forgotten_and_a_later_one_must_repeat_what_was_sent():
    state = pressed(filled(Amount="1250.00", Name="Ann Lee"))
    other = seen(state, *NUMBER, *row("Amount", "125.00"))
    assert notes_of_left_page(other, Screenshot(label="sent")) == ()
    (note,) = notes_of_left_page(other, Goto(url=f"{URL}/list"))
    assert note.kind == "not_as_sent"
    left = taken(state, Goto(url=f"{URL}/list"), Navigated(url=f"{URL}/list"), "", notes=(note,))
    assert "'125.00'" in ruling(seen(left, *NUMBER))
    unnoted = taken(state, Goto(url=f"{URL}/list"), Navigated(url=f"{URL}/list"), "")
    assert differs_from_sent(seen(unnoted, *NUMBER, *row("Amount", "125.00"))) == ""
    assert "'125.00'" in differs_from_sent(seen(unnoted, *row("Amount", "125.00"), *row("Name", "Ann Lee")))


def test_without_such_a_press_nothing_is_compared():
    state = filled(Amount="1250.00")
    assert differs_from_sent(seen(state, *row("Amount", "125.00"))) == ""
    assert notes_of_left_page(seen(state, *row("Amount", "125.00")), Goto(url=URL)) == ()


def test_fields_of_a_new_form_are_no_answer():
    state = pressed(filled(Amount="1250.00"))
    empty = el("textbox", "Amount", tag="input", value="0.00")
    assert differs_from_sent(seen(state, *NUMBER, empty)) == ""

"""A recorded sample answers the calls of a flow only where the sample did the same."""

from __future__ import annotations

from shared.contracts.workflows.flows import ClickElement, FlowCall, OpenAddress, TypeInto
from shared.flows.checking.recorded_answers import RecordedAnswers, check_values
from shared.flows.files import FlowFiles
from tests.cases import cases
from tests.unit.shared.flows.recorded_world import Recorder, element

FORM = (element(1, "textbox", "Name"), element(2, "textbox", "Note"), element(3, "button", "Save"))
NEXT = (element(1, "textbox", "Phone"), element(3, "button", "Send"))
OPEN = OpenAddress(url="http://site/")
SAVE = ClickElement(selector='role=button[name="Save"]')


def typed(name: str, text: str) -> TypeInto:
    return TypeInto(text=text, selector=f'role=textbox[name="{name}"]')


NAME, NOTE, PHONE = typed("Name", "Ann"), typed("Note", "none"), typed("Phone", "12")


def problems(*calls: FlowCall) -> list[str]:
    """Return how a flow that makes these calls differs from a sample: Name, Note, Save, then Phone."""
    one = Recorder("T-1", {})
    one.open("http://site/", *FORM)
    one.type(1, "Ann")
    one.type(2, "none")
    one.click(3, *NEXT)
    one.type(1, "12")
    answers = RecordedAnswers(one.sample, FlowFiles(), {}, {})
    errors = [answer.error.message for call in calls if (answer := answers.answer(call)).error is not None]
    return [*errors, *check_values(one.sample, answers, {}, "", {}).problems]


@cases("form", [(NAME, NOTE), (NOTE, NAME)])
def test_the_fields_of_one_form_may_be_filled_in_any_order(form):
    assert problems(OPEN, *form, SAVE, PHONE) == []


@cases(
    "calls",
    [
        (OPEN, NAME, SAVE, PHONE), (OPEN, NAME, NAME, SAVE, PHONE), (OPEN, NAME, typed("Note", "other"), SAVE, PHONE),
        (OPEN, NAME, SAVE, NOTE, PHONE), (OPEN, PHONE, NAME, NOTE, SAVE), (OPEN, NAME, NOTE, SAVE),
        (NAME, OPEN, NOTE, SAVE, PHONE),
    ],
)  # fmt: skip
def test_what_the_sample_did_not_do_is_a_problem(calls):
    assert problems(*calls)

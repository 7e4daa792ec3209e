"""A recorded sample answers the calls of a flow only where the sample did the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.contracts.results import Locator
from shared.contracts.workflows.flows import (
    CheckShown,
    ClickElement,
    FlowCall,
    OpenAddress,
    ProveRecord,
    ReadFields,
    TypeInto,
)
from shared.flows.checking.recorded_answers import RecordedAnswers, SampleCheck, check_values
from shared.flows.compiling.compiler import compile_samples
from shared.flows.files import FlowFiles
from shared.pages.locate.element_facts import ElementFacts
from tests.cases import cases
from tests.unit.shared.flows.recorded_world import Recorder, element, spec_of

FORM = (element(1, "textbox", "Name"), element(2, "textbox", "Note"), element(3, "button", "Save"))
NEXT = (element(1, "textbox", "Phone"), element(3, "button", "Send"))
OPEN = OpenAddress(url="http://site/")
SAVE = ClickElement(selector='role=button[name="Save"]')


def typed(name: str, text: str) -> TypeInto:
    return TypeInto(text=text, selector=f'role=textbox[name="{name}"]')


NAME, NOTE, PHONE = typed("Name", "Ann"), typed("Note", "none"), typed("Phone", "12")


NO_FACTS: Mapping[str, ElementFacts] = {}


def problems(*calls: FlowCall, facts: Mapping[str, ElementFacts] = NO_FACTS) -> list[str]:
    """Return how a flow that makes these calls differs from a sample: Name, Note, Save, then Phone."""
    one = Recorder("T-1", {})
    one.open("http://site/", *FORM)
    one.type(1, "Ann")
    one.type(2, "none")
    one.click(3, *NEXT)
    one.type(1, "12")
    answers = RecordedAnswers(one.sample, FlowFiles(locators=dict(facts)), {}, {})
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


def test_a_step_that_came_to_something_else_than_the_flow_expects_is_a_problem():
    def saved(*effects: str) -> list[str]:
        facts = {SAVE.selector: ElementFacts(role="button", effects=effects)}
        return problems(OPEN, NAME, NOTE, SAVE, PHONE, facts=facts)

    assert saved("page_changed", "navigated") == []
    (problem,) = saved("page_changed")
    assert "navigated instead of page_changed" in problem


def test_what_is_pressed_once_must_be_found_in_the_sample_as_the_flow_would_find_it():
    changed = ElementFacts(role="button", selectors=('role=button[name="Save"]', "text=Save"))
    once = ClickElement(selector='role=button[name="Store"]', irreversible=True)
    shown = replace(once, irreversible=False)
    assert problems(OPEN, NAME, NOTE, shown, PHONE, facts={shown.selector: changed}) == []
    (problem,) = problems(OPEN, NAME, NOTE, once, PHONE, facts={once.selector: changed})
    assert "what is pressed once must be found as it was recorded" in problem


# --- what was read after the last step


def on_list(number: str, made: str) -> Recorder:
    """Record a record whose date stands only in the list that its last step leads to."""
    one = Recorder(number, {"number": number})
    one.open(f"http://site/{number}", element(1, "definition", number, header="Number"), element(2, "link", "All"))
    one.read("number", 1)
    one.click(2, element(1, "definition", made, header="Made"), element(2, "link", "New"))
    one.read("made", 1)
    return one


def test_a_value_that_the_last_step_leads_to_is_read_there():
    spec = spec_of(
        output_schema={"number": "string", "made": "string"},
        input_schema={"number": "string"},
        identity={"number": "{number}"},
    )
    samples = [on_list("A-1", "May 3").sample, on_list("A-2", "June 4").sample]
    files = compile_samples(spec, samples).files
    answers = RecordedAnswers(samples[1], files, {"number": "A-2"}, {})
    way = (OpenAddress(url="http://site/A-2"), ClickElement(selector='role=link[name="All"]'))
    assert [answers.answer(call).error for call in way] == [None, None]
    assert answers.answer(ReadFields(fields=("made",))).value == {"made": "June 4"}


# --- what only repeats what was searched for


def search_of(number: str, *answer: Element, opened: bool = False) -> RecordedAnswers:
    """Record a search for a record; return the answers to a flow that has made it. ``opened``: a result was opened."""
    one = Recorder(number, {"number": number, "step": "Go"})
    one.open("http://site/", element(1, "searchbox", "Search", value=""), element(2, "button", "Go"))
    one.type(1, number)
    field = element(1, "searchbox", "Search", value=number)
    one.click(2, *((field, element(3, "link", "First")) if opened else (field, *answer)), mark=2)
    way = [OPEN, TypeInto(text=number, selector='role=searchbox[name="Search"]')]
    way.append(ClickElement(selector='role=button[name="Go"]'))
    if opened:
        one.click(3, field, *answer, mark=3)
        way.append(ClickElement(selector='role=link[name="First"]'))
    one.screenshot("record")
    answers = RecordedAnswers(one.sample, FlowFiles(), one.row, {})
    assert [answers.answer(call).error for call in way] == [None] * len(way)
    return answers


HEADED = element(4, "heading", "A-1", level=1)


@cases(
    "shown, opened, told",
    [
        ((HEADED,), False, "record_unproven"),
        ((element(4, "heading", "Results for A-1", level=1),), False, "record_unproven"),
        ((element(4, "heading", "A-1: Printer on fire", level=1),), False, None),
        ((HEADED,), True, None),
    ],
)
def test_an_echo_of_the_search_of_a_sample_proves_no_record_as_on_the_site(shown, opened, told):
    answered = search_of("A-1", *shown, opened=opened).answer(ProveRecord(expected={"number": "A-1"}))
    assert (answered.error.code if answered.error is not None else None) == told


# --- what the flow has not


def checked(shown: str, now: str | None) -> SampleCheck:
    """Return the check of a flow that has read ``now`` where ``shown`` was recorded."""
    one = Recorder("T-1", {})
    one.open("http://site/", element(1, "definition", shown or "x", header="Owner"))
    one.read("owner", 1)
    sample = one.sample
    sample = dataclasses.replace(sample, values=(replace(sample.values[0], shown=shown, value=shown),))
    answers = RecordedAnswers(sample, FlowFiles(), {}, {})
    answers.answer(OPEN)
    return check_values(sample, answers, {"owner": now}, "", {})


def test_a_field_that_the_flow_has_not_is_lacking_and_another_value_is_not():
    lost, other = checked("Ann", None), checked("Ann", "Bob")
    assert (lost.problems, lost.lacking) == (
        ("owner: then 'Ann', now that there is none",),
        {"owner": lost.problems[0]},
    )
    assert (other.problems, other.lacking) == (("owner: then 'Ann', now 'Bob'",), {})


def test_a_text_without_a_character_is_nothing():
    assert checked(" ", None).problems == ()
    assert checked(" ", "Ann").problems == ("owner: then that there is none, now 'Ann'",)


@cases(
    ("selector", "wanted"),
    [("#more", True), ("#gone", False), ('[data-testid="gone"]', False), ("main > a", None), ("#panel", None)],
)
def test_a_stored_page_tells_of_ids_whether_they_are_shown_and_of_no_other_css(selector: str, wanted: bool | None):
    one = Recorder("T-1", {})
    one.open("http://site/", element(1, "link", "More", locators=(Locator(kind="id", value="#more", matches=1),)))
    one.click(1, *NEXT)
    known: dict[str, ElementFacts] = dict.fromkeys(
        ("#more", "#gone", '[data-testid="gone"]', "main > a"), ElementFacts(role="link")
    )
    answers = RecordedAnswers(one.sample, FlowFiles(locators=known), {}, {})
    assert answers.answer(OPEN).error is None
    told = answers.answer(CheckShown(selector=selector))
    assert told.value is wanted
    assert (told.error is not None) is (wanted is None)

"""The fillings of a form, which a model makes in another order for each sample."""

from __future__ import annotations

import pytest

from shared.contracts.results import Locator
from shared.flows.compiling.alignment import Column, align_samples
from shared.flows.compiling.recorded_calls import RecordedCall, calls_of
from tests.cases import cases
from tests.unit.shared.flows.recorded_world import Recorder, element

FIELDS = {name: ref for ref, name in enumerate(("Name", "Country", "Office", "Note", "Phone"), 1)}
BOX, CHOICE, SAVE = 20, 21, 22


def recorded(number: int, steps: str) -> Recorder:
    """Record a sample. Each word is a field that is filled in, or a box, a choice, a button, or a picture."""
    one = Recorder(f"T-{number}", {name.lower(): f"{name} of {number}" for name in FIELDS})
    form = (
        *(element(ref, "textbox", name) for name, ref in FIELDS.items()),
        element(BOX, "checkbox", "Box"),
        element(CHOICE, "radio", "Choice"),
        element(SAVE, "button", "Save"),
    )
    one.open("http://site/", *form)
    for word in steps.split():
        match word:
            case "Box":
                one.click(BOX)
            case "Choice":
                one.click(CHOICE)
            case "Save":
                one.click(SAVE, *form)
            case "Look":
                one.screenshot("form")
            case _:
                one.type(FIELDS[word], one.row[word.lower()])
    return one


def columns_of(*samples: str) -> list[Column]:
    recorders = [recorded(number, steps) for number, steps in enumerate(samples)]
    calls = [calls_of(one.sample, number)[0] for number, one in enumerate(recorders)]
    columns = align_samples(calls, [one.row for one in recorders])
    for number, own in enumerate(calls):
        assert sum(number in one.calls for one in columns) == len(own)
    return columns[1:]


def name_of(one: RecordedCall) -> str:
    return one.target.name if one.target is not None else "Look"


def aligned(*samples: str) -> list[str]:
    """Return the steps of the flow, each with the samples that took it, unless all did."""
    found: list[str] = []
    for column in columns_of(*samples):
        took = "" if len(column.calls) == len(samples) else f":{''.join(map(str, sorted(column.calls)))}"
        found.append(f"{name_of(column.any)}{took}")
    return found


@cases(
    ("samples", "steps"),
    [
        (("Name Country Note Save", "Note Country Name Save"), "Name Country Note Save"),
        (("Name Choice Box Note", "Box Note Choice Name"), "Name Choice Box Note"),
        (("Name Note", "Note Name", "Note Phone Name"), "Name Note Phone:2"),
        (("Name Note Phone", "Phone Name"), "Name Note:0 Phone"),
    ],
)
def test_each_field_is_filled_once_in_the_order_of_the_first_sample(samples, steps):
    assert aligned(*samples) == steps.split()


@cases(
    ("samples", "steps"),
    [
        # Office may have appeared through Country or Note, so it stays after both.
        (("Name Country Note", "Note Country Office Name"), "Name Country Note Office:1"),
        # Both samples filled Office after Country, the second one Name last.
        (("Country Office Name", "Country Name Office"), "Country Office Name"),
        (("Name Country Office", "Country Office Name"), "Name Country Office"),
        # The earlier sample filled Phone without Box, so it did not appear through it; Note may have.
        (("Phone Name", "Name Box Phone Note"), "Phone Name Box:1 Note:1"),
    ],
)
def test_a_field_keeps_its_place_after_those_through_which_it_may_have_appeared(samples, steps):
    assert aligned(*samples) == steps.split()


def test_fillings_are_ordered_within_their_form():
    assert aligned("Name Note Save Phone", "Note Name Save Phone") == ["Name", "Note", "Save", "Phone"]


@cases(("one", "other"), [("Name Save Note", "Note Save Name"), ("Name Look Note", "Note Name Look")])
def test_what_is_filled_before_another_step_stays_before_it(one, other):
    for number, steps in enumerate((one, other)):
        taken = [column.calls[number] for column in columns_of(one, other) if number in column.calls]
        assert list(map(name_of, taken)) == steps.split()


def test_an_order_that_is_the_same_stays():
    steps = "Name Box Country Choice Office Note Phone Save Name"
    assert aligned(steps, steps, steps) == steps.split()


@pytest.mark.parametrize(("matches", "steps"), [(1, 1), (2, 2)])
def test_an_id_that_several_elements_have_makes_no_two_steps_one(matches: int, steps: int):
    recorders = [Recorder(f"T-{number}", {"name": f"Name of {number}"}) for number in range(2)]
    for one, name, count in zip(recorders, ("Save", "Send"), (1, matches), strict=True):
        ids = (Locator(kind="id", value="#go", matches=count),)
        one.open("http://site/", element(1, "button", name, locators=ids))
        one.click(1)
    calls = [calls_of(one.sample, number)[0] for number, one in enumerate(recorders)]
    assert len(align_samples(calls, [one.row for one in recorders])) == 1 + steps

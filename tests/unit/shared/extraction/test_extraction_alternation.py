"""A table or a list of terms that has become cards: each label a text, its value below it or to its right."""

from __future__ import annotations

from typing import Any

from shared.contracts.results import Box
from shared.extraction.agreement import read_field
from shared.extraction.certainty import FieldReading
from shared.extraction.pages import ObservedPage
from shared.extraction.synthesis import Example, learn_field
from shared.extraction.values import FieldType
from tests.cases import cases
from tests.unit.shared.extraction.observed_pages import heading, page, row, text

PEOPLE = ("Ann Lee", "Søren Kjær", "")
HEIGHT = 20.0
Pair = tuple[str, str]
Elements = list[dict[str, Any]]


def pairs(person: str) -> list[Pair]:
    return [("Number", "TCK-1"), ("Reporter", "Vera Novak"), ("Assignee", person), ("Status", "Open")]


def terms(person: str) -> ObservedPage:
    return page(heading("A ticket"), *(one for pair in pairs(person) for one in row(*pair)))


def cards(values: list[Pair], *, right: bool = False, colon: str = "") -> Elements:
    """Return what a page with cards shows, a heading above and a note below them."""
    elements: Elements = [heading("A ticket")]
    top = 100.0
    for label, value in values:
        at = Box(x=10, y=top, width=80, height=HEIGHT)
        elements.append(text(label + colon, place="div>div>b", box=at, before_blank=not value))
        if value:
            beside = Box(x=100, y=top, width=200, height=HEIGHT)
            below = Box(x=10, y=top + HEIGHT, width=200, height=HEIGHT)
            elements.append(text(value, place="div>div>span", box=beside if right else below))
        top += 2 * HEIGHT
    return [*elements, text("Last changed on Monday", place="main>p", box=Box(x=10, y=top, width=200, height=HEIGHT))]


def read(elements: Elements) -> FieldReading:
    examples = [Example(terms(one), one) for one in PEOPLE]
    form = FieldType(type="string | null")
    return read_field(learn_field(examples, ("Assignee",), form), page(*elements), frozenset())


@cases("right", [False, True])
@cases("colon", ["", ":"])
def test_a_value_is_read_at_its_label(right: bool, colon: str):
    reading = read(cards(pairs("Ida Falk"), right=right, colon=colon))
    assert (reading.certainty, reading.value) == ("healed", "Ida Falk")
    assert reading.lost


@cases("last", [False, True])
def test_a_blank_is_no_value(last: bool):
    number, reporter, assignee, status = pairs("")
    order = [number, reporter, status, assignee] if last else [number, reporter, assignee, status]
    reading = read(cards(order))
    assert reading.absent
    assert reading.value is None


def test_the_order_of_labels_is_free():
    assert read(cards([*reversed(pairs("Ida Falk"))])).value == "Ida Falk"


def changed(at: int, **changes: Any) -> Elements:
    elements = cards(pairs("Ida Falk"))
    return [*elements[:at], {**elements[at], **changes}, *elements[at + 1 :]]


LABEL, VALUE = 5, 6
"""Where the assignee's label and value are among the elements of the cards."""


@cases(
    ("what", "elements"),
    [
        ("a text more after the label", [*cards(pairs("Ida Falk"))[:VALUE], text("since May"), *changed(0)[VALUE:]]),
        ("no value and no blank", changed(LABEL)[:VALUE] + changed(LABEL)[VALUE + 1 :]),
        ("a link where a value was", changed(VALUE, role="link", url="/assign")),
        ("a value in another part", changed(VALUE, place="div>aside")),
        ("a label in another part", changed(LABEL, place="div>aside>b")),
        ("a value far from its label", changed(VALUE, box=Box(x=700, y=900, width=50, height=HEIGHT))),
        ("a value to the right, others below", changed(VALUE, box=Box(x=100, y=180, width=50, height=HEIGHT))),
        ("a page without boxes", [{**one, "box": None} for one in changed(0)]),
        ("the label twice", [*cards(pairs("Ida Falk")), text("Assignee")]),
        ("a label of the examples that is gone", cards(pairs("Ida Falk")[1:])),
        ("two labels only", cards(pairs("Ida Falk")[2:])),
    ],
)
def test_anything_else_is_for_a_person(what: str, elements: Elements):
    reading = read(elements)
    assert reading.value is None, what
    assert not reading.absent, what


def test_the_elements_that_are_changed_are_those_of_the_assignee():
    elements = cards(pairs("Ida Falk"))
    assert (elements[LABEL]["name"], elements[VALUE]["name"]) == ("Assignee", "Ida Falk")

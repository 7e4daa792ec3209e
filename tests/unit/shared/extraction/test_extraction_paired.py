"""Labels and values in plain boxes, whose tags are others than on the examples: each value right after its label."""

from __future__ import annotations

from typing import Any

from shared.contracts.browser_pool import Element
from shared.contracts.results import Box
from shared.extraction.agreement import read_field
from shared.extraction.certainty import FieldReading
from shared.extraction.pages import ObservedPage
from shared.extraction.synthesis import Example, learn_field
from shared.extraction.values import FieldType
from tests.cases import cases
from tests.unit.shared.extraction.observed_pages import heading, text

HEIGHT = 20.0
Pair = tuple[str, str]
Elements = list[dict[str, Any]]
PEOPLE = ("Ann Lee", "Søren Kjær", "Vera Novak")
HERE = "http://a.test/assets/9/view"
ADDRESS = "http://a.test/people/3"
LABEL, VALUE = 5, 6
"""Where the holder's label and value are among the elements."""


def pairs(person: str) -> list[Pair]:
    return [("Tag", "A-1"), ("Name", "Laptop 1"), ("Holder", person), ("State", "in use"), ("Price", "9.50")]


def sheet(values: list[Pair], tags: str = "form>div", *, offset_px: float = 170.0) -> Elements:
    """Return a heading, and the values in a column at the right of their labels; an empty one is a blank."""
    elements: Elements = [heading("An asset")]
    for at, (label, value) in enumerate(values):
        top = 100.0 + 2 * HEIGHT * at
        box = Box(x=10, y=top, width=40, height=HEIGHT)
        elements.append(text(f"{label}:", place=f"{tags}>label", box=box, before_blank=not value))
        if value:
            beside = Box(x=10 + offset_px, y=top, width=90, height=HEIGHT)
            elements.append(text(value, place=f"{tags}>p", box=beside))
    return elements


def seen(elements: Elements) -> ObservedPage:
    return ObservedPage([Element(ref=at, **one) for at, one in enumerate(elements, 1)], "An asset", HERE)


def read(elements: Elements, form: str = "string") -> FieldReading:
    examples = [Example(seen(sheet(pairs(one))), one) for one in PEOPLE]
    return read_field(learn_field(examples, ("Holder",), FieldType(type=form)), seen(elements), frozenset())


def linked(elements: Elements) -> Elements:
    elements[VALUE] |= {"role": "link", "url": ADDRESS, "place": "form>div>p>a"}
    return elements


def now(person: str = "Ida Falk", **changes: Any) -> Elements:
    """Return the page with other tags. ``changes``: of the element that shows the holder."""
    elements = sheet(pairs(person), "main>section")
    elements[VALUE] |= changes
    return elements


def test_other_tags_do_not_hide_a_value_behind_its_label():
    reading = read(now())
    assert (reading.certainty, reading.value) == ("healed", "Ida Falk")
    assert reading.lost


def test_a_text_that_is_a_link_now_is_read_at_its_label():
    link = now(role="link", url=ADDRESS, place="main>section>p>a")
    assert (read(link).certainty, read(link).value) == ("healed", "Ida Falk")


@cases("url", ["", HERE, "http://a.test/assets/9/holder", "http://a.test/people/3?edit=1", "http://a.test/people/#new"])
def test_a_link_that_is_a_way_to_change_the_value_is_none(url: str):
    edit = now("Edit", role="link", url=url or None, place="main>section>p>a")
    assert read(edit).value is None


def test_a_blank_is_no_value():
    assert read(sheet(pairs(""), "main>section"), "string | null").value is None
    examples = [Example(seen(linked(sheet(pairs(one)))), one) for one in PEOPLE]
    rules = learn_field(examples, ("Holder",), FieldType(type="string | null"))
    reading = read_field(rules, seen(sheet(pairs(""), "main>section")), frozenset())
    assert (reading.absent, reading.value) == (True, None)
    no_label = sheet([one for one in pairs("") if one[0] != "Holder"], "main>section")
    assert not read_field(rules, seen(no_label), frozenset()).absent


@cases("role", ["button", "img", "heading", "textbox"])
def test_what_is_neither_text_nor_link_is_no_value(role: str):
    assert read(now(role=role)).value is None


@cases(
    "changes",
    [
        {"place": "main>aside>em"},  # another kind of place than all other values have
        {"box": Box(x=500, y=180, width=90, height=HEIGHT)},  # not where values stand
        {"box": Box(x=180, y=600, width=90, height=HEIGHT)},
        {"name": "State:"},
    ],
)
def test_what_stands_otherwise_than_the_other_values_is_no_value(changes: dict[str, Any]):
    assert read(now(**changes)).value is None


def test_each_label_counts_once_and_in_the_order_of_the_examples():
    tag, name, holder, state, price = pairs("Ida Falk")
    for order in ([tag, holder, name, state, price], [tag, name, holder, state], [holder, tag, name, state, price]):
        assert read(sheet(order, "main>section")).value is None
    twin = sheet(pairs("Bo Dahl"), "main>aside")
    assert read([*now(), *twin]).value is None
    assert read([*twin, *now()]).value is None


def test_a_twin_whose_record_has_another_label_there_is_no_value():
    own = [("Owner" if label == "Holder" else label, value) for label, value in pairs("Ida Falk")]
    assert read([*sheet(own, "main>section"), *sheet([("Holder", "Bo Dahl")], "main>aside")]).value is None


def test_a_label_without_its_value_does_not_take_the_next_ones():
    elements = now()
    assert read([*elements[:VALUE], *elements[VALUE + 1 :]]).value is None


def test_values_in_no_common_way_are_none():
    elements = now()
    for at, one in enumerate(elements[2::2]):
        one["box"] = Box(x=180.0 + 40 * at, y=one["box"].y, width=90, height=HEIGHT)
    assert read(elements).value is None

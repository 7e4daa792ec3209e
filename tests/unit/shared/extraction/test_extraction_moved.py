"""Values that have changed places, parts that show another record under the same labels, labels that are exchanged."""

from __future__ import annotations

from typing import Any

import pytest

from shared.extraction.agreement import FieldReading, read_field
from shared.extraction.pages import ObservedPage
from shared.extraction.synthesis import Example, learn_field
from tests.unit.shared.extraction.observed_pages import heading, page, row

PEOPLE = ("Ann Lee", "Søren Kjær", "Mateus Gonçalves")
Pair = tuple[str, str]


def record(pairs: list[Pair], *, before: tuple[Pair, ...] = (), place: str = "aside>dl") -> ObservedPage:
    """Return a page with labelled values; ``before``: those of another part, above them."""
    elements: list[dict[str, Any]] = [heading("A ticket")]
    for at, values in (("section>dl", before), (place, pairs)):
        for label, value in values:
            term, found = row(label, value)
            elements += [{**term, "place": f"{at}>dt"}, {**found, "place": f"{at}>dd"}]
    return page(*elements)


def pairs(person: str, reporter: str = "Vera Novak") -> list[Pair]:
    return [("Number", "TCK-1"), ("Reporter", reporter), ("Assignee", person), ("Status", "Open"), ("Team", "Red")]


def read(on: ObservedPage) -> FieldReading:
    examples = [Example(record(pairs(one)), one) for one in PEOPLE]
    return read_field(learn_field(examples, ("Assignee",)), on, frozenset())


def test_a_value_that_has_moved_with_its_label_is_read_by_the_label():
    known = pairs("Ida Falk")
    reading = read(record([*known[1::2], *known[::2]]))
    assert (reading.certainty, reading.value) == ("healed", "Ida Falk")
    assert reading.moved
    assert set(reading.moved) <= set(reading.lost)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_new_value_before_it_does_not_hide_it(at):
    known = pairs("Ida Falk")
    known.insert(at, ("Customer", "Acme"))
    assert read(record(known)).value == "Ida Falk"


def test_two_labels_that_have_exchanged_places_are_for_a_person():
    number, reporter, assignee, *rest = pairs("Ida Falk")
    reading = read(record([number, assignee, reporter, *rest]))
    assert (reading.certainty, reading.value) == ("ambiguous", None)


def test_what_has_no_label_of_its_own_where_the_value_was_is_for_a_person():
    elements: list[dict[str, Any]] = [heading("A ticket")]
    for label, value in [("Assignee", "Ida Falk"), ("Number", "TCK-1"), ("Status", "Open"), ("Team", "Red")]:
        term, found = row(label, value)
        elements += [{**term, "place": "aside>dl>dt"}, {**found, "place": "aside>dl>dd"}]
    unlabelled = {"role": "definition", "name": "Uma Berg", "tag": "dd", "place": "aside>dl>dd"}
    reading = read(page(*elements[:5], unlabelled, *elements[5:]))
    assert reading.value is None


def test_another_record_under_the_same_labels_elsewhere_is_left_out():
    twin = (("Number", "TCK-11"), ("Assignee", "Bo Dahl"))
    reading = read(record(pairs("Ida Falk"), before=twin))
    assert (reading.certainty, reading.value) == ("healed", "Ida Falk")


def test_another_record_in_the_same_place_is_for_a_person():
    known = pairs("Ida Falk")
    assert read(record([*known, *pairs("Bo Dahl")])).value is None
    assert read(record(known[:2], before=(("Assignee", "Bo Dahl"),))).value is None


def test_a_record_whose_own_part_has_changed_is_not_read_from_the_twin():
    twin = record(pairs("Bo Dahl"), before=tuple(pairs("Ida Falk")[:3]))
    assert read(twin).value != "Ida Falk"
    moved = record(pairs("Ida Falk"), before=(("Assignee", "Bo Dahl"),), place="aside>div>dl")
    assert read(moved).value is None


def test_a_renamed_label_is_for_a_person():
    known = [("Owner" if label == "Assignee" else label, value) for label, value in pairs("Ida Falk")]
    assert read(record(known)).value is None

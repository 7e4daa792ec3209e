"""Values that have changed places, parts that show another record under the same labels, labels that are exchanged."""

from __future__ import annotations

from typing import Any

from msgspec import structs
from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.contracts.results import TextPart
from shared.extraction.agreement import read_field
from shared.extraction.certainty import FieldReading
from shared.extraction.pages import ObservedPage
from shared.extraction.rules import ExtractionRule, InLabelledRow, Whole
from shared.extraction.synthesis import Example, learn_field
from shared.extraction.values import FieldType
from tests.cases import cases
from tests.unit.shared.extraction.observed_pages import (
    PEOPLE,
    Pair,
    heading,
    page,
    pairs,
    part,
    properties,
    record,
    row,
)


def read(on: ObservedPage) -> FieldReading:
    examples = [Example(record(pairs(one)), one) for one in PEOPLE]
    return read_field(learn_field(examples, ("Assignee",)), on, frozenset())


def test_a_value_that_has_moved_with_its_label_is_read_by_the_label():
    known = pairs("Ida Falk")
    reading = read(record([*known[1::2], *known[::2]]))
    assert (reading.certainty, reading.value) == ("healed", "Ida Falk")
    assert reading.moved
    assert set(reading.moved) <= set(reading.lost)


@cases("at", [0, 1, 2])
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


def test_that_there_is_none_is_told_beside_another_record_under_the_same_labels():
    optional = FieldType(type="string | null")
    examples = [Example(record(pairs(one)), one) for one in PEOPLE]
    rules = learn_field(examples, ("Assignee",), optional)
    twin = (("Number", "TCK-11"), ("Assignee", "Bo Dahl"))
    reading = read_field(rules, record(pairs(""), before=twin), frozenset())
    assert (reading.absent, reading.value) == (True, None)
    assert not read_field(rules, record([*pairs(""), *pairs("Bo Dahl")]), frozenset()).absent
    elsewhere = record(pairs(""), before=(("Assignee", "Bo Dahl"),), place="aside>div>dl")
    assert not read_field(rules, elsewhere, frozenset()).absent


def test_another_record_in_the_same_place_is_for_a_person():
    known = pairs("Ida Falk")
    assert read(record([*known, *pairs("Bo Dahl")])).value is None
    assert read(record(known[:2], before=(("Assignee", "Bo Dahl"),))).value is None


def test_a_record_whose_own_part_has_changed_is_not_read_from_the_twin():
    twin = record(pairs("Bo Dahl"), before=tuple(pairs("Ida Falk")[:3]))
    assert read(twin).value != "Ida Falk"
    twin_deeper = part(TWIN, "aside>div>dl")
    renamed = [("Owner" if label == "Assignee" else label, value) for label, value in KNOWN]
    assert read_parts(*part(renamed), *twin_deeper, *part(TWIN, "section>dl")).value is None


def test_more_layers_around_a_part_do_not_hide_it_beside_another_record():
    moved = read(record(pairs("Ida Falk"), before=(("Assignee", "Bo Dahl"),), place="aside>div>dl"))
    assert (moved.certainty, moved.value) == ("healed", "Ida Falk")
    known = pairs("Ida Falk")
    assert read(record(known, before=tuple(TWIN), place="aside>div>dl", at="aside>div>div>dl")).value is None
    assert read(record(known, before=tuple(TWIN), place="main>aside>dl", at="footer>dl")).value is None


def test_a_renamed_label_is_for_a_person():
    known = [("Owner" if label == "Assignee" else label, value) for label, value in pairs("Ida Falk")]
    assert read(record(known)).value is None


def read_in_part(on: ObservedPage) -> FieldReading:
    examples = [Example(properties(pairs(one)), one) for one in PEOPLE]
    return read_field(learn_field(examples, ("Assignee",)), on, frozenset())


def test_a_value_of_another_label_is_not_taken_where_its_own_label_is_there_twice():
    honest = read_in_part(properties(pairs("Ida Falk")))
    assert (honest.certainty, honest.value) == ("certain", "Ida Falk")
    doubled = read_in_part(properties([("Assignee", "Bo Dahl"), *pairs("Ida Falk")]))
    assert (doubled.certainty, doubled.value) == ("unsure", None)


@cases("at", [2, 3, 5])
def test_of_two_values_with_the_same_label_order_chooses_none(at):
    known = pairs("Ida Falk")
    known.insert(at, ("Assignee", "Bo Dahl"))
    reading = read_in_part(properties(known))
    assert (reading.certainty, reading.value) == ("unsure", None)


def test_of_several_texts_in_the_place_of_one_none_is_the_value():
    def shown(texts: tuple[str, ...]) -> ObservedPage:
        found = properties(pairs(" ".join(texts)))
        parts = tuple(TextPart(text=one) for one in texts) if len(texts) > 1 else ()
        return ObservedPage([replace(one, parts=parts) if one.header == "Assignee" else one for one in found.elements])

    assert read_in_part(shown(("Ida Falk",))).value == "Ida Falk"
    reading = read_in_part(shown(("Ida Falk", "Bo Dahl")))
    assert (reading.certainty, reading.value) == ("unsure", None)


def read_parts(*elements: dict[str, Any]) -> FieldReading:
    examples = [Example(page(heading("A ticket"), *part(pairs(one))), one) for one in PEOPLE]
    return read_field(learn_field(examples, ("Assignee",)), page(heading("A ticket"), *elements), frozenset())


TWIN: list[Pair] = [("Assignee", "Bo Dahl"), ("Number", "TCK-11")]
KNOWN = pairs("Ida Falk")
REORDERED = [*KNOWN[1::2], *KNOWN[::2]]


def test_where_values_have_moved_and_a_part_shows_another_record_the_label_in_its_place_tells():
    reading = read_parts(*part(REORDERED), *part(TWIN, "aside>div>dl"))
    assert (reading.certainty, reading.value) == ("healed", "Ida Falk")
    assert reading.moved
    before = read_parts(*part(TWIN, "aside>div>dl"), *part(REORDERED))
    assert before.value in (None, "Ida Falk")


@cases("twin", ["aside>dl", "section>dl"])
def test_the_value_of_another_label_is_never_the_fields_own(twin):
    """Its part of the page and its place are as ever, and no rule speaks against it."""
    layered = read_parts(*part(REORDERED, "aside>div>dl"), *part(TWIN, "aside>div>div>dl"))
    assert layered.value is None
    same_place = read_parts(*part(REORDERED), *part(TWIN, twin))
    assert same_place.value in (None, "Ida Falk")
    renamed = [("Owner" if label == "Assignee" else label, value) for label, value in REORDERED]
    assert read_parts(*part(renamed)).value is None


def test_two_exchanged_labels_are_for_a_person_though_a_part_shows_another_record():
    number, reporter, assignee, *rest = KNOWN
    exchanged = part([number, assignee, reporter, *rest])
    assert read_parts(*exchanged, *part(TWIN, "aside>div>dl")).value is None
    assert read_parts(*part(TWIN, "aside>div>dl"), *exchanged).value is None


def table_of(shown: list[Pair], place: str = "form>table>tr") -> list[dict[str, Any]]:
    elements: list[dict[str, Any]] = []
    for label, value in shown:
        elements.append({"role": "rowheader", "name": label, "tag": "th", "place": f"{place}>th"})
        elements.append({"role": "cell", "name": value, "tag": "td", "header": label, "place": f"{place}>td"})
    return elements


def read_from_table(on: ObservedPage) -> FieldReading:
    examples = [Example(page(heading("A ticket"), *table_of(pairs(one))), one) for one in PEOPLE]
    return read_field(learn_field(examples, ("Assignee",)), on, frozenset())


def test_a_table_that_has_become_a_list_of_terms_is_read_by_the_same_labels():
    reading = read_from_table(record(pairs("Ida Falk")))
    assert (reading.certainty, reading.value) == ("healed", "Ida Falk")
    assert read_from_table(record(pairs("Assignee"))).value is None


def test_a_list_of_terms_beside_the_table_or_without_all_of_its_labels_is_for_a_person():
    known = pairs("Ida Falk")
    unlabelled = [one for one in known if one[0] != "Assignee"]
    twin = [one for label, value in pairs("Bo Dahl") for one in row(label, value)]
    assert read_from_table(page(heading("A ticket"), *table_of(unlabelled), *twin)).value is None
    assert read_from_table(record(known[1:4])).value is None
    assert read_from_table(record([*known, *pairs("Bo Dahl")])).value is None


LONG = [*pairs("Ida Falk"), *[(f"Field {at}", f"Value {at}") for at in range(5)]]


def read_long(on: ObservedPage) -> FieldReading:
    examples = [page(heading("A ticket"), *table_of([*pairs(one), *LONG[5:]])) for one in PEOPLE]
    rules = learn_field([Example(one, who) for one, who in zip(examples, PEOPLE, strict=True)], ("Assignee",))
    return read_field(rules, on, frozenset())


def test_of_ten_labels_one_may_be_gone_where_a_table_has_become_a_list_of_terms():
    assert read_long(record(LONG)).value == "Ida Falk"
    assert read_long(record([one for one in LONG if one[0] != "Team"])).value == "Ida Falk"


@cases("gone", [("Team", "Status"), ("Assignee",), ("Assignee", "Team")])
def test_a_list_of_terms_without_more_of_the_labels_or_its_own_is_for_a_person(gone):
    assert read_long(record([one for one in LONG if one[0] not in gone])).value is None


def test_a_label_that_stands_elsewhere_on_the_page_is_not_gone():
    """The record's own values may be there, and the list of terms be another record's."""
    left = record([one for one in LONG if one[0] != "Team"])
    written = {"role": "text", "name": "Team:", "place": "main>b"}
    assert read_long(page(*[_as_dict(one) for one in left.elements], written)).value is None
    assert read_long(page(*[_as_dict(one) for one in left.elements])).value == "Ida Falk"


def _as_dict(element: Element) -> dict[str, Any]:
    return {name: value for name, value in structs.asdict(element).items() if name != "ref"}


@cases(("columns", "empty"), [(1, True), (3, False)])
def test_a_blank_after_a_label_says_nothing_of_cells_that_are_farther_off(columns, empty):
    label = {"role": "rowheader", "name": "Assignee", "tag": "th", "row": 1, "column": 0, "before_blank": True}
    where = InLabelledRow(label="Assignee", columns=columns, role="cell")
    rule = ExtractionRule(where=where, attribute="name", part=Whole())
    assert page(label).is_empty_at(rule) is empty

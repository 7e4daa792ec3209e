"""The table of doubts: for each of its rows a page that was changed so that this row applies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.contracts.results import TextPart
from shared.extraction.agreement import read_field
from shared.extraction.certainty import DOUBTS, DOUBTS_OF_FLOWS, FieldReading, words_of_doubt
from shared.extraction.pages import ObservedPage, TaskValue
from shared.extraction.synthesis import Example, learn_field
from shared.extraction.values import FieldType
from shared.flows.reading import locate_field
from shared.pages.states import WITHOUT_VALUE
from tests.cases import cases
from tests.unit.shared.extraction.observed_pages import (
    PEOPLE,
    heading,
    page,
    pairs,
    properties,
    record,
    row,
    text,
)

OTHER = "Ida Falk"
Make = Callable[[str], ObservedPage]


def plain(person: str) -> ObservedPage:
    return record(pairs(person))


def in_part(person: str) -> ObservedPage:
    return properties(pairs(person))


def with_id(person: str) -> ObservedPage:
    return page(heading("A ticket"), *row("Assignee", person, id_="assignee"), *row("Status", "Open"))


def in_order(person: str) -> ObservedPage:
    return page(text(f"note of {len(person)} letters"), text(person))


def twice(person: str) -> ObservedPage:
    return page(heading(person), *row("Owner", person), *row("Status", "Open"))


def numbered(number: str) -> ObservedPage:
    return page(heading(f"TCK-{number}: Printer on fire"), *row("Status", "Open"))


def with_two_texts() -> ObservedPage:
    both = (TextPart(text=OTHER), TextPart(text="Bo Dahl"))
    elements = in_part(f"{OTHER} Bo Dahl").elements
    return ObservedPage([replace(one, parts=both) if one.header == "Assignee" else one for one in elements])


def told(person: str) -> ObservedPage:
    elements = record(pairs(person)).elements
    ref = next(one.ref for one in elements if one.header == "Assignee")
    return ObservedPage(elements, task_values={"assignee": TaskValue(person, ref)})


def cards(person: str) -> Sequence[Element]:
    return page(text("Assignee", place="div>small"), text(person, place="div>b")).elements


def read(make: Make, changed: ObservedPage, values: tuple[str, ...] = PEOPLE, type_: str = "string") -> FieldReading:
    shown = [Example(make(value), value) for value in values]
    return read_field(
        learn_field(shown, ("Assignee",), FieldType(type=type_), task_field="assignee"), changed, frozenset()
    )


def with_mark(person: str, behind: str = "") -> ObservedPage:
    said = f"{person} #{len(person)}{behind}"
    return page(*row("Number", "TCK-1"), *row("Assignee", said), *row("Status", "Open"))


NUMBER, REPORTER, ASSIGNEE, *REST = pairs(OTHER)
EXAMPLES: Mapping[str, tuple[Make, ObservedPage]] = {
    "not_found": (with_id, page(heading("A ticket"), *row("Status", "Open"))),
    "several_values": (plain, record([NUMBER, ASSIGNEE, REPORTER, *REST])),
    "value_and_none": (with_id, page(heading("A ticket"), *row("Assignee", ""), *row("Owner", OTHER, id_="assignee"))),
    "place_lost": (twice, page(*row("Owner", OTHER), *row("Status", "Open"))),
    "label_elsewhere": (plain, record([NUMBER, REPORTER], before=(("Assignee", "Bo Dahl"),))),
    "other_label": (in_part, properties([("Assignee", "Bo Dahl"), *pairs(OTHER)])),
    "one_of_several": (in_part, properties([NUMBER, REPORTER, ("Assignee", "Bo Dahl"), ASSIGNEE, *REST])),
    "several_texts": (in_part, with_two_texts()),
    "marked_alone": (
        with_id,
        page(*row("Number", "TCK-1"), *row("Reporter", OTHER, id_="assignee"), *row("Team", "Red")),
    ),
    "unproven": (told, ObservedPage(cards(OTHER), task_values={"assignee": TaskValue(OTHER, 2, proven=False)})),
    "built_otherwise": (with_mark, with_mark(OTHER, " of May")),
    "untold": (in_order, in_order(OTHER)),
    "misshapen": (numbered, numbered("Draft")),
}


@cases("code", sorted(EXAMPLES))
def test_each_row_of_the_table_has_a_page_that_it_is_for(code):
    make, changed = EXAMPLES[code]
    values = ("1001", "1002", "1034") if make is numbered else PEOPLE
    reading = read(make, changed, values, "string | null" if code == "value_and_none" else "string")
    assert (reading.doubt, reading.value) == (code, None)
    assert words_of_doubt(reading.doubt)


def test_every_row_has_an_example():
    assert set(EXAMPLES) == {one.code for one in DOUBTS}


@cases("make", [plain, in_part, with_id])
def test_a_certain_reading_has_no_doubt(make):
    reading = read(make, make(OTHER))
    assert (reading.certainty, reading.value, reading.doubt) == ("certain", OTHER, "")


def with_mark_alone(id_: str, **changes: str) -> ObservedPage:
    """Return a page on which an id is all that is left of how the examples had the value."""
    found = {**row("Assignee", OTHER, id_)[1], "header": None, "place": "main>b", **changes}
    return page(heading("A ticket"), found, *row("Status", "Open"))


def test_an_id_that_is_the_fields_own_name_tells_it_where_no_label_says_otherwise():
    assert read(with_id, with_mark_alone("assignee")).value == OTHER
    assert read(with_id, with_mark_alone("assignee", header="Reporter")).doubt == "marked_alone"


def test_a_blank_that_only_an_id_leads_to_does_not_say_that_there_is_none():
    blank = page(*row("Number", "TCK-1"), *row("Reporter", "", id_="assignee"), *row("Team", "Red"))
    reading = read(with_id, blank, type_="string | null")
    assert (reading.absent, reading.certainty) == (False, "missing")
    rules = learn_field([Example(with_id(value), value) for value in PEOPLE], ("Assignee",), FieldType(type="string"))
    said = locate_field("assignee", rules, with_mark_alone("assignee", header="Reporter"), frozenset(), (OTHER,))
    assert (said.state, said.why) == ("uncertain", words_of_doubt("marked_alone"))


def test_another_id_alone_tells_nothing_once_the_label_is_gone():
    def numbered_id(person: str) -> ObservedPage:
        return page(heading("A ticket"), *row("Assignee", person, id_="f17"), *row("Status", "Open"))

    assert read(numbered_id, with_mark_alone("f17")).doubt == "marked_alone"


def without_value(person: str) -> ObservedPage:
    """Return a page where the option that is chosen has no value, such as "Choose a person"."""
    elements = in_part(person).elements
    return ObservedPage(
        [replace(one, states=(WITHOUT_VALUE,)) if one.header == "Assignee" else one for one in elements]
    )


NONE = "Nobody"
BY_FLOW: Mapping[str, tuple[Make, ObservedPage, str]] = {
    "asks_to_choose": (in_part, without_value(OTHER), ""),
    "value_and_none": (twice, page(heading(OTHER), *row("Owner", NONE), *row("Status", "Open")), NONE),
    "untold": (in_order, in_order(NONE), NONE),
}


@cases("code", sorted(BY_FLOW))
def test_a_flow_tells_its_reasons_in_the_words_of_the_table(code):
    make, changed, none = BY_FLOW[code]
    rules = learn_field([Example(make(value), value) for value in PEOPLE], ("Assignee",), FieldType(type="string"))
    reading = locate_field("assignee", rules, changed, frozenset(), (none,) if none else ())
    assert (reading.state, reading.why) == ("uncertain", words_of_doubt(code))


def test_each_reason_of_flows_has_a_page():
    assert set(DOUBTS_OF_FLOWS) <= {*BY_FLOW, "of_other_record"}, "the last one's stands with those of several records"

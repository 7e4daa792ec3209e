"""An optional field that is nowhere on a page stops no flow, unless anything else there speaks for a change."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from shared.contracts.browser_pool import Element
from shared.contracts.results import Locator
from shared.contracts.workflows.flows import FlowAnswer, ReadFields
from shared.extraction.field_rules import FieldRules
from shared.extraction.rules import AtSelector, ExtractionRule, UnderHeader, Whole
from shared.flows.answering import FlowContext, decide_call
from shared.flows.checking.recorded_answers import page_of
from shared.flows.files import FieldsFile, FlowFiles
from shared.recordings.recording import RecordedPage
from tests.unit.shared.flows.recorded_world import element

READ = ReadFields(fields=("title", "series"))


def rules(header: str, role: str = "definition") -> FieldRules:
    rule = ExtractionRule(where=UnderHeader(header=header, role=role), attribute="name", part=Whole())
    return FieldRules(rules=(rule,), labels=(header,), homes=(0,))


def page(*pairs: tuple[str, str]) -> list[Element]:
    found: list[Element] = []
    for label, value in pairs:
        found.append(element(len(found) + 1, "term", label))
        found.append(element(len(found) + 1, "definition", value, header=label))
    return found


def answer(elements: list[Element], **lists: Any) -> FlowAnswer:
    return shown(elements, FieldsFile(fields={"title": rules("Title"), "series": rules("Series")}, **lists))


def shown(elements: list[Element], file: FieldsFile) -> FlowAnswer:
    stored = page_of(RecordedPage("http://site/", "", tuple(elements)), "a" * 64)
    decided = decide_call(READ, stored, FlowContext(FlowFiles(fields=file)))
    assert isinstance(decided, FlowAnswer)
    return decided


def values(**found: Any) -> FlowAnswer:
    return FlowAnswer(value=found)


def code(one: FlowAnswer) -> str:
    assert one.error is not None
    return one.error.code


def test_an_optional_field_that_is_nowhere_is_none_and_the_others_are_read():
    only_title = page(("Title", "A book"))
    assert answer(only_title, optional=("series",)) == values(series=None, title="A book")
    assert code(answer(only_title)) == "value_missing"


def test_it_is_read_where_it_is_there():
    both = page(("Title", "A book"), ("Series", "The Sea"))
    assert answer(both, optional=("series",)) == values(series="The Sea", title="A book")


def test_it_stops_the_flow_where_its_label_is_on_the_page():
    elements = [*page(("Title", "A book")), element(9, "paragraph", "Series")]
    assert code(answer(elements, optional=("series",))) == "value_missing"
    elements = [*page(("Title", "A book")), element(9, "paragraph", "Series: The Sea")]
    assert code(answer(elements, optional=("series",))) == "value_missing"


def test_it_stops_the_flow_where_another_field_is_not_found_as_recorded():
    assert code(answer(page(("Name", "A book")), optional=("series", "title"))) == "value_missing"


def test_it_stops_the_flow_where_the_page_shows_two_values():
    both = page(("Title", "A book"), ("Series", "The Sea"), ("Series", "The Hill"))
    assert answer(both, optional=("series",)).error is not None


def test_a_field_that_was_given_up_stops_nothing_and_is_read_where_it_is_certain():
    unsure = [*page(("Title", "A book")), element(9, "paragraph", "Series")]
    assert answer(unsure, given_up=("series",)) == values(series=None, title="A book")
    both = page(("Title", "A book"), ("Series", "The Sea"))
    assert answer(both, given_up=("series",)) == values(series="The Sea", title="A book")


def test_a_selector_that_a_page_stored_without_locators_cannot_show_is_no_change():
    both = rules("Title")
    by_id = ExtractionRule(where=AtSelector(selector="#title"), attribute="name", part=Whole())
    file = FieldsFile(
        fields={"title": replace(both, rules=(*both.rules, by_id), homes=(0, 0)), "series": rules("Series")},
        optional=("series",),
    )
    elements = page(("Title", "A book"))
    found = shown(elements, file)
    assert found == values(series=None, title="A book")
    other = Locator(kind="css", value="#other", matches=1)
    assert code(shown([replace(elements[0], locators=(other,)), *elements[1:]], file)) == "value_missing"

"""An element that a planner has chosen: what leads to it on other pages, and what the step must have led to."""

from __future__ import annotations

from shared.contracts.results import Locator
from shared.contracts.workflows.flows import ClickElement, DownloadFile, TakeScreenshot, TypeInto
from shared.contracts.workflows.heals import ChosenElement, Postcondition
from shared.extraction.field_rules import FieldRules
from shared.extraction.rules import ExtractionRule, UnderHeader, Whole
from shared.flows.files import ElementFacts, FieldsFile, FlowFiles
from shared.flows.healing.chosen import (
    find_chosen,
    may_be_chosen,
    role_problem,
    selectors_now,
    shown_template,
    shows_text,
    texts_looked_for,
    unmet_postcondition,
)
from tests.cases import cases
from tests.unit.planner.planner_pages import el, heading, page

ROW = {"ticket": "TCK-7", "url": "http://127.0.0.1/t/7"}


def chosen(*selectors: str, role: str = "link") -> ChosenElement:
    return ChosenElement(role=role, selectors=selectors, expects=Postcondition(), decided_by="a model")


def link(name: str, **more):
    return el("link", name, **more)


def test_values_of_the_row_become_variables_in_its_selectors():
    shown = page(link("History of TCK-7"), link("History of TCK-8"))
    assert selectors_now(shown.elements[0], shown, ROW) == (
        'role=link[name="History of {ticket}"]',
        "text=History of {ticket}",
    )


def test_what_leads_to_several_elements_is_no_selector():
    shown = page(link("More"), link("More", locators=(Locator(kind="css", value="main > a", matches=1),)))
    assert selectors_now(shown.elements[1], shown, ROW) == ("main > a",)


def test_a_generated_id_is_no_selector():
    ids = [Locator(kind="id", value=value, matches=1) for value in ("#more", "#ember4711")]
    shown = page(link("More", locators=(ids[0],)), link("Less", locators=(ids[1],)))
    assert "#more" in selectors_now(shown.elements[0], shown, ROW)
    assert "#ember4711" not in selectors_now(shown.elements[1], shown, ROW)


def test_on_another_page_all_that_leads_somewhere_leads_to_the_same():
    by_name = chosen('role=link[name="History of {ticket}"]', "#history")
    there = page(link("History of TCK-9", locators=(Locator(kind="id", value="#history", matches=1),)))
    found = find_chosen(by_name, there, {"ticket": "TCK-9"})
    assert found is not None
    assert found[0].name == "History of TCK-9"
    elsewhere = page(
        link("History of TCK-9"), link("Other", locators=(Locator(kind="id", value="#history", matches=1),))
    )
    assert find_chosen(by_name, elsewhere, {"ticket": "TCK-9"}) is None


@cases(
    "there",
    [
        page(link("Something", locators=(Locator(kind="id", value="#history", matches=1),))),
        page(el("button", "History")),
        page(link("History"), link("History")),
        page(heading("Nothing of the kind")),
    ],
)
def test_its_place_alone_another_role_several_and_none_lead_nowhere(there):
    assert find_chosen(chosen('role=link[name="History"]', "text=History", "#history"), there, {}) is None


def test_what_must_be_shown_is_looked_for_with_the_values_of_the_sample():
    expects = Postcondition(shows=shown_template("All about TCK-7", ROW))
    assert expects.shows == "All about {ticket}"
    assert unmet_postcondition(expects, page(heading("All about TCK-8")), {"ticket": "TCK-8"}) == ""
    assert "'All about TCK-8'" in unmet_postcondition(expects, page(heading("All about TCK-7")), {"ticket": "TCK-8"})
    assert unmet_postcondition(expects, None, ROW)
    assert unmet_postcondition(Postcondition(), None, ROW) == ""


@cases(
    ("call", "may"),
    [
        (ClickElement(selector="#a"), True), (ClickElement(selector="#a", irreversible=True), False),
        (ClickElement(selector="#a", if_shown=True), False), (TypeInto(selector="#a", text="x"), True),
        (TypeInto(text="x"), False), (DownloadFile(selector="#a"), True),
        (TakeScreenshot(label="a", selector="#a"), False),
    ],
)  # fmt: skip
def test_nothing_is_chosen_for_what_is_pressed_once_or_only_tried(call, may):
    assert may_be_chosen(call) is may


def test_only_what_is_pressed_may_have_another_role_and_only_where_its_effect_is_known():
    known, unknown = ElementFacts(role="link", effects=("navigated",)), ElementFacts(role="link")
    click, fill = ClickElement(selector="#a"), TypeInto(selector="#a", text="x")
    assert role_problem(click, known, "button") == ""
    assert role_problem(click, unknown, "button")
    assert role_problem(click, known, "textbox")
    assert role_problem(fill, ElementFacts(role="textbox", effects=("value_set",)), "button")
    assert role_problem(fill, None, "textbox") == ""


@cases(
    ("text", "shown"),
    [
        ("Total", False), ("total", False), ("Line items", True), ("items and total", True), ("Customer", True),
        ("ine items", False),
    ],
)  # fmt: skip
def test_a_word_must_be_a_whole_label_and_a_phrase_may_be_part_of_one(text, shown):
    assert shows_text(page(link("Line items and total"), el("definition", "Adatum", header="Customer")), text) is shown


def test_labels_and_names_that_the_flow_looks_for_are_told_without_values():
    rules = FieldRules(
        rules=(ExtractionRule(where=UnderHeader(header="Due", role=""), attribute="name", part=Whole()),)
    )
    locators = {'role=link[name="Details"]': ElementFacts(role="link"), "text={ticket}": ElementFacts(role="link")}
    files = FlowFiles(fields=FieldsFile(fields={"due": rules}), locators={**locators, "#a": ElementFacts(role="link")})
    assert texts_looked_for(files) == ("Due", "Details")

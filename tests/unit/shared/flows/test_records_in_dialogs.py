"""A record that is shown in a dialog over a list: a flow reads there, and not the page behind."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import FieldValue
from shared.flows.compiling.compiler import CompiledFlow, compile_flow
from shared.flows.reading import answer_of_proof, answer_of_readings, read_fields
from tests.unit.planner.planner_pages import page
from tests.unit.shared.flows.recorded_world import Recorder, element, samples_of, spec_of

SHOWN = {"Winter, part 6": ("Nordlys", "worn"), "Price, part 4": ("Salt House", "as new"), "After": ("Vale", "lost")}
SPEC: dict[str, Any] = {
    "input_schema": {"title": "string"},
    "start_url": "http://site/",
    "output_schema": {
        "title": "string",
        "publisher": {"type": "string", "labels": ["Publisher"]},
        "condition": {"type": "string", "labels": ["Condition"]},
    },
    "identity": {"title": "{title}"},
}


def behind(title: str, **facts: Any) -> list[Element]:
    """Return the list, whose own filter has labels like those of a record."""
    return [
        element(1, "searchbox", "Search", value=title, area="search"),
        element(2, "link", title, url="/book/1", **facts),
        element(3, "term", "Publisher"),
        element(4, "definition", "Any", header="Publisher"),
    ]


def dialog(title: str) -> list[Element]:
    publisher, condition = SHOWN[title]
    shown = (
        element(6, "heading", title, level=2),
        element(7, "text", f"Publisher: {publisher}"),
        element(8, "text", f"Condition: {condition}"),
        element(9, "button", "Close"),
    )
    return [replace(one, in_dialog=True, place=f"div>div>{one.role}") for one in shown]


def opened(title: str) -> PageObserved:
    return page(*behind(title, covered_by="dialog"), *dialog(title))


def recorders() -> list[Recorder]:
    return [Recorder(title, {"title": title}) for title in ("Winter, part 6", "Price, part 4")]


def read_all(one: Recorder) -> None:
    publisher, condition = SHOWN[one.row["title"]]
    one.read("title", 6)
    one.read("publisher", 7, publisher)
    one.read("condition", 8, condition)


def built() -> CompiledFlow:
    rows = recorders()
    for one in rows:
        title = one.row["title"]
        one.open("http://site/", *behind(title))
        one.click(2, *behind(title, covered_by="dialog"), *dialog(title))
        one.screenshot("book")
        read_all(one)
    return compile_flow(spec_of(**SPEC), samples_of(rows))


def test_what_was_read_in_a_dialog_is_read_there():
    flow = built()
    assert flow.problems == ()
    fields = flow.files.fields
    readings = read_fields(("title", "publisher", "condition"), fields, opened("After"), {}, named={"title": "After"})
    answer = answer_of_readings(readings, opened("After"), fields.types)
    assert answer.value == {"title": "After", "publisher": "Vale", "condition": "lost"}


def test_a_card_whose_picture_and_title_lead_to_one_page_is_clicked_by_its_name():
    rows = recorders()
    for one, clicked in zip(rows, (2, 5), strict=True):  # the title of one, the picture of the other
        title = one.row["title"]
        picture = element(5, "link", title, url="http://site/book/1")
        card = [replace(each, url="http://site/book/1") if each.ref == 2 else each for each in behind(title)]
        one.open("http://site/", *card, picture)
        one.click(clicked, *card, picture, *dialog(title))
        read_all(one)
    flow = compile_flow(spec_of(**SPEC), samples_of(rows))
    assert flow.problems == ()
    assert 'click(by_role("link", title))' in flow.source


def test_what_css_has_found_within_a_link_is_that_link():
    rows = recorders()
    for one in rows:
        title = one.row["title"]
        card = behind(title)
        one.open("http://site/", *card)
        one.click(2, *card, *dialog(title))
        result = one.steps[-1].result
        assert result is not None
        assert result.target is not None
        paragraph = replace(result.target, role="paragraph", tag="p", fingerprint="p", locators=())
        one.mark_last(result=replace(result, target=paragraph), target_context=None)
        read_all(one)
    flow = compile_flow(spec_of(**SPEC), samples_of(rows))
    assert flow.problems == ()
    assert 'click(by_role("link", title))' in flow.source


def test_a_field_that_was_noted_as_absent_may_be_lacking_where_nothing_tells_that():
    rows = [*recorders(), lacking := Recorder("After", {"title": "After"})]
    for one in rows:
        title = one.row["title"]
        shown = [each for each in dialog(title) if one is not lacking or each.ref != 8]
        one.open("http://site/", *behind(title))
        one.click(2, *behind(title, covered_by="dialog"), *shown)
        one.screenshot("book")
        one.read("title", 6)
        one.read("publisher", 7, SHOWN[title][0])
        if one is lacking:
            one.values.append(FieldValue(field="condition", state="not_present"))
        else:
            one.read("condition", 8, SHOWN[title][1])
    fields = {**SPEC["output_schema"], "condition": {"type": "string | null", "labels": ["Condition"]}}
    keys = {**SPEC, "output_schema": fields}
    optional = compile_flow(spec_of(**keys, required_fields=["title", "publisher"]), samples_of(rows))
    assert (optional.problems, optional.files.fields.optional) == ((), ("condition",))
    required = compile_flow(spec_of(**keys, required_fields=["title", "condition"]), samples_of(rows))
    assert required.files.fields.optional == ()


def test_a_page_without_the_dialog_shows_nothing_of_it():
    fields = built().files.fields
    readings = read_fields(("publisher", "condition"), fields, page(*behind("After")), {}, named={"title": "After"})
    assert {one.state for one in readings} <= {"missing", "uncertain"}


def test_the_dialog_of_another_record_is_not_the_asked_one():
    fields = built().files.fields
    over_list = page(*behind("After"), *dialog("Price, part 4"))
    error = answer_of_proof({"title": "After"}, fields, over_list, {"title": "After"}).error
    assert error is not None
    assert error.code == "record_unproven"

"""Why a field is not certain: what nearly matched, and which keys of the spec would settle it.

What each page means is written by hand, or made with the page. Every key that is offered is put into the spec, and the
page is read with it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from services.planner.judge.explaining import doubt
from services.planner.judge.explaining.explain import explained_fields, is_certain, with_explanations
from services.planner.judge.field_values import judge_field
from services.planner.state.attempt_state import SampleView, ending_of
from shared.contracts.actions import Done
from shared.contracts.browser_pool import Element
from shared.contracts.explained import FieldExplained, SettlingKey, keys_text, paste_lines, paste_text
from shared.contracts.results import TextPart
from shared.contracts.steps import FieldValue
from shared.pages.identity.identity import read_page
from shared.pages.read.doubts import DOUBTS
from shared.pages.read.fields import FieldFound, field_values
from shared.task.spec import check_spec
from tests.cases import cases
from tests.unit.planner.planner_pages import box, cell, el, heading, page, row, spec, text, view

HEAD = heading("Record")
REPORTERS = (
    heading("Reporter", 2),
    *row("Name", "Ann Lee"),
    heading("Technician", 2),
    *row("Name", "Bo Diaz"),
)
NONE = "(none)"


def of(field: object, *elements: Element, **more: Any) -> SampleView:
    """Return a view of a page, of a task with one field ``one``."""
    task = spec(
        **{
            "output_schema": {"one": field},
            "required_fields": ["one"],
            "identity": {},
            "required_artifacts": [],
            **more,
        }
    )
    return view(page(HEAD, *elements), spec=task)


def told(field: object, *elements: Element, **more: Any) -> FieldExplained:
    (explained,) = explained_fields(of(field, *elements, **more), ["one"])
    return explained


def settled(explained: FieldExplained) -> list[tuple[dict[str, Any], object]]:
    return [(key.keys, NONE if key.state == "not_present" else key.value) for key in explained.settled_by]


def value_with(seen: SampleView, name: str, key: SettlingKey) -> FieldValue:
    """Return the value that the page gives once the entry is pasted into the spec."""
    written = seen.spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    schema: Mapping[str, Any] = {**written["output_schema"], name: key.entry}
    pasted, problems = check_spec({**written, "output_schema": schema})
    assert pasted is not None, problems
    assert seen.page is not None
    values = {
        one.field: one
        for one in field_values(pasted, read_page(pasted, seen.sample, seen.page).readings, seen.page)
        if one.state != "not_found"
    }
    now = replace(seen, spec=pasted, state=replace(seen.state, seen=values))
    value, wrong, _ = judge_field(name, pasted.output_schema[name], now, Done(values={}))
    assert not wrong
    assert is_certain(value, now)
    return value


OFFERED = [
    # The page calls it something else.
    ("string", row("One more", "A"), [({"labels": ["One more"]}, "A")]),
    ({"type": "string", "description": "The person in charge"}, row("Person", "A"), [({"labels": ["Person"]}, "A")]),
    (
        {"type": "date", "labels": ["Due date"]},
        (*row("Due", "2026-01-02"), *row("Start", "2026-01-01")),
        [({"labels": ["Due date", "Due"]}, "2026-01-02")],
    ),
    # No label is like the name: those that no other field has, each with its value.
    ("date", (*row("Until", "2026-01-02"), *row("By", "Ann")), [({"labels": ["Until"]}, "2026-01-02")]),
    # The page says it twice.
    (
        {"type": "string", "labels": ["Name"]},
        REPORTERS,
        [({"under": "Reporter"}, "Ann Lee"), ({"under": "Technician"}, "Bo Diaz")],
    ),
    (
        {"type": "string", "labels": ["Owner", "Author"]},
        (*row("Owner", "Ann"), *row("Author", "Bo")),
        [({"labels": ["Owner"]}, "Ann"), ({"labels": ["Author"]}, "Bo")],
    ),
    (
        "string",
        (*row("One", "Ann")[:1], el("definition", "Ann (on leave)", tag="dd", header="One",
                                    parts=(TextPart(text="Ann", minor=True), TextPart(text="(on leave)")))),
        [({"pattern": "[^()]+"}, "Ann"), ({"pattern": ".*[()].*"}, "(on leave)")],
    ),
    # What stands there is no value of the type.
    (
        "date",
        row("One", "03/04/2026"),
        [({"date_order": "dmy"}, "2026-04-03"), ({"date_order": "mdy"}, "2026-03-04"),
         ({"type": "string"}, "03/04/2026")],
    ),
    ("string", row("One", ""), [({"type": "string | null"}, NONE)]),
    (
        "decimal",
        row("One", "to follow"),
        [({"type": "decimal | null", "not_present": ["to follow"]}, NONE), ({"type": "string"}, "to follow")],
    ),
    (
        {"type": "enum", "values": ["open"]},
        row("One", "Parked"),
        [({"values": ["open", "Parked"]}, "Parked"), ({"type": "enum | null", "not_present": ["Parked"]}, NONE)],
    ),
    # A list whose chosen option has no value, or cannot be chosen any more.
    (
        "string | null",
        (el("combobox", "One", tag="select", value="Unassigned", states=("blank",)),),
        [({"not_present": ["Unassigned"]}, NONE)],
    ),
    (
        "string",
        (el("combobox", "One", tag="select", value="Unassigned", states=("blank",)),),
        [({"type": "string | null", "not_present": ["Unassigned"]}, NONE)],
    ),
    ({"type": "string", "pattern": "[0-9.]+"}, row("One", "v1.9.17"), [({"pattern": "v[0-9.]+"}, "v1.9.17")]),
    # The value stands within a word.
    (
        {"type": "string", "shown_in": "text", "pattern": "[0-9]+[.][0-9]+[.][0-9]+"},
        (text("Latest v1.9.17"),),
        [({"preceded_by": "Latest v"}, "1.9.17"), ({"pattern": "v[0-9]+[.][0-9]+[.][0-9]+"}, "v1.9.17")],
    ),
    (
        {"type": "number", "shown_in": "text", "pattern": "[0-9]+"},
        (text("Weight 12kg net"),),
        [({"preceded_by": "Weight", "followed_by": "kg net"}, 12)],
    ),
    # Of several texts that fit, one has the words of the field.
    (
        {"type": "string", "shown_in": "text", "pattern": "[0-9.]+"},
        (text("Paid 250.00"), text("Release one v1.2"), text("2026.1")),
        [({"preceded_by": "Release one v"}, "1.2"), ({"pattern": "v[0-9.]+"}, "v1.2")],
    ),
    # The label and the value are one text.
    ("string", (text("One Ann Lee"),), [({"shown_in": "text", "pattern": ".+", "preceded_by": "One"}, "Ann Lee")]),
    (
        "string",
        (text("One: Ann Lee Backup: Bo"),),
        [({"shown_in": "text", "pattern": ".+", "preceded_by": "One:", "followed_by": "Backup:.*"}, "Ann Lee")],
    ),
]  # fmt: skip


@cases("field, elements, expected", OFFERED)
def test_each_doubt_names_the_keys_that_settle_it(field, elements, expected):
    assert settled(told(field, *elements)) == expected


@cases("field, elements, expected", OFFERED)
def test_the_page_read_with_the_pasted_entry_gives_what_was_promised(field, elements, expected):
    seen = of(field, *elements)
    for key in explained_fields(seen, ["one"])[0].settled_by:
        value = value_with(seen, "one", key)
        assert (value.state, value.value) == (key.state, key.value)


@cases(
    "field, elements",
    [
        ("string", ()),
        ("string", row("Loading", "A")[:1]),
        # Two terms may share one text.
        ("string", (row("One", "")[0], *row("Two", "A"))),
        # Two headings of the page, of which each may be it.
        ({"type": "string", "labels": ["Title"]}, (heading("Two"),)),
        # Words of another record are none of this one.
        ({"type": "string", "shown_in": "heading", "pattern": "A-[0-9]+"}, (heading("B-12", 2),)),
    ],
)
def test_where_no_key_settles_it_none_is_named(field, elements):
    assert settled(told(field, *elements)) == []


def test_a_row_that_names_the_part_is_named_by_its_column():
    lines = [cell("Item", "TCK-1001", 1, 0), cell("State", "open", 1, 1), cell("Item", "spare", 2, 0)]
    explained = told({"type": "string", "labels": ["State"]}, *lines, cell("State", "shut", 2, 1))
    assert ({"under": "{ticket_number}"}, "open") in settled(explained)


def test_a_key_that_takes_the_value_of_another_field_or_the_key_of_the_record_is_not_offered():
    schema = {"one": "string", "reporter": "string", "number": "string"}
    shown = (*row("Reporter", "Ann"), *row("Number", "TCK-1001"), *row("Also called", "TCK-1001"))
    explained = told("string", *shown, output_schema=schema, identity={"number": "{ticket_number}"})
    assert settled(explained) == []


def test_the_record_is_found_where_it_stands_without_its_label():
    task = {"output_schema": {"one": "string", "owner": "string"}, "identity": {"one": "{ticket_number}"}}
    shown = (heading("Printers"), heading("Parts of TCK-7 and TCK-1001", 3), *row("Owner", "Ann"))
    (explained,) = explained_fields(of("string", *shown, text("TCK-1001"), **task), ["one"])
    assert explained.settled_by == ()  # the page itself shows it as a lone text
    apart = explained_fields(of("string", *shown, text("Number TCK-1001 (new)"), **task), ["one"])[0]
    assert settled(apart) == [({"shown_in": "text", "pattern": "[A-Z]+-[0-9]+"}, "TCK-1001")]


NEAR = [
    (row("Two", "A"), "string", []),
    (
        (*row("One", "A"), *row("Old", "B"), el("definition", "C", tag="dd", header="One", past=True)),
        "string",
        [("C", "past")],
    ),
    ((*row("One", "A"), *row("One", "Loading...")), "string", [("Loading...", "to_come")]),
    ((*row("One", "A-1"), *row("One", "B")), {"type": "string", "pattern": "A-[0-9]"}, [("B", "not_of_pattern")]),
    (REPORTERS, {"type": "string", "labels": ["Name"], "under": "Reporter"}, [("Bo Diaz", "elsewhere")]),
    (
        (el("definition", "A B", tag="dd", header="One", parts=(TextPart(text="A"), TextPart(text="B", kind="old"))),),
        "string",
        [("B", "struck_out")],
    ),
    ((text("Latest v1.9"),), {"type": "string", "shown_in": "text", "pattern": "[0-9.]+"}, [("v1.9", "inside_word")]),
    (
        (text("3 files"), text("4 lines")),
        {"type": "string", "shown_in": "text", "pattern": "[0-9]+", "followed_by": "files"},
        [("4", "around")],
    ),
    (  # a pattern that fits any text: what has neither side, such as a link of the site, nearly is nothing
        (text("Login"), text("Preferences"), text("#7 open task"), text("About"), text("closed bug")),
        {"type": "string", "shown_in": "text", "pattern": ".+", "preceded_by": "#[0-9]+", "followed_by": "bug"},
        [("#7 open task", "around"), ("closed bug", "around")],
    ),
    ((text("One: Ann Two: Bo"),), "string", [("Ann Two: Bo", "unsure")]),
    ((*row("One", "2026-01-02"), text("One: a word")), "date", [("a word", "not_of_type")]),
    # What may speak against a value, and is none by itself.
    ((*row("One", "Ann"), text("One: Bo Next: Cy")), "string", [("Bo Next: Cy", "second_label")]),
    ((text("One: Ann"), heading("One", 2), text("Bo")), "string", [("Bo", "under_heading")]),
    (
        (*row("One", "Ann"), text("One:", box=box(8, 20)), text("Two: Bo", box=box(8, 40))),
        "string",
        [("Two: Bo", "next_item")],
    ),
    ((text("One", box=box(8, 20), like_next=True), text("Ann", box=box(8, 40))), "string", [("Ann", "like_label")]),
    ((text("One", box=box(8, 20), ends_group=True), text("Ann", box=box(8, 40))), "string", [("Ann", "next_box")]),
    (
        (el("term", "One", tag="dt"), *row("Two", "Ann")),
        {"type": "string", "labels": ["One"]},
        [("Ann", "shared_label")],
    ),
    (
        (el("definition", "Ann +2", tag="dd", header="One", parts=(TextPart(text="Ann"), TextPart(text="+2"))),),
        "string",
        [("Ann", "more_hidden"), ("+2", "more_hidden")],
    ),
]
OF_OTHER_RECORDS = ("other_record", "of_the_site")
"""Their pages stand below."""


@cases("elements, field, expected", NEAR)
def test_what_nearly_matched_is_told_with_the_rule_that_left_it_out(elements, field, expected):
    assert [(one.shown, one.why) for one in told(field, *elements).near] == expected
    (reading,) = read_page(of(field).spec, of(field).sample, page(HEAD, *elements)).readings.values()
    assert not isinstance(reading, FieldFound) or reading.candidate.shown not in dict(expected)


def test_a_pattern_may_ask_for_what_looks_like_a_change():
    change = row("One", "open → closed")
    assert [one.why for one in told("string", *change).near] == ["past"]
    asked = of({"type": "string", "pattern": "\\w+ → \\w+"}, *change)
    assert asked.page is not None
    (reading,) = read_page(asked.spec, asked.sample, asked.page).readings.values()
    assert isinstance(reading, FieldFound)


def test_each_reason_of_the_label_reader_has_a_page():
    shown = {why for _, _, expected in NEAR for _, why in expected}
    assert {row.code for row in DOUBTS} <= {*shown, *OF_OTHER_RECORDS}


def test_of_another_record_nothing_counts_and_it_is_told():
    task = {"output_schema": {"one": "string", "number": "string"}, "identity": {"number": "{ticket_number}"}}
    of_other = (heading("TCK-7", 2), *row("One", "B"))
    seen = of("string", *row("Number", "TCK-1001"), *row("One", "A"), *of_other, **task)
    (explained,) = explained_fields(seen, [], ["one"])
    assert [(one.shown, one.why, one.section) for one in explained.near] == [("B", "other_record", "TCK-7")]


@cases("area", ["contentinfo", "navigation"])
def test_what_stands_in_the_footer_or_the_navigation_of_the_site_is_told(area: str):
    part = [el("text", "Owner: Example Ltd", tag="p", area=area)]
    (explained,) = explained_fields(of({"type": "string", "labels": ["Owner"]}, *part), ["one"])
    assert [(one.shown, one.why) for one in explained.near] == [("Example Ltd", "of_the_site")]
    assert explained.settled_by == ()


def test_of_a_field_that_is_certain_labels_like_its_own_are_told():
    seen = of(
        {"type": "date", "labels": ["Due date"]}, *row("Due date", "2026-01-02"), *row("Old due date", "2025-01-01")
    )
    (explained,) = explained_fields(seen, [], ["one"])
    assert (explained.label, explained.settled_by) == ("Due date", ())
    assert [(one.label, one.shown, one.why) for one in explained.near] == [
        ("Old due date", "2025-01-01", "other_label")
    ]


def test_only_fields_that_are_not_certain_are_explained_and_only_where_the_spec_can_settle_them():
    seen = of(
        "string", *row("One more", "A"), output_schema={"one": "string", "two": "string"}, required_fields=["one"]
    )
    values = (FieldValue(field="one", state="not_found"), FieldValue(field="two", state="not_found"))
    ended = with_explanations(replace(ending_of("missing_fields"), values=values), seen)
    assert [one.field for one in ended.explained] == ["one"]
    free = replace(seen, spec=seen.spec.model_copy(update={"required_fields": []}))
    nothing = with_explanations(replace(ending_of("missing_fields"), values=values), free)
    assert [one.field for one in nothing.explained] == ["one", "two"], "nothing was found, so that all are missing"
    for reason in ("still_loading", "not_as_drawn", "identity_mismatch", "unreachable"):
        assert with_explanations(replace(ending_of(reason), values=values), seen).explained == ()
    assert with_explanations(ending_of("missing_fields"), replace(seen, page=None)).explained == ()


def test_a_page_of_an_unproven_record_keeps_no_value_and_says_what_is_open():
    task = {"output_schema": {"one": "string", "number": "string"}, "identity": {"number": "{ticket_number}"}}
    seen = of("string", *row("One", "A"), *row("One", "B"), **task)
    ended = with_explanations(ending_of("ambiguous_value"), seen)
    assert {value.state for value in ended.values} == {"not_found"}
    assert [one.field for one in ended.explained] == ["one", "number"]


def test_a_long_page_is_read_again_a_few_times_only(monkeypatch: pytest.MonkeyPatch):
    reads: list[int] = []
    read = doubt.read_anew
    monkeypatch.setattr(doubt, "read_anew", lambda *given: reads.append(1) or read(*given))
    lines = [part for at in range(500) for part in row(f"Label {at}", f"text {at}")]
    told("string", *lines)
    assert 0 < len(reads) <= 8


def test_an_entry_is_pasted_as_json_and_shows_what_cannot_be_seen():
    key = SettlingKey(
        keys={"labels": ["A\u202e"]}, entry={"type": "string", "labels": ["A\u202e"]}, why="label_free", state="value"
    )
    assert paste_text("one", key) == '"one": {"type": "string", "labels": ["A\\u202e"]}'
    assert paste_lines("one", key, 20) == ['"one": {', '  "type": "string",', '  "labels": ["A\\u202e"]', "}"]
    assert keys_text({"labels": None, "under": "é"}) == 'no "labels", "under": "é"'


WORDS = ("Owner", "Reviewer", "Budget", "Region", "Supplier", "Cost centre", "Priority", "Started", "Approved by")
LONGER = ("{} name", "Current {}", "{} of record", "{}:", "{} *")


def drawn(rng: random.Random) -> tuple[SampleView, str]:
    """Return a page of labels and values, of a task that calls one of them a little otherwise; and its value."""
    labels = rng.sample(WORDS, rng.randint(2, 6))
    values = {label: f"value {rng.randint(10, 99)} of {at}" for at, label in enumerate(labels)}
    asked = rng.choice(labels)
    written = {label: rng.choice(LONGER).format(label) if label == asked else label for label in labels}
    layout = rng.choice(("terms", "rows", "texts"))
    elements: list[Element] = []
    for at, label in enumerate(labels):
        match layout:
            case "terms":
                elements += row(written[label], values[label])
            case "rows":
                elements += (cell(None, written[label], at, 0), cell(None, values[label], at, 1))
            case _:
                elements.append(text(f"{written[label].rstrip(':* ')}: {values[label]}", box=box(0, 30 * at, 300)))
    name = asked.lower().replace(" ", "_")
    return of("string", *elements, output_schema={name: "string"}, required_fields=[name]), values[asked]


def test_on_pages_made_at_random_a_pasted_key_gives_its_value_and_the_right_one_is_offered():
    rng = random.Random(31)
    offered = right = 0
    for _ in range(80):
        seen, meant = drawn(rng)
        (name,) = seen.spec.output_schema
        (explained,) = explained_fields(seen, [name])
        for key in explained.settled_by:
            assert value_with(seen, name, key).value == key.value
        if explained.settled_by:
            offered += 1
            right += explained.settled_by[0].value == meant
    assert offered >= 40
    assert right == offered

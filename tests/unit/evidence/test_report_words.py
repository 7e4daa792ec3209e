"""The report's wording of values, steps and source pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.evidence.report.page import Assets, as_json, head, policy
from shared.contracts.results import TargetFound
from shared.contracts.workflows.heals import Heal, HealWay
from shared.evidence_format.step_words import action_words, heal_text, value_text
from shared.evidence_view.sample_details import detail_of, row_of
from tests.handlers.evidence.written_sample import facts_of

LINK = TargetFound(role="link", name="Next", tag="a", fingerprint="")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (None, ""),
        (3, "3"),
        (True, "true"),
        (["x", "y"], "x, y"),
        ([], ""),
        ([{"a": "é", "b": 1}, {"a": None, "b": 2}], "2 rows: é, 1; , 2"),
        ({"a": ["é"]}, '{"a": ["é"]}'),
    ],
)
def test_a_value_is_written_as_a_person_reads_it(value: Any, text: str) -> None:
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("action", "params", "found", "words"),
    [
        (
            "click",
            {"target": {"by": "ref", "ref": 3}},
            LINK,
            "click link “Next”",
        ),
        ("click", {"target": {"by": "ref", "ref": 3}}, None, "click [3]"),
        ("goto", {"url": "https://a.example/"}, None, "goto https://a.example/"),
        ("type", {"target": {"by": "css", "css": "#q"}, "text": "x"}, None, "type “#q” text “x”"),
        ("drag", {"target": {"text": "A"}, "onto": {"text": "B"}}, None, "drag “A” onto “B”"),
        ("scroll", {"direction": "up", "amount_px": 300}, None, "scroll up 300 px"),
        ("none", {}, None, "none"),
    ],
)
def test_an_action_is_said_in_words(action: str, params: dict[str, Any], found: Any, words: str) -> None:
    assert action_words(action, params, found) == words


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)))
def test_data_in_the_page_is_read_back_as_it_was_and_ends_nothing(value: Any) -> None:
    text = as_json(value)
    assert json.loads(text) == value
    assert not set("<>&\u2028\u2029") & set(text)


def test_every_text_of_the_page_is_allowed_by_its_hash_alone() -> None:
    said = policy("run()", ["a{}", "b{}"])
    assert said.count("sha256-") == 3
    assert "unsafe" not in said
    assert policy("run() ", ["a{}", "b{}"]) != said


def test_names_in_the_head_cannot_be_markup() -> None:
    page = head(Assets(css="", js="", body="<body>"), "</title><script>", '"}</style>')
    assert page.count("<script") == 0
    assert page.count("</style>") == 2


def test_a_long_value_is_short_in_the_list_and_whole_when_opened() -> None:
    fields = {"text": {"state": "value", "value": "x" * 5000, "source": None}}
    facts = facts_of({"sample_id": "A"}, {"fields": fields}, fields=["text"])
    assert len(row_of(facts)[6][0]) == 401
    assert detail_of(facts)["fields"][0]["value"] == "x" * 5000


def test_states_are_told_apart_in_the_order_of_the_schema() -> None:
    fields = {"b": {"state": "not_found"}, "a": {"state": "not_present", "shown": "–"}, "c": {"state": "value"}}
    row = row_of(facts_of({"sample_id": "A"}, {"fields": fields}, fields=["a", "b", "c", "d"]))
    assert row[7] == "pnv-"
    assert row[6] == ["–", "", "", ""]


def test_a_heal_says_what_led_there_and_what_does_not_any_more() -> None:
    label, place = (
        HealWay(key="1", text='the definition beside "Owner"'),
        HealWay(key="2", text="number 2 of 3 at dl>dd"),
    )
    heal = Heal(kind="field", subject="owner", rung="moved", moved=(place,), matched=(label,))
    assert heal_text(heal) == f"field owner, found by {label.text}, no longer by {place.text}"
    assert heal_text(Heal(kind="popup", subject="Cookies", rung="popup")) == "popup Cookies"

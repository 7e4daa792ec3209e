"""What each party of a build session is told: every outcome has its words, and none names what only the other has."""

from __future__ import annotations

import re
from typing import get_args

from services.console.text.build_lines import COMMANDS
from services.planner.model_tasks.building import build_tools, history_line
from shared.contracts.workflows.build_events import Told
from shared.contracts.workflows.build_outcomes import BuildOutcome, OutcomeCode, TodoNamed
from shared.flows.building.outcome_texts import TEXTS, text_for_model, text_for_person
from tests.unit.shared.flows.recorded_world import spec_of

AT = "2026-11-29T10:00:00.000+00:00"
ARGUMENTS = ("--accept-loss", "step N: ...", "scratch_work/", "exhibit build")
"""What stands in backticks beside the commands of a session."""


def told(code: str) -> BuildOutcome:
    return BuildOutcome(
        code=code,
        todos=(TodoNamed(number=5, title="Read its owner"),),
        row="A-1",
        rows=("A-1",),
        fields=("owner",),
        number=5,
        url="http://site/",
        details=("the page shows no 'Ann'",),
    )


def test_every_outcome_has_words_for_people_and_no_text_is_of_none():
    assert list(TEXTS) == list(get_args(OutcomeCode))
    for code in TEXTS:
        text = text_for_person(told(code))
        assert text
        assert "{" not in text, text


def test_a_person_is_told_commands_and_no_tools():
    tools = {one["name"] for one in build_tools(spec_of())} - set(COMMANDS)
    for code in TEXTS:
        text = text_for_person(told(code))
        named = [words for words in re.findall(r"`([^`]+)`", text) if not words.startswith(ARGUMENTS)]
        assert {words.split()[0] for words in named} <= set(COMMANDS) | {"read"}, text
        assert not [tool for tool in tools if re.search(rf"\b{tool}\b", text) and "_" in tool], text


def test_a_model_is_told_tools_and_no_commands():
    names = {one["name"] for one in build_tools(spec_of())}
    for code in TEXTS:
        text = text_for_model(told(code))
        assert "`" not in text, text
        assert set(re.findall(r"\b[a-z]+_[a-z_]+\b", text)) <= names, text


def test_a_model_is_shown_its_own_words_and_those_of_sessions_before_as_they_were():
    outcome = told("todo_without_its_fields")
    shown = history_line(Told(at=AT, text=text_for_person(outcome), refused=True, outcome=outcome))
    assert shown.startswith("not done: TODO 5 (Read its owner) is not done: it brings owner")
    assert "finish_todo" in shown
    assert history_line(Told(at=AT, text="not read yet: owner", refused=True)) == "not done: not read yet: owner"
    assert history_line(Told(at=AT, text="x", outcome=told("row_begun"))) == "", "the row is told by its own event"


def test_an_outcome_of_a_later_version_is_told_by_its_code():
    assert text_for_person(told("something_new")) == "something_new"
    assert text_for_model(told("something_new")) == ""

"""Parsing of the lines that an operator types."""

from __future__ import annotations

from typing import Any

import pytest

from services.console.text.action_lines import InvalidLine, help_text, parse_operator_line
from services.planner.prompt.tools import tools_for
from shared.contracts.operator import DecisionAsked
from shared.task.spec import TaskSpec

SPEC = TaskSpec.model_validate(
    {"task_id": "t", "goal": "g", "start_url": "{url}", "output_schema": {"name": "string", "due": "date | null"}}
)
ASKED = DecisionAsked(
    run_id="r", sample_id="s", attempt=1, step=2, task_id="t", goal="g", fields={}, url="http://x", title="",
    http_status=200, text="", steps_left=3, tools=tuple(tools_for(SPEC)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("click 12", {"action": "click", "target": "12"}),
        ("  click Save changes ", {"action": "click", "target": "Save changes"}),
        ("type 7 some text", {"action": "type", "target": "7", "text": "some text"}),
        ("press Enter", {"action": "press", "keys": "Enter"}),
        ("press Enter 4", {"action": "press", "keys": "Enter", "target": "4"}),
        ("back", {"action": "back"}),
        ("scroll down 300", {"action": "scroll", "direction": "down", "amount_px": 300}),
        ("screenshot ticket", {"action": "screenshot", "label": "ticket"}),
        ("switch_tab 2", {"action": "switch_tab", "tab": 2}),
        ("fail other it is not there", {"action": "fail", "code": "other", "note": "it is not there"}),
        ('done {"values": {"name": "Ann"}}', {"action": "done", "values": {"name": "Ann"}}),
        ('{"action": "click", "target": "3"}', {"action": "click", "target": "3"}),
    ],
)
def test_a_line_is_an_action(line: str, action: dict[str, Any]):
    assert parse_operator_line(line, ASKED) == action


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("clik 3", "there is no 'clik'"),
        ("click", "click needs target"),
        ("type 7", "type needs text"),
        ("done", "done needs values, refs: write done {...}"),
        ("back 3", "back takes nothing"),
        ("switch_tab two", "tab is a number, not 'two'"),
        ("screenshot ticket maybe", "full_page is true or false"),
        ("done {values", "not JSON"),
        ("{[1]}", "not JSON"),
        ('click {"a": 1', "not JSON"),
    ],
)
def test_a_line_that_is_none_says_what_is_wrong(line: str, words: str):
    wrong = parse_operator_line(line, ASKED)
    assert isinstance(wrong, InvalidLine)
    assert words in wrong.message


def test_the_help_names_every_action_with_its_arguments():
    shown = help_text(ASKED).splitlines()
    assert len(shown) == len(ASKED.tools) + 2
    assert any(line.startswith("type TARGET TEXT ") for line in shown)
    assert any(line.startswith("press KEYS [TARGET] ") for line in shown)

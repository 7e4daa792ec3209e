"""Every action has one row of facts."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Callable
from typing import get_args

import msgspec
import pytest

from shared.actions import table
from shared.actions.table import (
    ACTIONS,
    ActionFacts,
    changes_page,
    facts_of_action,
    is_browser_action,
    tag_of,
)
from shared.contracts.actions import (
    Action,
    AnyAction,
    Back,
    BrowserAction,
    OwnAction,
    SaveProgress,
    Screenshot,
    UseWorkflow,
)

ALL = get_args(AnyAction)


def tags(holds: Callable[[ActionFacts], bool]) -> set[str]:
    return {tag_of(kind) for kind, facts in ACTIONS.items() if holds(facts)}


def written_keys() -> list[str]:
    """The keys of the table as they are written: a dict keeps only the last of two equal ones."""
    for node in ast.walk(ast.parse(inspect.getsource(table))):
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict):
            return [ast.unparse(key).removeprefix("a.") for key in node.value.keys if key is not None]
    raise AssertionError("the table is gone")


def test_every_action_has_exactly_one_row_of_facts():
    assert Counter(written_keys()) == Counter(kind.__name__ for kind in ALL)
    assert set(ACTIONS) == set(ALL)


def test_every_action_has_a_text_for_models():
    assert all(facts.tool.endswith(".") for facts in ACTIONS.values())


def test_a_line_has_all_that_an_action_requires():
    for kind, facts in ACTIONS.items():
        required = [field.name for field in msgspec.structs.fields(kind) if field.required]
        assert facts.line is None or set(required) <= set(facts.line) <= set(kind.__struct_fields__), kind


def test_an_action_is_of_the_browser_or_of_the_planner():
    assert set(get_args(BrowserAction)) == set(ALL) - set(get_args(OwnAction))


def test_an_action_without_a_row_is_an_error_and_not_harmless():
    class Unknown(Action, frozen=True, kw_only=True, tag="unknown"):
        pass

    with pytest.raises(KeyError):
        facts_of_action(Unknown())
    with pytest.raises(KeyError):
        changes_page(Unknown())


def test_what_may_harm_a_site_has_no_default():
    defaults = {field.name for field in msgspec.structs.fields(ActionFacts) if not field.required}
    assert defaults == {"offered", "line"}


def test_what_may_press_a_button():
    assert tags(lambda facts: facts.presses) == {"click", "double_click", "press", "pick", "download", "drag"}


def test_what_presses_names_its_target():
    assert all("target" in kind.__struct_fields__ for kind, facts in ACTIONS.items() if facts.presses)


def test_what_a_replay_may_repeat():
    assert tags(lambda facts: facts.effect == "may_change_site") == {
        "double_click", "upload", "drag", "drag_by", "use_workflow",
    }  # fmt: skip
    assert tags(lambda facts: facts.effect == "depends_on_step") == {"click", "press", "dialog"}
    assert tags(lambda facts: facts.effect == "repeated_freely") == {
        "goto", "type", "type_secret", "hover", "select_option", "pick", "set_date", "scroll", "wait", "back",
        "switch_tab", "close_tab", "download",
    }  # fmt: skip


def test_what_leaves_the_page_as_it_is():
    assert tags(lambda facts: facts.effect == "reads_only") == {
        "screenshot", "screenshot_element", "screenshot_views", "extract",
        "ask_api", "expect", "save_progress", "report_items", "ask_picture", "done", "fail",
    }  # fmt: skip
    assert changes_page(Back())
    assert not changes_page(Screenshot(label="x"))


def test_no_action_of_the_planner_changes_anything():
    own = set(get_args(OwnAction)) - {UseWorkflow}  # a workflow may do anything in the browser
    assert {ACTIONS[kind].effect for kind in own} == {"reads_only"}
    assert is_browser_action(Back())
    assert not is_browser_action(SaveProgress(values={}))


def test_what_ends_an_answer_and_what_reports_a_page():
    assert tags(lambda facts: facts.ends_answer) == {
        "goto", "ask_api", "expect", "save_progress", "report_items", "use_workflow", "done", "fail",
    }  # fmt: skip
    assert tags(lambda facts: facts.reports_page) == {"save_progress", "report_items", "done", "fail"}


def test_how_much_of_a_step_must_be_known_later():
    assert tags(lambda facts: facts.importance == 3) == {"save_progress", "done", "fail"}
    assert tags(lambda facts: facts.importance == 2) == {
        "extract", "report_items", "ask_picture", "download", "screenshot", "screenshot_element", "screenshot_views",
        "ask_api", "expect", "use_workflow",
    }  # fmt: skip
    assert tags(lambda facts: facts.importance == 0) == {"scroll", "wait"}
    assert {facts.importance for facts in ACTIONS.values()} == {0, 1, 2, 3}

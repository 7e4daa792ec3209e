"""What a model says beside a call: not asked for, allowed, or part of every tool."""

from __future__ import annotations

from typing import Any

from services.planner.prompt.call_parsing import BadCall, ModelCall, parse_calls
from services.planner.prompt.history import full_entry
from services.planner.prompt.system_blocks import run_block
from services.planner.prompt.tools import tools_for
from services.planner.state.attempt_state import AttemptState
from services.planner.state.recalling import recalled_decision
from services.planner.state.transitions import after_step
from shared.contracts.actions import Wait
from shared.contracts.steps import Reflection
from tests.cases import cases
from tests.step_logs import logged
from tests.typed import expect
from tests.unit.planner.planner_pages import done_result, page, spec, step, ticket, view

FIELDS = ("evaluation_previous_step", "memory_update", "next_goal")
SAID = {"evaluation_previous_step": "The tab is open.", "memory_update": "Owner is on  tab 2.", "next_goal": "Read it."}
REFLECTED = Reflection(
    evaluation_previous_step="The tab is open.", memory_update="Owner is on tab 2.", next_goal="Read it."
)


def parsed(reflection: str, arguments: dict[str, Any]):
    shown = view(page(*ticket()), spec=spec(reflection=reflection))
    return parse_calls([ModelCall("wait", {"reason": "It loads.", **arguments})], shown)


def wait_schema(reflection: str) -> dict[str, Any]:
    (schema,) = [one["input_schema"] for one in tools_for(spec(reflection=reflection)) if one["name"] == "wait"]
    return schema


def test_the_fields_are_in_the_tools_only_where_all_of_it_is_asked_for():
    for mode in ("off", "light"):
        assert not set(FIELDS) & set(wait_schema(mode)["properties"])
    full = wait_schema("full")
    assert set(FIELDS) <= set(full["properties"])
    assert full["required"] == ["reason", *FIELDS]
    assert tools_for(spec()) == tools_for(spec(reflection="off"))


def test_what_is_allowed_is_named_in_the_part_of_the_prompt_that_is_cached():
    assert all(name in run_block(spec(reflection="light")) for name in FIELDS)
    assert not any(name in run_block(spec()) for name in FIELDS)


def test_without_the_option_they_are_no_arguments():
    refused = expect(parsed("off", SAID).first, BadCall)
    assert "there is no argument" in refused.message


@cases("mode", ["light", "full"])
def test_what_was_said_is_kept_beside_the_call(mode: str):
    told = parsed(mode, SAID)
    assert (told.first, told.reflection) == (Wait(reason="It loads."), REFLECTED)
    unsaid: list[dict[str, Any]] = [{}, dict.fromkeys(FIELDS, " "), {"next_goal": 7}]
    for nothing in unsaid:
        assert (parsed(mode, nothing).first, parsed(mode, nothing).reflection) == (Wait(reason="It loads."), None)
    assert isinstance(parsed(mode, {"thoughts": "x"}).first, BadCall)


def test_it_is_in_the_step_log_shown_again_and_recalled():
    taken = step(AttemptState(), Wait(reason="It loads."), done_result(), reflection=REFLECTED)
    assert logged(taken) == taken
    entry = after_step(AttemptState(), taken).history[-1]
    line = full_entry(1, entry)
    assert "(noted: Owner is on tab 2.) (next: Read it.)" in line
    recalled = recalled_decision(view(None), [taken])
    assert getattr(recalled, "reflection", None) == REFLECTED

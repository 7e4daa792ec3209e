"""The moves of a model in a build session: what it answered in a recorded one, and what is no move."""

from __future__ import annotations

import json
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.planner.model_tasks.building import build_tools, history_line, parse_move
from shared.contracts.building import BuilderPage, DecideBuild
from shared.contracts.workflows.build_events import BuildEvent, ModelDecided, RowDone
from shared.flows.building.state import replayed
from shared.task.spec import TaskSpec, check_spec
from tests.cases import cases

RECORDED = json.loads((Path(__file__).parents[2] / "recordings/planner/build_corrected.json").read_text())
EVENTS = msgspec.convert(RECORDED["events"], type=list[BuildEvent])
SPEC = {
    "task_id": "asset_remarks",
    "goal": "Find the asset with this tag in the list, open it, and read its remarks.",
    "start_url": "http://127.0.0.1:8080/admin/asset/list",
    "input_schema": {"tag": "string"},
    "output_schema": {"tag": {"type": "string"}, "remarks": {"type": "string | null", "not_present": [""]}},
    "identity": {"tag": "{tag}"},
}
PAGE = BuilderPage(url="http://127.0.0.1:8080/", title="", text="", snapshot_id="s1")
ASKED = DecideBuild(spec=SPEC, row={"tag": "A-0002"}, todos=(), current=0, history=(), page=PAGE)


@pytest.fixture
def spec() -> TaskSpec:
    found, problems = check_spec(SPEC)
    assert found is not None, problems
    return found


def test_each_recorded_answer_is_the_move_that_was_made_of_it(spec: TaskSpec):
    decided = [one for one in EVENTS if isinstance(one, ModelDecided)]
    assert len(decided) == len(RECORDED["answers"])
    for answer, event in zip(RECORDED["answers"], decided, strict=True):
        move, problem = parse_move(answer["tool"], answer["input"], ASKED, spec)
        assert move is not None, problem
        assert move.__struct_config__.tag == event.move


def test_a_model_is_shown_what_has_happened_before_it_decides():
    number = 0
    for at, event in enumerate(EVENTS):
        if not isinstance(event, ModelDecided):
            continue
        said = [line for one in EVENTS[:at] if (line := history_line(one))]
        last = RECORDED["answers"][number]["said_last"]
        number += 1
        assert last == said[-len(last) :], number


def test_the_wrong_turn_that_a_person_has_corrected_in_words_is_no_part_of_the_flow():
    first_row = list(takewhile(lambda one: not isinstance(one, RowDone), EVENTS))
    state = replayed(first_row)
    assert state.steps == {3: (1,), 4: (2, 6)}
    assert state.dropped["A-0002"] == {4, 5}


@cases(
    ("tool", "arguments", "told"),
    [
        ("goto", {"reason": "there", "url": "http://elsewhere/"}, "no such tool"),
        ("fly", {}, "no such tool"),
        ("plan", {"todos": []}, "1 to 20 TODOs"),
        ("plan", {"todos": [{"title": "Read it", "fields": ["owner"]}]}, "no field 'owner'"),
        ("ask", {"questions": [{"text": "Which?", "options": ["one"]}]}, "2 to 4 different options"),
        ("ask", {"questions": []}, "1 to 4 questions"),
        ("read", {"field": "tag"}, "ref"),
        ("hand_over", {"text": " "}, "say in a sentence"),
        ("click", {"reason": "so"}, "target"),
        ("click", "12", "must be an object"),
        ("reopen_todo", {"number": "the second"}, "number"),
    ],
)
def test_what_is_no_move_is_told_to_the_model(spec: TaskSpec, tool: str, arguments: Any, told: str):
    move, problem = parse_move(tool, arguments, ASKED, spec)
    assert move is None
    assert told in problem


def test_a_model_is_offered_no_address_of_its_own(spec: TaskSpec):
    names = {one["name"] for one in build_tools(spec)}
    assert {"plan", "open_start", "read", "leave_out", "reopen_todo", "ask", "hand_over", "click", "type"} <= names
    assert not names & {"goto", "done", "fail"}

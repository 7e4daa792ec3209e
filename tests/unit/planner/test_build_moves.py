"""The moves of a model in a build session: what it answered in a recorded one, and what is no move."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from services.planner.model_tasks.building import build_tools, history_line, now_text, parse_move
from shared.contracts.building import BuilderPage, DecideBuild
from shared.contracts.workflows.build_events import BuildEvent, ModelDecided, RowDone, ValueRecorded
from shared.flows.building.state import replayed
from shared.task.spec import TaskSpec, check_spec
from tests.cases import cases

FOLDER = Path(__file__).parents[2] / "recordings/planner"
SESSIONS = ("build_corrected", "build_wiki", "build_assets")
SPEC = {
    "task_id": "asset_remarks",
    "goal": "Find the asset with this tag in the list, open it, and read its remarks.",
    "start_url": "http://127.0.0.1:8080/admin/asset/list",
    "input_schema": {"tag": "string"},
    "output_schema": {"tag": {"type": "string"}, "remarks": {"type": "string | null", "not_present": [""]}},
    "identity": {"tag": "{tag}"},
}
TOLD_NOW = {
    f"{name} was read: '', by agent": f"{name} was read: it is absent, by agent" for name in ("remarks", "retired_on")
}
"""Lines that are told in other words than when the session was recorded: no answer of it was about them."""
PAGE = BuilderPage(url="http://127.0.0.1:8080/", title="", text="", snapshot_id="s1")
ASKED = DecideBuild(spec=SPEC, row={"tag": "A-0002"}, todos=(), current=0, history=(), page=PAGE)


def recorded(name: str) -> tuple[list[dict[str, Any]], list[BuildEvent], Mapping[str, Any]]:
    """Return the answers of a recorded session, its events, and its task."""
    read = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return read["answers"], msgspec.convert(read["events"], type=list[BuildEvent]), read.get("spec", SPEC)


@pytest.fixture
def spec() -> TaskSpec:
    found, problems = check_spec(SPEC)
    assert found is not None, problems
    return found


@pytest.mark.parametrize("name", SESSIONS)
def test_each_recorded_answer_is_the_move_that_was_made_of_it(name: str):
    answers, events, written = recorded(name)
    task, problems = check_spec(dict(written))
    assert task is not None, problems
    decided = [one for one in events if isinstance(one, ModelDecided)]
    assert len(decided) == len(answers)
    for answer, event in zip(answers, decided, strict=True):
        move, problem = parse_move(answer["tool"], answer["input"], replace(ASKED, spec=dict(written)), task)
        assert move is not None, problem
        assert move.__struct_config__.tag == event.move


@pytest.mark.parametrize("name", SESSIONS)
def test_a_model_is_shown_what_has_happened_before_it_decides(name: str):
    answers, events, _ = recorded(name)
    number = 0
    for at, event in enumerate(events):
        if not isinstance(event, ModelDecided):
            continue
        said = [line for one in events[:at] if (line := history_line(one))]
        last = [TOLD_NOW.get(line, line) for line in answers[number]["said_last"]]
        number += 1
        assert last == said[-len(last) :], number
    assert number == len(answers)


def test_a_value_that_is_absent_is_told_as_one():
    told = [
        history_line(ValueRecorded(at="", todo=1, field="owner", shown=shown, absent=True, by=by))
        for shown, by in (("", "agent"), ("Unassigned", "scratch"))
    ]
    assert told == [
        "owner was read: it is absent, by agent",
        "owner was read: it is absent, as 'Unassigned' says, by scratch",
    ]


def test_a_model_is_told_what_is_still_to_be_read():
    assert "Still to be read: tag, remarks\n" in now_text(replace(ASKED, still_open=("tag", "remarks")))
    assert "Still to be read" not in now_text(ASKED)


def test_the_wrong_turn_that_a_person_has_corrected_in_words_is_no_part_of_the_flow():
    _, events, _ = recorded("build_corrected")
    first_row = list(takewhile(lambda one: not isinstance(one, RowDone), events))
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

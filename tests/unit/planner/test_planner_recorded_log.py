"""A real log, folded without a browser or a model, gives the state behind its result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from services.planner.judge.gates import judge_done
from services.planner.state.attempt_state import Ending, SampleView
from services.planner.state.transitions import after_observation, replayed_state
from shared.contracts.actions import Done
from shared.contracts.discovery import Sample
from shared.contracts.steps import FieldValue, note_text
from shared.evidence_format.log_codec import parse_log, step_of
from shared.task.spec import check_spec, read_spec

FOLDER = Path(__file__).parents[2] / "recordings" / "planner" / "logs" / "practice_people"


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def a_spec():
    written, _ = read_spec(FOLDER / "spec.json")
    task, problems = check_spec(written or {})
    assert task is not None, problems
    return task


SPEC, RESULT, SAMPLE = a_spec(), read("result.json"), msgspec.convert(read("sample.json"), Sample)
ENTRIES = parse_log((FOLDER / "action_log.json").read_bytes())
STEPS = [step_of(entry, "run_1", RESULT["sample_id"]) for entry in ENTRIES]


def ending() -> Ending:
    """What the gates say of the last step, from the state that the steps before it have led to."""
    last = STEPS[-1]
    assert isinstance(last.action, Done)
    state = after_observation(replayed_state(SPEC, STEPS[:-1]), SPEC, last.observation)
    ruling, _ = judge_done(SampleView(SPEC, SAMPLE, state, None), last.action, by_model=False)
    assert isinstance(ruling, Ending)
    return ruling


def test_the_status_and_the_values_are_those_of_the_result():
    ended = ending()
    notes = [note_text(note) for note in ended.notes]
    assert (ended.status, ended.reason, notes) == (RESULT["status"], RESULT["reason"], RESULT["notes"])
    folded = {value.field: (value.state, value.value, value.shown, value.origin) for value in ended.values}
    kept = ("state", "value", "shown", "origin")
    assert folded == {name: tuple(value[key] for key in kept) for name, value in RESULT["fields"].items()}
    assert {value.field: value.value for value in ended.values} == RESULT["extracted"]


def test_where_the_values_stood_is_in_the_log():
    in_result = [msgspec.convert({**value, "field": name}, FieldValue) for name, value in RESULT["fields"].items()]
    assert list(STEPS[-1].values) == in_result
    assert all(value.source is not None and value.source.url for value in in_result)


def test_the_artifacts_and_the_usage_are_those_of_the_result():
    state = replayed_state(SPEC, STEPS)
    filed = [(one.filename, one.artifact.sha256, one.artifact.label) for one in state.artifacts]
    assert filed == [(one["filename"], one["sha256"], one["label"]) for one in RESULT["artifacts"]]
    assert len(filed) == 2
    assert msgspec.to_builtins(state.usage) == RESULT["usage"]
    assert state.steps == RESULT["steps"]


def test_the_notices_are_those_that_were_given():
    folded = [
        after_observation(replayed_state(SPEC, STEPS[:n]), SPEC, step.observation).notices
        for n, step in enumerate(STEPS)
    ]
    assert folded == [step.notices for step in STEPS]
    assert any("75 % of the steps are used" in notice for notices in folded for notice in notices)

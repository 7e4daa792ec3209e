"""What a task says is to be done has marks: a change of it changes one, and nothing else does."""

from __future__ import annotations

from typing import Any

from shared.task.task_fingerprint import task_marks
from tests.cases import cases
from tests.unit.shared.flows.recorded_world import spec_of

TASK: dict[str, Any] = {
    "goal": "Approve the request\nat http://one.example/list.",
    "start_url": "http://one.example/{number}",
    "identity": {"number": "{number}"},
    "output_schema": {"number": "string", "state": {"type": "string", "labels": ["State"]}},
    "route": [{"press": "Approve", "irreversible": True}, {"read": ["state"]}],
}
MARKS = task_marks(spec_of(**TASK))


def changed(**keys: Any) -> list[str]:
    marks = task_marks(spec_of(**{**TASK, **keys}))
    return [name for name in MARKS if marks[name] != MARKS[name]]


@cases(
    ("keys", "differs"),
    [
        ({"goal": "Reject the request\nat http://one.example/list."}, ["goal"]),
        ({"route": [{"press": "Reject", "irreversible": True}, {"read": ["state"]}]}, ["route"]),
        ({"identity": {"number": "T-{number}"}}, ["identity"]),
        ({"output_schema": {"number": "string", "state": {"type": "string", "labels": ["Stage"]}}}, ["output_schema"]),
    ],
)
def test_what_is_to_be_done_changes_a_mark(keys, differs):
    assert changed(**keys) == differs


@cases(
    "keys",
    [
        {"goal": "Approve  the request at http://127.0.0.1:8080/list."},
        {"start_url": "http://127.0.0.1:8080/{number}"},
        {"concurrency": 9, "max_steps": 77, "budget": {"run_usd": 3}, "vision": "off", "workflow": "off"},
        {"output_schema": dict(reversed(TASK["output_schema"].items()))},
    ],
)
def test_how_it_is_run_changes_none(keys):
    assert changed(**keys) == []

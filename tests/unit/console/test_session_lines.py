"""The status record and the event log of a run as lines."""

from __future__ import annotations

from datetime import UTC, datetime

from services.console.text.session_lines import event_line, status_lines
from shared.contracts.questions import Question
from shared.contracts.sessions.events import LoggedEvent
from shared.contracts.sessions.status import RunMetadata, RunStatus, SampleStatus, WorkflowMetadata

NOW = datetime(2026, 11, 23, 14, 5, 6, tzinfo=UTC)


def record(**changes) -> RunStatus:
    facts = RunMetadata(
        task_id="t", requested_by="", planner="", created_at=NOW, attempt_base=0, samples=3, ended=2, location=""
    )
    given = {
        "run_id": "run_1", "in_progress": True, "success": None, "structured_output": {}, "scraper_outputs": {},
        "file_metadata": (), "final_message": "", "metadata": facts,
        "workflow_metadata": WorkflowMetadata(workflow="", decided_by={}),
        "samples": (SampleStatus(sample_id="A", status="needs_review", reason="ambiguous_value", message=""),),
    }  # fmt: skip
    return RunStatus(**{**given, **changes})


def test_a_paused_run_names_what_it_waits_for():
    lines = list(status_lines(record(paused=True, paused_key="k", next_skip=1)))
    assert lines[0] == "run_1: paused, waits for k; 2 of 3 samples ended"
    assert lines[1] == "  A: needs_review (ambiguous_value)"
    assert lines[2].startswith("  and 1 more")


def test_a_run_that_ended_says_how():
    lines = list(status_lines(record(in_progress=False, success=False, final_message="It ended.")))
    assert lines[:2] == ["run_1: ended without success; 2 of 3 samples ended", "It ended."]


def test_an_entry_is_one_line():
    called = LoggedEvent(
        index=8, event="ToolCallStarted", at=NOW, sample_id="A", attempt=1, step=2, tool="click", text="To open it."
    )
    assert event_line(called) == "       8  14:05:06  ToolCallStarted    A 1.2  click  To open it."
    asked = LoggedEvent(
        index=9, event="AskUserQuestion", at=NOW, key="k", questions=(Question(text="Which?", options=("a", "b")),)
    )
    assert event_line(asked).endswith("k  Which? [a, b]")

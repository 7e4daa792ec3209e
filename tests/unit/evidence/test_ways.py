"""How many samples went which way, with calls and cost of each, and why they were not done by a flow."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from services.evidence.state.run_state import MAX_REASONS, SampleEnd, ways_of
from shared.contracts.evidence import NoFlowCount, WayCount
from shared.contracts.planner import Way
from shared.evidence_format.files.sample import ResultFile, parse_result
from tests.typed import expect

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def end(way: Way, calls: int = 0, no_flow: str = "") -> SampleEnd:
    return SampleEnd("done", "", 1, calls, calls / 100, False, NOW, way, no_flow)


def test_each_way_has_its_samples_calls_and_cost():
    ends = [end("agent", 7, "a learner"), end("flow"), end("flow_then_agent", 2, "it stopped"), end("flow"), end("")]
    assert ways_of(ends) == (
        WayCount(way="flow", samples=2, llm_calls=0, cost_usd=0),
        WayCount(
            way="flow_then_agent",
            samples=1,
            llm_calls=2,
            cost_usd=0.02,
            reasons=(NoFlowCount(text="it stopped", samples=1),),
        ),
        WayCount(
            way="agent", samples=1, llm_calls=7, cost_usd=0.07, reasons=(NoFlowCount(text="a learner", samples=1),)
        ),
    )


def test_the_most_frequent_reasons_are_told():
    ends = [end("agent", 0, f"reason {one}") for one in range(9) for _ in range(one + 1)]
    (told,) = ways_of(ends)
    assert [one.text for one in told.reasons] == [f"reason {one}" for one in (8, 7, 6, 5, 4)]
    assert len(told.reasons) == MAX_REASONS


def test_a_result_of_an_earlier_version_has_no_way():
    written: dict[str, Any] = {
        "sample_id": "a", "key": "a", "row": 1, "status": "done", "reason": "", "message": "", "fault": "", "steps": 1,
        "llm_calls": 0, "usage": {}, "extracted": {}, "fields": {}, "artifacts": [], "judgment": None, "flagged": False,
        "notes": [], "attempt": 1, "decided_by": "rules", "started_at": NOW, "finished_at": NOW, "version": 2,
    }  # fmt: skip
    result = expect(parse_result(msgspec.json.encode(written)), ResultFile)
    assert (result.way, result.no_flow) == ("", "")
    assert ways_of([SampleEnd.of(result)]) == ()

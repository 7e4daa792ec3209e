"""Who has worked on how many samples, with calls and cost of each, and why they were not done by a flow."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from services.evidence.state.run_state import MAX_REASONS, SampleEnd, count_drivers
from shared.contracts.codes import Status
from shared.contracts.evidence import DriversCount, NoFlowCount
from shared.contracts.planner import DriverName
from shared.evidence_format.files.sample import ResultFile, parse_result
from tests.typed import expect

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def end(*drivers: DriverName, calls: int = 0, no_flow: str = "", status: Status = "done") -> SampleEnd:
    return SampleEnd(status, "", 1, calls, calls / 100, False, NOW, drivers, no_flow)


def test_each_list_of_drivers_has_its_samples_calls_and_cost():
    ends = [
        end("model", calls=7, no_flow="a learner"),
        end("flow"),
        end("flow", "rules", "model", calls=2, no_flow="it stopped"),
        end("flow"),
        end(),
    ]
    assert count_drivers(ends) == (
        DriversCount(drivers=("flow",), samples=2, llm_calls=0, cost_usd=0, done=2),
        DriversCount(
            drivers=("flow", "rules", "model"),
            samples=1,
            llm_calls=2,
            cost_usd=0.02,
            reasons=(NoFlowCount(text="it stopped", samples=1),),
            done=1,
        ),
        DriversCount(
            drivers=("model",),
            samples=1,
            llm_calls=7,
            cost_usd=0.07,
            reasons=(NoFlowCount(text="a learner", samples=1),),
            done=1,
        ),
    )


def test_a_record_that_is_absent_is_not_counted_as_done():
    ends = [end("flow", "rules"), *(end("flow", "rules", status="failed") for _ in range(3))]
    (told,) = count_drivers(ends)
    assert (told.samples, told.done) == (4, 1)


def test_the_most_frequent_reasons_are_told():
    ends = [end("rules", no_flow=f"reason {one}") for one in range(9) for _ in range(one + 1)]
    (told,) = count_drivers(ends)
    assert [one.text for one in told.reasons] == [f"reason {one}" for one in (8, 7, 6, 5, 4)]
    assert len(told.reasons) == MAX_REASONS


WRITTEN: dict[str, Any] = {
    "sample_id": "a", "key": "a", "row": 1, "status": "done", "reason": "", "message": "", "fault": "", "steps": 1,
    "llm_calls": 0, "usage": {}, "extracted": {}, "fields": {}, "artifacts": [], "judgment": None, "flagged": False,
    "notes": [], "attempt": 1, "decided_by": "rules", "started_at": NOW, "finished_at": NOW, "version": 2,
}  # fmt: skip


def test_a_result_of_an_earlier_version_has_no_drivers():
    result = expect(parse_result(msgspec.json.encode(WRITTEN)), ResultFile)
    assert (result.drivers, result.no_flow) == ((), "")
    assert count_drivers([SampleEnd.of(result)]) == ()

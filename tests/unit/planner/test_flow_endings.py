"""How a sample counts for the flow that began in it."""

from __future__ import annotations

from typing import Any

from services.planner.workflow_use.healed_flow import ending_with_flow
from shared.contracts.base import Usage
from shared.contracts.discovery import Sample
from shared.contracts.planner import SampleFinished
from tests.cases import cases
from tests.unit.planner.planner_pages import NOW

FLOW, RULES, MODEL = ("flow",), ("flow", "rules"), ("flow", "model")


@cases(
    "drivers, status, llm_calls, ending",
    [
        (FLOW, "done", 0, "done"),
        (RULES, "done", 0, "taken_over"),
        (RULES, "done", 2, "left"),
        (MODEL, "done", 2, "left"),
        (FLOW, "needs_review", 0, "left"),
        (RULES, "partial_success", 0, "left"),
        (RULES, "failed", 0, None),
        (FLOW, "auth_required", 0, None),
        (("rules",), "done", 0, None),
    ],
)
def test_what_a_sample_says_of_its_flow(drivers: Any, status: Any, llm_calls: int, ending: str | None):
    one = SampleFinished(
        run_id="run_1", sample_id="a", attempt=1, status=status, sample=Sample(sample_id="a", key="a", row=1),
        drivers=drivers, usage=Usage(llm_calls=llm_calls), started_at=NOW, finished_at=NOW,
    )  # fmt: skip
    assert ending_with_flow(one) == ending

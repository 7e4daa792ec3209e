"""The plan of a run whose samples are found by navigating."""

from __future__ import annotations

from services.discovery.planning.plan import RunPlan
from shared.contracts.discovery import Problem, RunRecord, Sample, SubmitRun
from shared.submission.search import check_search
from shared.text.names import DISCOVERY


def discovery_plan(request: SubmitRun) -> tuple[RunPlan | None, tuple[Problem, ...]]:
    """Return the plan of a run that begins with its discovery, or None and all problems."""
    spec, problems = check_search(request)
    if spec is None or problems:
        return None, problems
    concurrency = request.concurrency or spec.concurrency
    written = request.discovery if request.discovery is not None else request.spec
    row = dict(request.discovery_row)
    plan = RunPlan(request.spec or {}, request.planner, concurrency, (), 0, discovery=written, discovery_row=row)
    return plan, ()


def discovery_sample(record: RunRecord) -> Sample:
    """Return the pseudo sample whose work is to find the others."""
    row = record.discovery_row
    return Sample(sample_id=DISCOVERY, key=DISCOVERY, row=0, url=row.get("url") or None, fields=dict(row))

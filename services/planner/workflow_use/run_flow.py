"""The flow that a run compiles of its own first samples: a sample is one of these, or waits for the flow.

A sample that waits holds a place of its planner, and no browser; at most as many as the run's concurrency wait, and no
longer than `HOLD_S` after the first learner began. Nothing of this can fail a sample.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace

from services.planner.deps import PlannerDeps
from services.planner.state.workflow_choice import NO_WORKFLOW, WorkflowChoice, make_choice
from shared.client.workflow_calls import get_workflow
from shared.contracts.workflows.library import WorkflowShown
from shared.contracts.workflows.run_flows import HOLD_S, LEARNERS, MAX_LOST, RunFlow
from shared.errors import ExhibitError
from shared.flows.made_for import other_task_problems
from shared.streams import RUN_FLOWS
from shared.task.spec import TaskSpec

log = logging.getLogger(__name__)

BY_RUN = "run"
POLL_S = 0.5
IS_LEARNER = "the flow of this run is compiled from it"


@dataclass(frozen=True)
class RunFlowFound:
    """``choice``: without a name where there is no flow, for the reason ``why``."""

    choice: WorkflowChoice = NO_WORKFLOW
    why: str = ""


def with_learner(known: RunFlow | None, sample_id: str, now: datetime) -> RunFlow | None:
    """Return the record with the sample as a learner; None where it is one already, or none is needed."""
    if known is None:
        return RunFlow(since=now, learners=(sample_id,))
    needed = known.wanted - (len(known.learners) - len(known.lost))
    if known.state != "learning" or needed <= 0 or len(known.lost) >= MAX_LOST or sample_id in known.learners:
        return None
    return replace(known, learners=(*known.learners, sample_id))


def is_learner(record: RunFlow, sample_id: str) -> bool:
    return sample_id in record.learners and sample_id not in record.lost


def learner_text(record: RunFlow, sample_id: str) -> str:
    """Return why the planner works on a learner; of a further one also which fields the first ones did not show."""
    if not record.lacking or sample_id in record.done[:LEARNERS]:
        return IS_LEARNER
    return f"{IS_LEARNER}: the first ones do not show {', '.join(record.lacking)}"


async def find_run_flow(run_id: str, sample_id: str, spec: TaskSpec, deps: PlannerDeps) -> RunFlowFound:
    """Return the flow of the run as soon as there is one, or why the planner is to work on this sample."""
    waited_s, waits_from_s = 0.0, deps.elapsed_s()
    while True:
        record = await _load(run_id, sample_id, deps)
        if record.state == "compiled":
            return await _compiled(run_id, record, spec, deps)
        if record.state == "failed":
            return RunFlowFound(why=record.reason)
        if is_learner(record, sample_id):
            return RunFlowFound(why=learner_text(record, sample_id))
        age_s = max((deps.now() - record.since).total_seconds(), 0.0)
        if max(age_s, waited_s) >= HOLD_S:
            return RunFlowFound(why=f"the flow of this run was not there within {HOLD_S:g} s")
        if not waited_s:
            log.info("%s waits for the flow of its run", sample_id)
        await deps.wait(POLL_S)
        waited_s = max(deps.elapsed_s() - waits_from_s, POLL_S)


async def _load(run_id: str, sample_id: str, deps: PlannerDeps) -> RunFlow:
    """Return the record, after the sample has taken a place that was free."""
    known = await deps.records.read(RUN_FLOWS, run_id, RunFlow)
    now = deps.now()
    if with_learner(known, sample_id, now) is None and known is not None:
        return known
    stored = await deps.records.modify(RUN_FLOWS, run_id, RunFlow, lambda one: with_learner(one, sample_id, now))
    stored = stored or await deps.records.read(RUN_FLOWS, run_id, RunFlow)
    return stored or RunFlow(since=now, learners=(sample_id,))


async def _compiled(run_id: str, record: RunFlow, spec: TaskSpec, deps: PlannerDeps) -> RunFlowFound:
    """Return the flow, looked up once by each process."""
    if (known := deps.compiled.get(run_id)) is not None:
        return RunFlowFound(known)
    try:
        shown = await get_workflow(deps.asks, f"{record.name}@{record.hash}")
    except ExhibitError as exc:
        return RunFlowFound(why=f"the library of workflows could not be asked: {exc}")
    if not isinstance(shown, WorkflowShown):
        return RunFlowFound(why=f"the flow of this run is not in the library any more: {shown.message}")
    choice, problems = make_choice(shown, spec, {}, chosen_by=BY_RUN)
    problems = (*problems, *other_task_problems(shown, spec))
    if problems or not choice.is_flow:
        why = "; ".join(problems) or "it is no flow"
        return RunFlowFound(why=f"the library's {record.name} is not used: {why}")
    deps.compiled[run_id] = choice
    return RunFlowFound(choice)

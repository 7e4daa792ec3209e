"""What calls of models have cost in a run: a sum over all planners, kept in the bucket SPENDING."""

from __future__ import annotations

from services.planner.deps import Driver, PlannerDeps
from services.planner.judge.gates import cut_short
from services.planner.state.attempt_state import Ending, SampleView
from services.planner.state.limits import ExceededLimit
from shared.contracts.base import Usage, add_usage
from shared.streams import SPENDING
from shared.task.usage_limit import run_budget


async def add_spending(run_id: str, usage: Usage, deps: PlannerDeps) -> None:
    """Add to what the run has spent. Compare-and-set, so that concurrent planners lose no sum."""
    if not usage.llm_calls:
        return
    await deps.records.modify(SPENDING, run_id, Usage, lambda spent: add_usage(spent or Usage(), usage))


async def fetch_budget_ending(view: SampleView, driver: Driver, deps: PlannerDeps) -> Ending | None:
    """Return how the sample ends if the run's budget is used up, else None. Asked before every call of a model."""
    used = await fetch_exceeded_run_budget(view, deps) if driver.asks_model else ""
    if not used:
        return None
    return cut_short(view, ExceededLimit("run_budget_exceeded", f"the budget of the run is used up: {used}"))


async def fetch_exceeded_run_budget(view: SampleView, deps: PlannerDeps) -> str:
    """Return what of the run's budget is used up, as a sentence; empty: it is not used up."""
    budget = run_budget(view.spec.budget)
    if budget.is_unlimited:
        return ""
    spent: Usage | None = await deps.records.read(SPENDING, view.run_id, Usage)
    return budget.exceeded_by(spent or Usage())

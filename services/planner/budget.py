"""What model calls have cost in a run, over all planners, and when that is enough."""

from __future__ import annotations

from services.planner.deps import Decider, Deps
from services.planner.judge.limits import Limit, cut_short, of_run
from services.planner.state.sample_state import Ending, View
from shared.contracts.usage import Usage, add_usage
from shared.streams import SPENDING


async def spend(run_id: str, usage: Usage, deps: Deps) -> None:
    """Adds to what the run has spent. Two planners never lose one another's sums."""
    if not usage.llm_calls:
        return
    await deps.records.modify(SPENDING, run_id, Usage, lambda spent: add_usage(spent or Usage(), usage))


async def over_budget(view: View, decider: Decider, deps: Deps) -> Ending | None:
    """The ending of a sample whose run has spent what it may. Asked before every call of a model."""
    used = await used_up(view, deps) if decider.asks_model else ""
    return cut_short(view, "run_budget_exceeded", f"the budget of the run is used up: {used}") if used else None


async def used_up(view: View, deps: Deps) -> str:
    """What the run has spent of what it may, in words, where that is all of it."""
    limit = of_run(view.spec.budget)
    if limit == Limit(None, None):
        return ""
    spent: Usage | None = await deps.records.read(SPENDING, view.run_id, Usage)
    return limit.used_up(spent or Usage())

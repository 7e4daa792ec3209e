"""Pure: the step log of an attempt in pages, and whether it tells how the attempt ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from services.evidence.state.paging import PAGE_BYTES, fitting
from shared.contracts.actions import Done, Fail
from shared.contracts.steps import StepTaken


def page_of(steps: Iterable[StepTaken], after_step: int, most_bytes: int = PAGE_BYTES) -> tuple[StepTaken, ...]:
    """The steps behind ``after_step`` that fit, at least one where there is one."""
    return fitting((step for step in steps if step.step > after_step), most_bytes)


def problem_of(steps: Sequence[StepTaken], taken: int | None, status: str | None, reason: str) -> str:
    """Why the end of an attempt cannot be told from its log; empty where it can. ``taken``: steps its result counts."""
    if taken is None:
        return "it has no result yet"
    if [step.step for step in steps] != list(range(1, taken + 1)):
        return f"its log has {len(steps)} of {taken} steps"
    last = steps[-1] if steps else None
    if last is None or last.refused or not isinstance(last.action, Done | Fail):
        return f"it ended as {status} ({reason.replace('_', ' ')}), without a done or a fail of its own"
    return ""

"""Pages of long lists that fit a message, and whether a step log is complete."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from shared.contracts.actions import Done, Fail
from shared.contracts.steps import StepTaken

PAGE_BYTES = 700_000
"""Size limit of the items of one reply. A foreign NATS server allows messages of 1 MB."""

ItemT = TypeVar("ItemT")


def first_page(items: Iterable[ItemT], max_bytes: int = PAGE_BYTES) -> tuple[ItemT, ...]:
    """Return the first items that fit into ``max_bytes`` as JSON; at least one if there is one."""
    page: list[ItemT] = []
    size = 0
    for item in items:
        size += len(msgspec.json.encode(item))
        if page and size > max_bytes:
            break
        page.append(item)
    return tuple(page)


def page_of_steps(steps: Iterable[StepTaken], after_step: int, max_bytes: int = PAGE_BYTES) -> tuple[StepTaken, ...]:
    """Return the steps after ``after_step`` that fit; at least one if there is one."""
    return first_page((step for step in steps if step.step > after_step), max_bytes)


def step_log_problem(steps: Sequence[StepTaken], taken: int | None, status: str | None, reason: str) -> str:
    """Return why a step log does not show how its attempt ended; empty if it does.

    ``taken``: the number of steps that the result counts, None without a result.
    """
    if taken is None:
        return "it has no result yet"
    if [step.step for step in steps] != list(range(1, taken + 1)):
        return f"its log has {len(steps)} of {taken} steps"
    last = steps[-1] if steps else None
    if last is None or last.refused or not isinstance(last.action, Done | Fail):
        return f"it ended as {status} ({reason.replace('_', ' ')}), without a done or a fail of its own"
    return ""

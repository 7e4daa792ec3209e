"""Pages of long lists that fit a message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

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

"""The order of the tests: slow ones first, so that no worker ends with one of them while the others are idle."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Protocol, TypeVar

SLOW_FOLDERS = ("forged", "orders", "drift", "end_to_end")
"""In this order."""


class HasPath(Protocol):
    @property
    def path(self) -> Path: ...


Item = TypeVar("Item", bound=HasPath)


def slow_first(items: Sequence[Item], workers: int) -> list[Item]:
    """Return the tests in an order in which each worker's share begins with slow ones.

    A share is an equal part of the list, as pytest-xdist deals them out with ``worksteal``. Modules stay whole.
    """
    modules = [list(module) for _, module in groupby(items, lambda item: item.path)]
    slow = [module for folder in SLOW_FOLDERS for module in modules if module[0].path.parent.name == folder]
    others = [item for module in modules if module not in slow for item in module]
    ordered: list[Item] = []
    for worker in range(workers):
        first = [item for module in slow[worker::workers] for item in module]
        end = len(items) * (worker + 1) // workers
        rest = max(0, end - len(ordered) - len(first)) if worker < workers - 1 else len(others)
        ordered += [*first, *others[:rest]]
        del others[:rest]
    return ordered

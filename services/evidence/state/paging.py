"""Pure: how much of a long list fits a message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

PAGE_BYTES = 700_000
"""Of the items of one reply: a server that is not ours allows messages of 1 MB."""

ItemT = TypeVar("ItemT")


def fitting(items: Iterable[ItemT], most_bytes: int = PAGE_BYTES) -> tuple[ItemT, ...]:
    """The first of the items that fit, at least one where there is one."""
    page: list[ItemT] = []
    size = 0
    for item in items:
        size += len(msgspec.json.encode(item))
        if page and size > most_bytes:
            break
        page.append(item)
    return tuple(page)

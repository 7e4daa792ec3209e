"""Polling for slow events; call it in a thread if an event loop must continue."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

LONGEST_S = 60.0
PAUSE_S = 0.02

Seen = TypeVar("Seen")


def until(look: Callable[[], Seen | None], what: str, within_s: float = LONGEST_S) -> Seen:
    """Return the result of ``look`` as soon as it is truthy; fail after ``within_s``."""
    until_s = time.monotonic() + within_s
    while time.monotonic() < until_s:
        if seen := look():
            return seen
        time.sleep(PAUSE_S)
    raise AssertionError(f"{what}: not within {within_s:.0f} s")

"""Waiting for what a busy machine takes seconds to do; call it in a thread where an event loop must go on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

LONGEST_S = 60.0
PAUSE_S = 0.02

Seen = TypeVar("Seen")


def until(look: Callable[[], Seen | None], what: str) -> Seen:
    """What ``look`` sees, once that is something."""
    until_s = time.monotonic() + LONGEST_S
    while time.monotonic() < until_s:
        if seen := look():
            return seen
        time.sleep(PAUSE_S)
    raise AssertionError(f"{what}: not within {LONGEST_S:.0f} s")

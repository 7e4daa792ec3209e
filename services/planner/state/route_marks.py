"""Pure: which step of the route an action was taken for. The action's reason says so, in words and exactly, so that the
step log alone tells how far a sample has come; nothing is remembered beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from services.planner.state.sample_state import Entry
from shared.contracts.actions import AnyAction

_MARK = re.compile(r"Route step (\d+)(?:\.([a-z0-9]+))?: (.*)", re.S)


@dataclass(frozen=True)
class Mark:
    """``at`` counts the steps of the route from 0; ``part`` names a part of the step, such as ``press`` of a search."""

    at: int
    part: str
    told: str


def marked(action: AnyAction, at: int, told: str, part: str = "") -> AnyAction:
    """The action with the reason that :func:`mark_of` reads."""
    number = f"{at + 1}.{part}" if part else str(at + 1)
    return msgspec.structs.replace(action, reason=f"Route step {number}: {told}")


def mark_of(entry: Entry) -> Mark | None:
    return None if entry.action is None or entry.refused else read_mark(entry.action)


def read_mark(action: AnyAction) -> Mark | None:
    found = _MARK.fullmatch(action.reason)
    return Mark(int(found[1]) - 1, found[2] or "", found[3]) if found is not None else None


def last_mark(history: Sequence[Entry]) -> Mark | None:
    return next((mark for entry in reversed(history) if (mark := mark_of(entry)) is not None), None)


def entries_of(history: Sequence[Entry], at: int, part: str | None = None) -> tuple[Entry, ...]:
    """What was done for one step, or for one part of it."""
    marks = ((entry, mark_of(entry)) for entry in history)
    return tuple(e for e, mark in marks if mark is not None and mark.at == at and part in (None, mark.part))

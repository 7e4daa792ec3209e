"""Pure: which step of the route an action was taken for. The step log alone says how far a sample has come."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.state.sample_state import Entry
from shared.contracts.steps import RouteMark

RELOAD = "reload"
"""The part of a mark where the page that a step had led to is only asked for again."""


def reason_of(mark: RouteMark, why: str) -> str:
    """Return the sentence that says why an action is taken, such as ``Route step 2.press: the search is sent.``"""
    part = f".{mark.part}" if mark.part else ""
    return f"Route step {mark.step}{part}: {why}"


def last_mark(history: Sequence[Entry]) -> RouteMark | None:
    return next((entry.route for entry in reversed(history) if entry.route is not None and _counts(entry)), None)


def entries_of(history: Sequence[Entry], at: int, part: str | None = None) -> tuple[Entry, ...]:
    """Return what was done for one step of the route, counted from 0, or for one part of it."""
    return tuple(e for e in history if e.route is not None and _counts(e) and _is_of(e.route, at, part))


def reloads(history: Sequence[Entry]) -> int:
    """Return how often a page that a step had led to was asked for again."""
    return sum(entry.route is not None and entry.route.part == RELOAD for entry in history)


def _counts(entry: Entry) -> bool:
    return entry.action is not None and not entry.refused


def _is_of(mark: RouteMark, at: int, part: str | None) -> bool:
    return mark.step == at + 1 and (mark.part == part if part is not None else mark.part != RELOAD)

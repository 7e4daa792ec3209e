"""The build sessions as a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.table import Table

from shared.contracts.workflows.builds import ListedBuild
from shared.text.normal import printable


def builds_table(listed: Sequence[ListedBuild], now: datetime) -> Table:
    """Return the sessions as a table. ``now``: an age is counted to it."""
    table = Table("session", "spec", "state", "TODOs done", "rows done", "by", "last done", box=None, pad_edge=False)
    for one in listed:
        todos, rows = one.standing, one.rows
        table.add_row(
            printable(one.build_id),
            printable(one.task_id),
            state_of(one),
            f"{todos.done} of {todos.todos}",
            f"{todos.rows} of {rows}" if rows else str(todos.rows),
            printable(one.by) + (", with a model" if one.agent else ""),
            age_of(todos.changed_at, now),
        )
    return table


def state_of(one: ListedBuild) -> str:
    """Return how far a session is, in words."""
    standing = one.standing
    if standing.published:
        return "in the library"
    if standing.todos and standing.done == standing.todos:
        return "row done"
    return "at work" if standing.done or standing.rows else "begun"


def age_of(moment: str, now: datetime) -> str:
    """Return how long ago a moment was, in the largest unit that fits. ``moment``: in ISO 8601; empty: none."""
    if not moment:
        return "–"
    minutes = max(int((now - datetime.fromisoformat(moment)).total_seconds() // 60), 0)
    if minutes < 60:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days ago"

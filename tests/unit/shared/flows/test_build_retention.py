"""Which closed build sessions are kept no longer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from shared.contracts.workflows.builds import BuildRecord
from shared.flows.building.retention import Keep, sessions_to_drop

NOW = datetime(2026, 11, 29, tzinfo=UTC)
MB = 1024**2


def record(days: int | None, mb: int = 1, *, dropping: bool = False, spec: str = "x") -> BuildRecord:
    """Return a session that was closed so many days ago; None: it is not closed."""
    return BuildRecord(
        build_id="",
        owner="",
        spec={"task_id": spec} if spec else {},
        rows=(),
        by="ann",
        closed_at=None if days is None else NOW - timedelta(days=days),
        size_bytes=mb * MB,
        dropping=dropping,
    )


def test_what_is_too_old_is_dropped_and_what_is_open_is_kept():
    records = {"old": record(31), "new": record(29), "open": record(None, 9_000)}
    assert sessions_to_drop(records, NOW, Keep(days=30, mb=0)) == ["old"]
    assert sessions_to_drop(records, NOW, Keep(days=0, mb=0)) == []


def test_beyond_the_size_the_oldest_go_and_no_more_than_needed():
    records = {"a": record(3, 10), "b": record(2, 10), "c": record(1, 10), "open": record(None, 9_000)}
    assert sessions_to_drop(records, NOW, Keep(days=30, mb=30)) == []
    assert sessions_to_drop(records, NOW, Keep(days=30, mb=25)) == ["a"]
    assert sessions_to_drop(records, NOW, Keep(days=30, mb=5)) == ["a", "b", "c"]


def test_what_was_dropped_half_is_dropped_and_what_was_dropped_whole_is_not_again():
    records = {"half": record(1, dropping=True), "gone": record(99, 0, spec="")}
    assert sessions_to_drop(records, NOW, Keep()) == ["half"]

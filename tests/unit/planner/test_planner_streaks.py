"""Whose failure it is when samples fail one after the other, and when one is tried in a pause."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from services.planner.steering.streaks import after_failure, after_other_end, with_try
from shared.contracts.outages import Outage
from shared.contracts.sessions.control import OutageStreak, RunControl

SITE = Outage(kind="site", where="a.test", code="unreachable")
LOGIN = Outage(kind="login", where="desk", code="login_required")
NOW = datetime(2026, 3, 3, tzinfo=UTC)


def fail(known: OutageStreak | None, *samples: str, outage: Outage = SITE) -> tuple[OutageStreak | None, list[str]]:
    rulings: list[str] = []
    for sample_id in samples:
        known, ruling = after_failure(known, 0, outage, sample_id, 3)
        rulings.append(ruling)
    return known, rulings


def test_so_many_different_samples_in_a_row_are_an_outage_and_none_is_counted_for_the_next():
    known, rulings = fail(None, "a", "b", "c", "d", "e")
    assert rulings == ["again", "again", "outage", "again", "again"]
    assert fail(known, "a")[1] == ["outage"]


def test_other_causes_and_other_rounds_begin_anew():
    known, _ = fail(None, "a", "b")
    assert fail(known, "c", outage=LOGIN)[1] == ["again"]
    assert after_failure(known, 4, SITE, "c", 3)[1] == "again"


def test_the_second_failure_of_a_sample_is_its_own_where_others_did_not_fail_or_fewer_are_left():
    known, _ = fail(None, "a", "b")
    assert fail(known, "a", "b")[1] == ["own", "own"]
    known = after_other_end(known, 0)
    assert fail(known, "a", "c", "b", "d", "e")[1] == ["own", "again", "own", "again", "outage"]
    assert after_other_end(known, 0) is None


def test_a_sample_is_tried_after_pauses_that_grow_and_anew_in_each_pause():
    control = RunControl(attempt_base=0, paused_key="p", paused_at=NOW, outage=SITE)
    known, tried = None, []
    for second in range(900):
        after = with_try(known, control, NOW + timedelta(seconds=second))
        if after is not None:
            known = after
            tried.append(second)
    assert tried == [5, 15, 35, 75, 155, 315, 615]
    later = NOW + timedelta(hours=1)
    other = RunControl(attempt_base=0, paused_key="q", paused_at=later, outage=SITE)
    assert with_try(known, other, later) is None
    assert with_try(known, other, later + timedelta(seconds=5)) is not None

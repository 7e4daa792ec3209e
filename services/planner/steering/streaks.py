"""When samples that fail one after the other have one cause that is not theirs, and when one of them is tried. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from msgspec.structs import replace

from shared.contracts.outages import Outage
from shared.contracts.sessions.control import OutageStreak, RunControl

FIRST_TRY_S, LAST_TRY_S = 5.0, 300.0
"""A sample is tried so long after the run was paused; each pause until the next is twice as long, up to the last."""
MAX_ALONE = 1000

Ruling = Literal["own", "again", "outage"]
"""Whose failure it is. ``own``: the sample's, which ends so. ``again``: not known yet; the sample is tried once more,
behind the others. ``outage``: the same, and as many have failed in a row as pause the run."""


def after_failure(
    known: OutageStreak | None, attempt_base: int, outage: Outage, sample_id: str, most: int
) -> tuple[OutageStreak, Ruling]:
    """Return the streak after one more sample has failed so, and whose failure it is."""
    streak = _of_round(known, attempt_base)
    if sample_id in streak.alone:
        return streak, "own"
    same = (streak.kind, streak.where) == (outage.kind, outage.where)
    before = streak.samples if same else ()
    if sample_id in before:  # it has come round again: fewer are left than pause the run
        return streak, "own"
    samples = (*before, sample_id)
    ruling: Ruling = "outage" if len(samples) >= most else "again"
    left = () if ruling == "outage" else samples
    return replace(streak, kind=outage.kind, where=outage.where, samples=left), ruling


def after_other_end(known: OutageStreak | None, attempt_base: int) -> OutageStreak | None:
    """Return the streak after a sample has ended in another way; None: nothing changes. Those that failed before it did
    so alone."""
    streak = _of_round(known, attempt_base)
    if not streak.samples:
        return None
    return replace(streak, samples=(), alone=(*streak.alone, *streak.samples)[-MAX_ALONE:])


def with_try(known: OutageStreak | None, control: RunControl, now: datetime) -> OutageStreak | None:
    """Return the streak with a sample that is tried now in a paused run; None: it is not time."""
    streak = _of_round(known, control.attempt_base)
    if streak.paused_key != control.paused_key:
        streak = replace(streak, paused_key=control.paused_key, tries=0, tried_at=None)
    since = streak.tried_at or control.paused_at or now
    if now - since < timedelta(seconds=min(FIRST_TRY_S * 2.0 ** min(streak.tries, 30), LAST_TRY_S)):
        return None
    return replace(streak, tries=streak.tries + 1, tried_at=now)


def _of_round(known: OutageStreak | None, attempt_base: int) -> OutageStreak:
    if known is None or known.attempt_base != attempt_base:
        return OutageStreak(attempt_base=attempt_base)
    return known

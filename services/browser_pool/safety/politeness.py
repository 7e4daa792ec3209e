"""Pure: when the next document may be asked of a domain, given what all pools have asked of it and how it answered.

Two records a domain. `Pace` is written for every document, but only where a limit is set; `Pause` only once the domain
has answered 429 or 503. Times are seconds since the epoch by the clock of whoever writes: pools on several machines
keep their clocks together, and what one clock is ahead is waited longer.

    the domain                      the next document
    -----------------------------   ---------------------------------------------------------
    paused until later              waits until then
    paused before, not yet proven   goes alone; the others wait for what it is answered
    as many on their way as may be  waits for one of them to be answered, or for its time to run out
    asked less than interval ago    takes the next free moment and waits for it
    otherwise                       goes at once
"""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import msgspec

from shared.contracts.base import Part

TOO_BUSY = frozenset({429, 503})
FIRST_PAUSE_S, LONGEST_BACK_OFF_S = 1.0, 60.0
LONGEST_PAUSE_S = 900.0
"""However long a site asks to be left alone."""


@dataclass(frozen=True)
class PaceLimits:
    """``interval_s`` 0 and ``max_in_flight`` 0 are no limits."""

    interval_s: float = 0.0
    max_in_flight: int = 0

    @property
    def any(self) -> bool:
        return self.interval_s > 0 or self.max_in_flight > 0


class Slot(Part, frozen=True, kw_only=True):
    """One document on its way; ``until`` is when it no longer counts, for its pool may have died."""

    owner: str
    until: float


class Pace(Part, frozen=True, kw_only=True):
    """``last_at``: when the latest document that was let through goes; ``next_at``: what it asked for after it."""

    last_at: float = 0.0
    next_at: float = 0.0
    slots: tuple[Slot, ...] = ()


class Pause(Part, frozen=True, kw_only=True):
    """``strikes``: pauses in a row that did not help. 0: the domain has answered well since."""

    until: float = 0.0
    strikes: int = 0


@dataclass(frozen=True)
class PaceGrant:
    pace: Pace
    go_at: float


def limits_now(limits: PaceLimits, pause: Pause) -> PaceLimits:
    """After a pause one document goes first: if all that waited went at once, the next pause would be certain."""
    return PaceLimits(limits.interval_s, 1) if pause.strikes else limits


def take(pace: Pace, limits: PaceLimits, owner: str, *, now: float, hold_s: float) -> PaceGrant | None:
    """A moment for one more document, or None while as many are on their way as may be."""
    live = tuple(slot for slot in pace.slots if slot.until > now)
    if limits.max_in_flight and len(live) >= limits.max_in_flight:
        return None
    go_at = max(now, pace.next_at, pace.last_at + limits.interval_s)
    slots = (*live, Slot(owner=owner, until=go_at + hold_s)) if limits.max_in_flight else live
    return PaceGrant(Pace(last_at=go_at, next_at=go_at + limits.interval_s, slots=slots), go_at)


def give_back(pace: Pace, owner: str) -> Pace:
    """Without the slot of ``owner``; giving back what has run out is no error."""
    return msgspec.structs.replace(pace, slots=tuple(slot for slot in pace.slots if slot.owner != owner))


def after_answer(pause: Pause, status: int, retry_after_s: float | None, *, now: float) -> Pause | None:
    """The pause that follows from an answer; None where nothing changes.

    Documents that were on their way together are told to slow down together: that is one strike, not many.
    """
    if status not in TOO_BUSY:
        return Pause(until=pause.until) if pause.strikes and now >= pause.until else None
    fresh = now >= pause.until
    strikes = pause.strikes + 1 if fresh else pause.strikes
    if retry_after_s is None:
        wait_s = min(FIRST_PAUSE_S * 2.0 ** min(strikes - 1, 16), LONGEST_BACK_OFF_S) if fresh else 0.0
    else:
        wait_s = min(max(retry_after_s, 0.0), LONGEST_PAUSE_S)
    changed = Pause(until=max(pause.until, now + wait_s), strikes=strikes)
    return None if changed == pause else changed


def retry_after_s(header: str | None, *, now: float) -> float | None:
    """``Retry-After`` in seconds: a number of them, or a date. None where there is none that can be read."""
    text = (header or "").strip()
    if text.isascii() and text.isdecimal():
        return min(float(text[:12]), LONGEST_PAUSE_S)
    try:
        at = parsedate_to_datetime(text)
        return min(max(at.timestamp() - now, 0.0), LONGEST_PAUSE_S)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None

"""When the next document of a domain may be requested, given the requests of all pools and the site's answers.

Each domain has two records. `Pace` is written per document, where a limit is set. `Pause` is written after an answer
429 or 503. Times are seconds since the epoch by the writer's clock; a clock that is ahead only makes others wait
longer.

    the domain                      the next document
    -----------------------------   ---------------------------------------------------------
    is paused                       waits until the pause ends
    was paused, not yet proven      goes alone; the others wait for its answer
    has max_in_flight documents     waits until one is answered or its slot expires
    was asked within the interval   takes the next free moment and waits for it
    otherwise                       goes at once
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache, lru_cache

import msgspec
from publicsuffixlist import PublicSuffixList

from shared.contracts.base import Part
from shared.hosts import browser_form, literal_address, parse_origin

TOO_BUSY = frozenset({429, 503})
FIRST_PAUSE_S, LONGEST_BACK_OFF_S = 1.0, 60.0
LONGEST_PAUSE_S = 900.0
"""Upper bound for a pause, whatever the site asks for."""


@dataclass(frozen=True)
class PaceLimits:
    """Limits of one domain; 0 means no limit."""

    interval_s: float = 0.0
    max_in_flight: int = 0

    @property
    def any(self) -> bool:
        return self.interval_s > 0 or self.max_in_flight > 0


class Slot(Part, frozen=True, kw_only=True):
    """One document in flight. It expires at ``until``, because its pool may have died."""

    owner: str
    until: float


class Pace(Part, frozen=True, kw_only=True):
    """``last_at``: when the latest admitted document goes. ``next_at``: the earliest moment for the one after it."""

    last_at: float = 0.0
    next_at: float = 0.0
    slots: tuple[Slot, ...] = ()


class Pause(Part, frozen=True, kw_only=True):
    """``strikes`` counts pauses in a row that did not help; 0 after a good answer."""

    until: float = 0.0
    strikes: int = 0


@dataclass(frozen=True)
class PaceGrant:
    pace: Pace
    go_at: float


def limits_now(limits: PaceLimits, pause: Pause) -> PaceLimits:
    """Return the limits that hold now. After a pause one document goes first, for all at once would cause the next
    pause."""
    return PaceLimits(limits.interval_s, 1) if pause.strikes else limits


def take(pace: Pace, limits: PaceLimits, owner: str, *, now: float, hold_s: float) -> PaceGrant | None:
    """Return the moment for one more document, or None while the maximum is in flight."""
    live = tuple(slot for slot in pace.slots if slot.until > now)
    if limits.max_in_flight and len(live) >= limits.max_in_flight:
        return None
    go_at = max(now, pace.next_at, pace.last_at + limits.interval_s)
    slots = (*live, Slot(owner=owner, until=go_at + hold_s)) if limits.max_in_flight else live
    return PaceGrant(Pace(last_at=go_at, next_at=go_at + limits.interval_s, slots=slots), go_at)


def give_back(pace: Pace, owner: str) -> Pace:
    """Return the pace without the slot of ``owner``. Idempotent."""
    return msgspec.structs.replace(pace, slots=tuple(slot for slot in pace.slots if slot.owner != owner))


def after_answer(pause: Pause, status: int, retry_after_s: float | None, *, now: float) -> Pause | None:
    """Return the pause that follows from an answer, or None when nothing changes.

    Documents that were in flight together count as one strike.
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
    """Return ``Retry-After`` (seconds or a date) in seconds, or None when it is missing or unreadable."""
    text = (header or "").strip()
    if text.isascii() and text.isdecimal():
        return min(float(text[:12]), LONGEST_PAUSE_S)
    try:
        at = parsedate_to_datetime(text)
        return min(max(at.timestamp() - now, 0.0), LONGEST_PAUSE_S)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


# --- the domain of an address

_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


@lru_cache(maxsize=4096)
def registrable_domain(url: str) -> str:
    """Return ``example.co.uk`` for ``https://shop.example.co.uk/x``, by the public suffix list of its package.

    Numeric addresses and names without a domain are returned as they are. The result is fit for a record's key; it is
    empty when the address has no host.
    """
    origin = parse_origin(browser_form(url))
    if isinstance(origin, str):
        return ""
    if literal_address(origin.host) is not None:
        return origin.host.replace(":", "-")
    return _as_key(_suffixes().privatesuffix(origin.host) or origin.host)


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _as_key(domain: str) -> str:
    """Return the domain, or its hash when it has characters that a subject must not contain: rows of a sample source
    choose host names."""
    return domain if _NAME.fullmatch(domain) else hashlib.sha256(domain.encode(errors="replace")).hexdigest()

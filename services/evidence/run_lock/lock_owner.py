"""Pure: who writes a run, as it is written down for others, and what somebody is told who may not write it now."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from shared.contracts.base import Part

EXPIRES_S = 60.0
"""Nobody has a run in a bucket any more who has not said for so long that it lives, by the server's own clock."""
RENEWED_EVERY_S = 10.0
CONFIRMED_S = EXPIRES_S / 2
"""For so long after it has said so it writes without asking; the rest of the time is for what is on its way by then."""
HELD_ELSEWHERE = "run_held"


class Holder(Part, frozen=True, kw_only=True):
    """``keeper`` names the file on the holder's machine whose lock it has for as long as it lives; in a folder the lock
    itself says that. ``renewal`` is another one each time, so that no two records are equal."""

    host: str
    pid: int
    since: datetime
    keeper: str = ""
    renewal: str = ""


def holder_in(data: bytes) -> Holder | None:
    """None where it cannot be read: its lock holds all the same."""
    try:
        return msgspec.json.decode(data, type=Holder)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def may_take_over(
    holder: Holder | None, age_s: float | None, *, host: str, keeper: str, expires_s: float = EXPIRES_S
) -> bool:
    """Of whoever has the lock of ``keeper``'s file on ``host``: the holder that had it before is dead. Any other has as
    long as it says that it lives; ``age_s`` is None where the server does not tell how long ago that was."""
    is_dead = holder is not None and (holder.host, holder.keeper) == (host, keeper)
    return is_dead or (age_s is not None and age_s > expires_s)


def refusal(place: str, holder: Holder | None, until: str = "it has ended") -> str:
    """For people: who it is, since when, and what to do."""
    who = ""
    if holder is not None:
        since = holder.since.astimezone(UTC)
        who = f": process {holder.pid} on {holder.host}, since {since:%Y-%m-%d %H:%M:%S} UTC"
    return f"another process writes {place}{who}; end it, or wait: the run goes on here when {until}"


def refusal_in_bucket(place: str, lock: str, holder: Holder | None, age_s: float | None) -> str:
    """``lock``: where a person finds the lock."""
    if age_s is None:
        return refusal(place, holder, f"it has ended; where it is dead, remove {lock}")
    heard = f"it has ended, or has not been heard of for {EXPIRES_S:.0f} s (last {age_s:.0f} s ago)"
    return refusal(place, holder, heard)

"""Decides who may write a run: the record of a lock's owner, when a lock in a bucket has expired, and the refusals."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from shared.contracts.base import Part

EXPIRES_S = 60.0
"""A lock in a bucket that was not renewed for this time, by the server's clock, has expired."""
RENEW_INTERVAL_S = 10.0
CONFIRMED_S = EXPIRES_S / 2
"""For this time after a renewal the owner writes without asking the server. The rest is for writes in flight."""
HELD_ELSEWHERE = "run_held"


class LockOwner(Part, frozen=True, kw_only=True):
    """The process that has a lock, as it is written for others.

    ``keeper`` names a file on the owner's machine whose file lock it has while it lives; in a folder the lock itself
    shows that. ``renewal`` is unique, so that no two records are equal.
    """

    host: str
    pid: int
    since: datetime
    keeper: str = ""
    renewal: str = ""


def parse_owner(data: bytes) -> LockOwner | None:
    """None for a corrupt record: its lock is valid all the same."""
    try:
        return msgspec.json.decode(data, type=LockOwner)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def may_take_over(
    owner: LockOwner | None, age_s: float | None, *, host: str, keeper: str, expires_s: float = EXPIRES_S
) -> bool:
    """Whether a process may take over the lock of ``owner``. The process has the file lock of ``keeper`` on ``host``.

    It may at once if the owner had the same file lock, because then the owner is dead. Otherwise the lock must have
    expired. ``age_s``: time since its last renewal, None if the server does not tell it.
    """
    is_dead = owner is not None and (owner.host, owner.keeper) == (host, keeper)
    return is_dead or (age_s is not None and age_s > expires_s)


def refusal(location: str, owner: LockOwner | None, until: str = "it has ended") -> str:
    """Return the message that another process writes the run: which, since when, and what to do."""
    process = ""
    if owner is not None:
        since = owner.since.astimezone(UTC)
        process = f": process {owner.pid} on {owner.host}, since {since:%Y-%m-%d %H:%M:%S} UTC"
    return f"another process writes {location}{process}; end it, or wait: the run goes on here when {until}"


def refusal_in_bucket(location: str, lock: str, owner: LockOwner | None, age_s: float | None) -> str:
    """As `refusal`. ``lock``: the URL of the lock's object."""
    if age_s is None:
        return refusal(location, owner, f"it has ended; if it is dead, remove {lock}")
    until = f"it has ended, or has not renewed its lock for {EXPIRES_S:.0f} s (last {age_s:.0f} s ago)"
    return refusal(location, owner, until)

"""Pure: which sessions are held, for how long, and whether there is room for another."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Lease:
    """``used_at_s`` is when it was last used or asked to be kept; it runs out ``ttl_s`` seconds after that, and
    ``max_s`` seconds after it began at the latest."""

    session_id: str
    ttl_s: float
    used_at_s: float
    max_s: float = float("inf")
    began_at_s: float = 0.0


@dataclass(frozen=True)
class Leases:
    """``short_of_memory``: the machine has no memory for another session."""

    capacity: int
    held: dict[str, Lease] = field(default_factory=dict[str, Lease])
    short_of_memory: bool = False


def is_full(leases: Leases) -> bool:
    """One lease is always possible: a pool that waits for memory that somebody else holds would stand still."""
    return len(leases.held) >= leases.capacity or (leases.short_of_memory and bool(leases.held))


def take(leases: Leases, session_id: str, *, ttl_s: float, now_s: float, max_s: float = float("inf")) -> Leases | None:
    """With one more lease, or None when there is no room."""
    if is_full(leases):
        return None
    return replace(leases, held={**leases.held, session_id: Lease(session_id, ttl_s, now_s, max_s, now_s)})


def touch(leases: Leases, session_id: str, *, now_s: float) -> Leases:
    """Used now: its time starts again. A session that is not held stays unknown."""
    lease = leases.held.get(session_id)
    if lease is None:
        return leases
    return replace(leases, held={**leases.held, session_id: replace(lease, used_at_s=now_s)})


def release(leases: Leases, session_id: str) -> Leases:
    """Without this lease; releasing twice is no error."""
    return replace(leases, held={key: lease for key, lease in leases.held.items() if key != session_id})


def expired(leases: Leases, *, now_s: float, busy: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Sessions that nobody has used for their whole time; one that is at work (``busy``) is in use whatever the
    clock says."""
    return tuple(
        key for key, lease in leases.held.items() if key not in busy and now_s - lease.used_at_s >= lease.ttl_s
    )


def overdue(leases: Leases, *, now_s: float, opening: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Sessions that have been held for as long as they may be, at work or not; what is ``opening`` is not held yet."""
    return tuple(
        key for key, lease in leases.held.items() if key not in opening and now_s - lease.began_at_s >= lease.max_s
    )

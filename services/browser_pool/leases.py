"""Which sessions are leased, for how long, and whether there is room for another."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Lease:
    """One leased session. It expires ``ttl_s`` seconds after ``used_at_s``, its last use or heartbeat, and at the
    latest ``max_s`` seconds after ``began_at_s``."""

    session_id: str
    ttl_s: float
    used_at_s: float
    max_s: float = float("inf")
    began_at_s: float = 0.0


@dataclass(frozen=True)
class Leases:
    """All leases of this process. ``short_of_memory``: the machine lacks the memory for another session."""

    capacity: int
    held: dict[str, Lease] = field(default_factory=dict[str, Lease])
    short_of_memory: bool = False


def is_full(leases: Leases) -> bool:
    """Return whether no further lease is possible. One always is: a pool that waited for memory used by another process
    would never serve."""
    return len(leases.held) >= leases.capacity or (leases.short_of_memory and bool(leases.held))


def take(leases: Leases, session_id: str, *, ttl_s: float, now_s: float, max_s: float = float("inf")) -> Leases | None:
    """Return the leases with one more, or None when there is no room."""
    if is_full(leases):
        return None
    return replace(leases, held={**leases.held, session_id: Lease(session_id, ttl_s, now_s, max_s, now_s)})


def touch(leases: Leases, session_id: str, *, now_s: float) -> Leases:
    """Return the leases with the time of this one renewed. An unknown session stays unknown."""
    lease = leases.held.get(session_id)
    if lease is None:
        return leases
    return replace(leases, held={**leases.held, session_id: replace(lease, used_at_s=now_s)})


def release(leases: Leases, session_id: str) -> Leases:
    """Return the leases without this one. Idempotent."""
    return replace(leases, held={key: lease for key, lease in leases.held.items() if key != session_id})


def expired(leases: Leases, *, now_s: float, busy: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the sessions that were unused for their whole time to live; ``busy`` ones are in use whatever the clock
    says."""
    return tuple(
        key for key, lease in leases.held.items() if key not in busy and now_s - lease.used_at_s >= lease.ttl_s
    )


def overdue(leases: Leases, *, now_s: float, opening: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the sessions that reached their maximum age, busy or not; ``opening`` ones do not count."""
    return tuple(
        key for key, lease in leases.held.items() if key not in opening and now_s - lease.began_at_s >= lease.max_s
    )

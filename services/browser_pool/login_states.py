"""Login states: whether one may be used, by how many sessions at a time, and the pause after a login wall."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import msgspec

from services.browser_pool.login_hosts import login_refusal
from services.browser_pool.safety.politeness import Slot
from shared.bus.ports import Records
from shared.contracts.base import Part
from shared.contracts.browser.logins import CheckAccess
from shared.contracts.browser_pool import ProfilePaused
from shared.contracts.discovery import Problem
from shared.errors import PermanentError
from shared.streams import AUTH_PROFILES, AUTH_SESSIONS

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LoginState:
    """A recorded login state, the SHA-256 of its file, and the hosts that it is for."""

    name: str
    path: Path
    sha256: str
    hosts: tuple[str, ...] = ()


class LoginStore(Protocol):
    """Recorded login states. Their contents are secrets and leave this process for the browser only."""

    async def find(self, name: str) -> LoginState:
        """Return the login state. Raises PermanentError (``no_auth_profile``), with how to record one, when it does not
        exist."""
        ...

    async def save(self, name: str, state: dict[str, Any]) -> str:
        """Replace the login state, as `with_hosts` gives it, and return the path of its file."""
        ...


class PausedProfile(Part, frozen=True, kw_only=True):
    """A login state with this content has met a login wall. A newer recording has another hash and is not paused."""

    reason: str
    at: datetime
    sha256: str


async def pause_refusal(login: LoginState, records: Records) -> ProfilePaused | None:
    """Return why this login state is not handed out, or None."""
    known: PausedProfile | None = await records.read(AUTH_PROFILES, login.name, PausedProfile)
    if known is None or known.sha256 != login.sha256:
        return None
    told = (
        f"the login state {login.name!r} met a login wall at {known.at:%Y-%m-%d %H:%M} UTC: {known.reason}. "
        f"Record it again with `exhibit login {login.name} URL`; the run then goes on with `exhibit run --resume`"
    )
    return ProfilePaused(auth_profile=login.name, reason=told)


async def pause(login: LoginState, reason: str, at: datetime, records: Records) -> None:
    """Pause this login state until it is recorded again. The first reason is kept."""
    stored = PausedProfile(reason=reason[:500], at=at, sha256=login.sha256)

    def unless_paused(known: PausedProfile | None) -> PausedProfile | None:
        return None if known is not None and known.sha256 == login.sha256 else stored

    if await records.modify(AUTH_PROFILES, login.name, PausedProfile, unless_paused) is not None:
        log.warning("the login state %s is paused: record it again with exhibit login", login.name)


# --- how many sessions use one at a time, over all pools


class ProfileSessions(Part, frozen=True, kw_only=True):
    """The sessions that use a login state. One that is not renewed expires, because its pool may have died."""

    slots: tuple[Slot, ...] = ()


def with_session(known: ProfileSessions, session_id: str, most: int, *, now: float, hold_s: float) -> ProfileSessions:
    """Return the sessions with this one until ``now + hold_s``, or without it if there are as many as may be.

    ``now``: seconds since the epoch. ``most`` 0: no limit.
    """
    others = tuple(slot for slot in known.slots if slot.until > now and slot.owner != session_id)
    if most and len(others) >= most:
        return ProfileSessions(slots=others)
    return ProfileSessions(slots=(*others, Slot(owner=session_id, until=now + hold_s)))


def has_session(known: ProfileSessions, session_id: str) -> bool:
    """Return whether the session is one of them."""
    return any(slot.owner == session_id for slot in known.slots)


async def use(name: str, session_id: str, most: int, records: Records, *, now: float, hold_s: float) -> bool:
    """Count a session of this login state, or renew it. Return False if as many as may be are at work."""
    taken = False

    def counted(known: ProfileSessions | None) -> ProfileSessions | None:
        nonlocal taken
        after = with_session(known or ProfileSessions(), session_id, most, now=now, hold_s=hold_s)
        taken = has_session(after, session_id)
        return after if taken else None

    await records.modify(AUTH_SESSIONS, name, ProfileSessions, counted)
    return taken


async def end_use(name: str, session_id: str, records: Records) -> None:
    """Count the session no more. Idempotent."""

    def without(known: ProfileSessions | None) -> ProfileSessions | None:
        if known is None or not has_session(known, session_id):
            return None
        return msgspec.structs.replace(known, slots=tuple(one for one in known.slots if one.owner != session_id))

    await records.modify(AUTH_SESSIONS, name, ProfileSessions, without)


def refuse_elsewhere(login: LoginState, allowed: tuple[str, ...]) -> None:
    """Raise PermanentError (``policy_denied``) for a session that may open none of the hosts of the login state."""
    refusal = login_refusal(login.name, login.hosts, allowed)
    if refusal:
        raise PermanentError(refusal, code="policy_denied")


async def access_problems(
    request: CheckAccess, logins: LoginStore, secret_problems: tuple[str, ...]
) -> tuple[Problem, ...]:
    """Return what a run would lack. A paused login state is no problem: its samples wait, others do not need it."""
    problems = [Problem(where="secrets", message=message) for message in secret_problems]
    if request.auth_profile is not None:
        try:
            refuse_elsewhere(await logins.find(request.auth_profile), request.hosts)
        except PermanentError as exc:
            problems.insert(0, Problem(where="auth_profile", message=str(exc)))
    return tuple(problems)

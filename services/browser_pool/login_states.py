"""Login states: whether one may be used, and the pause after one has met a login wall."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from shared.bus.ports import Records
from shared.contracts.base import Part
from shared.contracts.browser_pool import CheckAccess, ProfilePaused
from shared.contracts.discovery import Problem
from shared.errors import PermanentError
from shared.streams import AUTH_PROFILES

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LoginState:
    """A recorded login state and the SHA-256 of its file."""

    name: str
    path: Path
    sha256: str


class LoginStore(Protocol):
    """Recorded login states. Their contents are secrets and leave this process for the browser only."""

    async def find(self, name: str) -> LoginState:
        """Return the login state. Raises PermanentError (``no_auth_profile``), with how to record one, when it does not
        exist."""
        ...

    async def save(self, name: str, state: dict[str, Any]) -> str:
        """Replace the login state and return the path of its file."""
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
        log.warning("the login state %s is paused: %s", login.name, reason)


async def access_problems(
    request: CheckAccess, logins: LoginStore, missing_secrets: tuple[str, ...]
) -> tuple[Problem, ...]:
    """Return what a run would lack. A paused login state is no problem: its samples wait, others do not need it."""
    problems = [
        Problem(where="secrets", message=f"the browser pool knows no secret {name!r}") for name in missing_secrets
    ]
    if request.auth_profile is not None:
        try:
            await logins.find(request.auth_profile)
        except PermanentError as exc:
            problems.insert(0, Problem(where="auth_profile", message=str(exc)))
    return tuple(problems)

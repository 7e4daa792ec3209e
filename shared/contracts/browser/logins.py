"""Messages of browser_pool about login states and secrets: whether they are there, and saving a login state."""

from __future__ import annotations

from shared.contracts.base import Message
from shared.contracts.discovery import Problem


class CheckAccess(Message, frozen=True, kw_only=True):
    """Request to check, before a run starts, that its login state and secrets exist, and are for ``hosts``, if any."""

    auth_profile: str | None = None
    secrets: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


class AccessChecked(Message, frozen=True, kw_only=True):
    """``problems``: what is missing or refused, and what to do; ``where`` is ``auth_profile`` or ``secrets``."""

    problems: tuple[Problem, ...] = ()


class SaveProfile(Message, frozen=True, kw_only=True):
    """Request to save the login state of this session under this name. It is a secret: it is never sent on the bus."""

    session_id: str
    instance_id: str
    auth_profile: str


class ProfileSaved(Message, frozen=True, kw_only=True):
    """``path``: file on the browser pool's machine. ``cookies``: how many were saved. ``origins``: how many sites have
    other browser storage. ``hosts``: the rules of the hosts that it is for."""

    auth_profile: str
    path: str
    cookies: int
    origins: int
    hosts: tuple[str, ...] = ()


class NothingToSave(Message, frozen=True, kw_only=True):
    """The session has neither cookies nor storage, so there is no login. An earlier login state is left unchanged."""

    auth_profile: str


SaveReply = ProfileSaved | NothingToSave

"""What the browser pool's decisions need of a browser and of the bus, as Protocols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from services.browser_pool.page import RawPage
from shared.contracts.actions import ActionResult, BrowserAction
from shared.contracts.browser_pool import Politeness
from shared.subjects import Ask


@dataclass(frozen=True)
class Capture:
    """What an action brought, not yet stored: bytes, or a file on disk that whoever stores it then removes."""

    kind: Literal["screenshot", "download"]
    label: str
    media_type: str
    suffix: str
    data: bytes | Path
    source_url: str
    original_name: str | None = None
    text_preview: str | None = None
    part: int = 1
    parts: int = 1


@dataclass(frozen=True)
class Acted:
    result: ActionResult
    captures: tuple[Capture, ...] = ()


@dataclass(frozen=True)
class Terms:
    """On which a session is opened. See LeaseSession for ``allowed_hosts`` and ``private_hosts``."""

    auth_profile: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    private_hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    politeness: Politeness = field(default_factory=Politeness)


class BrowserSession(Protocol):
    """One isolated context with its page. Both calls raise Unavailable with the code ``session_lost`` when the
    browser or the page is gone; nothing else that a page does is an error of `act`."""

    @property
    def lost(self) -> bool: ...
    @property
    def hidden(self) -> frozenset[str]:
        """Secrets that must not stand in anything that leaves the pool."""
        ...

    async def observe(
        self,
        snapshot_id: str,
        *,
        keywords: Sequence[str] = (),
        max_tokens: int = 6000,
        locators: bool = False,
        since: str | None = None,
    ) -> RawPage:
        """What is on the page, within a budget of tokens. See ObservePage."""
        ...

    async def act(self, action: BrowserAction) -> Acted: ...
    async def login_state(self) -> dict[str, Any]:
        """Cookies and storage, as a login state is recorded: ``cookies`` and ``origins``. They are secrets."""
        ...

    async def close(self) -> None:
        """Closes context and pages; closing twice, or what is dead already, is no error."""
        ...


class BrowserPort(Protocol):
    async def open_session(self, terms: Terms) -> BrowserSession:
        """A fresh context. Unavailable when no browser can be started, PermanentError (``no_auth_profile``)
        when the login state it is to begin with does not exist."""
        ...

    @property
    def name(self) -> str:
        """Name and version, once a session has been opened."""
        ...

    async def close(self) -> None: ...


class Gate(Protocol):
    async def set_open(self, subject: Ask[Any, Any], is_open: bool) -> None:
        """Opens or closes a gated route of this process."""
        ...

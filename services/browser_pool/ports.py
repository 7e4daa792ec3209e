"""What the browser pool's decisions need of a browser and of the bus, as Protocols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol

from services.browser_pool.page.model import RawPage, Seen
from shared.contracts.actions import BrowserAction
from shared.contracts.browser_pool import Politeness, Sought
from shared.contracts.error_codes import RestoreCode
from shared.contracts.results import ActionResult, Box, Viewport
from shared.subjects import Ask


@dataclass(frozen=True)
class Capture:
    """What an action brought, not yet stored: bytes, or a file on disk that whoever stores it then removes."""

    kind: Literal["screenshot", "download", "page", "observation"]
    label: str
    media_type: str
    suffix: str
    data: bytes | Path
    source_url: str
    original_name: str | None = None
    text_preview: str | None = None
    part: int = 1
    parts: int = 1
    area: Box | None = None


@dataclass(frozen=True)
class WantedRefs:
    """Elements of an earlier look, by their refs in it."""

    snapshot_id: str = ""
    refs: tuple[int, ...] = ()


NOTHING = WantedRefs()


@dataclass(frozen=True)
class PageCapture:
    """A page at one moment: all that is seen of it, and itself. ``file`` (MHTML) is None where it is ``known`` already,
    or where ``problems`` say why it could not be had. ``secrets`` stand in the page's own secret fields: they must not
    stand in what is stored. ``found``: what was wanted, None where it is gone."""

    raw: RawPage
    sha256: str
    headers: tuple[tuple[str, str], ...]
    viewport: Viewport
    taken_at: datetime
    file: bytes | None
    problems: tuple[str, ...] = ()
    known: bool = False
    secrets: frozenset[str] = frozenset()
    found: tuple[tuple[int, Seen | None], ...] = ()


@dataclass(frozen=True)
class CaptureFailed:
    """The page could not even be looked at, and why."""

    problem: str


@dataclass(frozen=True)
class PerformedAction:
    """``page``: what the pictures among the captures were taken of."""

    result: ActionResult
    captures: tuple[Capture, ...] = ()
    page: PageCapture | CaptureFailed | None = None


@dataclass(frozen=True)
class SessionTerms:
    """On which a session is opened. See LeaseSession for ``allowed_hosts`` and ``private_hosts``."""

    auth_profile: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    private_hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    politeness: Politeness = field(default_factory=Politeness)


@dataclass(frozen=True)
class RestoreRequest:
    """A stored page to be opened again (``packed``: MHTML, zstd, of the hash that was recorded) and what is to be seen
    of it; see RestorePage."""

    packed: bytes
    snapshot_id: str
    keywords: tuple[str, ...] = ()
    max_tokens: int = 6000
    sought: tuple[Sought, ...] = ()


@dataclass(frozen=True)
class RestoreRefused:
    """See PageNotRestored."""

    code: RestoreCode
    message: str


class BrowserSession(Protocol):
    """One isolated context with its page. The calls raise Unavailable with the code ``session_lost`` when the
    browser or the page is gone; nothing else that a page does is an error of `act`."""

    @property
    def lost(self) -> bool: ...
    @property
    def hidden(self) -> frozenset[str]:
        """Secrets that must not stand in anything that leaves the pool."""
        ...

    @property
    def spent_ms(self) -> float:
        """What the browser was waited for in the last call."""
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

    async def act(self, action: BrowserAction) -> PerformedAction: ...
    async def restore(self, asked: RestoreRequest) -> RawPage | RestoreRefused:
        """Opens a stored page, without network and scripts; from then on the session opens nothing else."""
        ...

    async def capture(self, known: Sequence[str] = (), wanted: WantedRefs = NOTHING) -> PageCapture | CaptureFailed:
        """The page as it is now. ``known``: hashes of observations; a page with one of these is looked at, and not
        kept once more."""
        ...

    async def login_state(self) -> dict[str, Any]:
        """Cookies and storage, as a login state is recorded: ``cookies`` and ``origins``. They are secrets."""
        ...

    async def close(self) -> None:
        """Closes context and pages; closing twice, or what is dead already, is no error."""
        ...


class BrowserPort(Protocol):
    async def open_session(self, terms: SessionTerms) -> BrowserSession:
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

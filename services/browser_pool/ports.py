"""What the browser pool needs of a browser and of the bus, as Protocols and the data they exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol

from services.browser_pool.page.model import RawPage, Seen
from shared.bus.instance_use import InstanceUseOf
from shared.bus.ports import Seats
from shared.contracts.actions import BrowserAction
from shared.contracts.browser.responses import ApiHeader, FetchCode
from shared.contracts.browser.stored_pages import Sought
from shared.contracts.browser_pool import Politeness
from shared.contracts.error_codes import RestoreCode
from shared.contracts.results import ActionResult, Box, FileContent, Ink, Viewport
from shared.subjects import Ask


@dataclass(frozen=True)
class Capture:
    """Captured bytes that are not yet stored, or a file on disk that the caller removes after storing it."""

    kind: Literal["screenshot", "download", "page", "observation", "step", "response"]
    label: str
    media_type: str
    suffix: str
    data: bytes | Path
    source_url: str
    original_name: str | None = None
    text_preview: str | None = None
    content: FileContent | None = None
    part: int = 1
    parts: int = 1
    area: Box | None = None
    of_values: bool = False


@dataclass(frozen=True)
class WantedRefs:
    """Elements of an earlier snapshot, by their refs in it. ``pictures``: hashes of earlier pictures of the page; each
    element is then found on one of them, or on another that is taken."""

    snapshot_id: str = ""
    refs: tuple[int, ...] = ()
    pictures: tuple[str, ...] = ()


NOTHING = WantedRefs()


@dataclass(frozen=True)
class OnPicture:
    """Where an element is: on the picture with this hash, at ``box``. An empty hash: on none."""

    sha256: str
    box: Box | None = None


@dataclass(frozen=True)
class PageCapture:
    """A page at one moment: its elements and its file.

    ``file`` (MHTML) is None when the page is already ``known``, or when ``problems`` say why it could not be written.
        ``secrets`` are the contents of the page's own secret fields; they must not be stored. ``found`` holds each
        wanted ref with its element, None when it is gone; ``ink`` what a picture shows of them, by ref; ``on_picture``
        on which picture they are, of those for which one was looked for. ``pictures`` were taken for them.
    """

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
    ink: Mapping[int, Ink] = field(default_factory=dict[int, Ink])
    on_picture: Mapping[int, OnPicture] = field(default_factory=dict[int, OnPicture])
    pictures: tuple[Capture, ...] = ()


@dataclass(frozen=True)
class CaptureFailed:
    """The page could not be read, and why."""

    problem: str


@dataclass(frozen=True)
class PerformedAction:
    """The result of an action. ``page`` is the page that the pictures among ``captures`` were taken of."""

    result: ActionResult
    captures: tuple[Capture, ...] = ()
    page: PageCapture | CaptureFailed | None = None


@dataclass(frozen=True)
class SessionTerms:
    """The terms on which a session is opened. LeaseSession documents the hosts."""

    auth_profile: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    private_hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    politeness: Politeness = field(default_factory=Politeness)


@dataclass(frozen=True)
class RestoreRequest:
    """A stored page to open again. ``packed`` is MHTML compressed with zstd, with the recorded hash; RestorePage
    documents the other fields."""

    packed: bytes
    snapshot_id: str
    keywords: tuple[str, ...] = ()
    max_tokens: int = 6000
    sought: tuple[Sought, ...] = ()


@dataclass(frozen=True)
class RestoredPage:
    """A stored page as it reads now. ``ink``: see PageRestored, by ref."""

    raw: RawPage
    ink: Mapping[int, Ink] = field(default_factory=dict[int, Ink])


@dataclass(frozen=True)
class RestoreRefused:
    """See PageNotRestored."""

    code: RestoreCode
    message: str


@dataclass(frozen=True)
class ApiRequest:
    """A response to fetch; see FetchResponse."""

    url: str
    headers: tuple[ApiHeader, ...] = ()
    timeout_s: float = 20.0


@dataclass(frozen=True)
class ApiResponse:
    """A complete response of an API."""

    status: int
    content_type: str
    body: bytes


@dataclass(frozen=True)
class FetchRefused:
    """See ResponseNotFetched."""

    code: FetchCode
    message: str


@dataclass(frozen=True)
class LiveFrame:
    """What a page looks like now; see PageShown."""

    number: int
    picture: bytes
    width: float
    height: float
    scroll_x: float
    scroll_y: float
    url: str
    taken_at: datetime
    covered: int = 0


class BrowserSession(Protocol):
    """One isolated context with its page.

    Every call raises Unavailable (``session_lost``) when the browser or the page is gone. Everything else that a page
    does is part of the result of `act`.
    """

    @property
    def lost(self) -> bool: ...
    @property
    def hidden(self) -> frozenset[str]:
        """Secrets that must not be part of anything that leaves the pool."""
        ...

    @property
    def spent_ms(self) -> float:
        """Time the browser took for the last call."""
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
        """Return the page within a budget of tokens. See ObservePage."""
        ...

    async def act(
        self,
        action: BrowserAction,
        *,
        step_picture: bool = False,
        named: tuple[str, ...] | None = None,
        once: bool = False,
    ) -> PerformedAction:
        """Perform the action. ``step_picture``, ``named``, ``once``: see ActOnPage; None: nothing is withheld."""
        ...

    async def restore(self, asked: RestoreRequest) -> RestoredPage | RestoreRefused:
        """Open a stored page without network and scripts. The session opens nothing else afterwards."""
        ...

    async def capture(self, known: Sequence[str] = (), wanted: WantedRefs = NOTHING) -> PageCapture | CaptureFailed:
        """Return the page as it is now. A page whose observation hash is among ``known`` is not written to a file
        again."""
        ...

    async def take_step_picture(self) -> Capture | None:
        """Return a small picture of the view; None where the page is not drawn in time."""
        ...

    async def watch(self, after: int, wait_s: float, gap_s: float) -> LiveFrame | str:
        """Return the next picture after number ``after`` of the page as it is drawn, ``gap_s`` after the last one at
        the earliest; without one within ``wait_s``, why there is none: empty where the page stands still. It needs no
        lock: it is also called during an action."""
        ...

    async def fetch(self, request: ApiRequest) -> ApiResponse | FetchRefused:
        """Ask an API under the rules of the session. The browser is not used."""
        ...

    async def login_state(self) -> dict[str, Any]:
        """Return ``cookies`` and ``origins`` as Playwright records them. They are secrets."""
        ...

    async def close(self) -> None:
        """Close the context and its pages. Idempotent."""
        ...


class BrowserPort(Protocol):
    async def open_session(self, terms: SessionTerms) -> BrowserSession:
        """Return a session on a fresh context.

        Raises Unavailable when no browser starts, PermanentError (``no_auth_profile``) when the login state does not
        exist.
        """
        ...

    async def try_page(self) -> None:
        """Open a page beside those of the sessions, and close it. Raises Unavailable (``no_browser``) where that
        fails."""
        ...

    @property
    def name(self) -> str:
        """Name and version of the browser; empty before the first session."""
        ...

    async def close(self) -> None: ...


class Gate(Seats, Protocol):
    async def set_open(self, subject: Ask[Any, Any], is_open: bool) -> None:
        """Open or close a gated route of this process."""
        ...

    def tell_use(self, what: InstanceUseOf, in_use: int, most: int) -> None:
        """Note how much of what this process can do at a time is in use, for who asks how the fleet is."""
        ...

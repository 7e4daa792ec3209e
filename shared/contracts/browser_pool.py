"""Owned by browser_pool: leasing a session, looking at its page, acting on it."""

from __future__ import annotations

from shared.contracts.actions import BrowserAction
from shared.contracts.base import Message, Part
from shared.contracts.codes import OpenCode
from shared.contracts.discovery import Problem
from shared.contracts.error_codes import RestoreCode
from shared.contracts.results import ActionResult, Artifact, Box, Locator


class Politeness(Part, frozen=True, kw_only=True):
    """How a registrable domain is treated by all pools together; None leaves it to the pool's settings."""

    interval_s: float | None = None
    """Least time between two documents asked of it."""
    max_in_flight: int | None = None
    """Most documents that may be on their way from it at a time; 0 is no limit."""


class LeaseSession(Message, frozen=True, kw_only=True):
    """A fresh, isolated browser context for one sample, for ``ttl_s`` seconds after the last use or heartbeat,
    and never for longer than ``max_s``.

    ``allowed_hosts``: where it may navigate, as ``host``, ``host:port`` or ``*.domain``; none: to the host of the
    first address that is opened. ``private_hosts``: which of them may be private or link-local addresses.
    ``secrets``: names of secrets it may type.
    """

    run_id: str
    sample_id: str
    ttl_s: float = 120.0
    max_s: float = 6 * 3600.0
    auth_profile: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    private_hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    politeness: Politeness = Politeness()


class SessionLeased(Message, frozen=True, kw_only=True):
    """``instance_id`` is the pool process that holds the session and answers for it."""

    session_id: str
    instance_id: str
    browser: str
    """Name and version, as the browser gives them."""


class NoSessionFree(Message, frozen=True, kw_only=True):
    retry_after_s: float


class ProfilePaused(Message, frozen=True, kw_only=True):
    """The login state has met a login wall: no session gets it until it has been recorded again."""

    auth_profile: str
    reason: str


LeaseReply = SessionLeased | NoSessionFree | ProfilePaused


class KeepSession(Message, frozen=True, kw_only=True):
    """A heartbeat: whoever holds the session is still there, however long it thinks."""

    session_id: str
    instance_id: str


class SessionKept(Message, frozen=True, kw_only=True):
    session_id: str


class CheckAccess(Message, frozen=True, kw_only=True):
    """Before a run starts: is what its sessions will need there?"""

    auth_profile: str | None = None
    secrets: tuple[str, ...] = ()


class AccessChecked(Message, frozen=True, kw_only=True):
    """``problems``: what is missing, in words that say what to do; ``where`` is ``auth_profile`` or ``secrets``.
    None: all is there."""

    problems: tuple[Problem, ...] = ()


class SaveProfile(Message, frozen=True, kw_only=True):
    """Record what this session is logged in with under this name. It is a secret, so it never travels."""

    session_id: str
    instance_id: str
    auth_profile: str


class ProfileSaved(Message, frozen=True, kw_only=True):
    """``path`` is on the machine of the browser pool. ``origins``: sites that keep something in the browser besides
    cookies."""

    auth_profile: str
    path: str
    cookies: int
    origins: int


class NothingToSave(Message, frozen=True, kw_only=True):
    """The session has neither cookies nor storage: nobody is logged in. What was recorded before is left as it is."""

    auth_profile: str


SaveReply = ProfileSaved | NothingToSave


class ObservePage(Message, frozen=True, kw_only=True):
    """Show me the page. Everything that matches ``keywords`` is kept whatever the budget."""

    session_id: str
    instance_id: str
    keywords: tuple[str, ...] = ()
    max_tokens: int = 6000
    locators: bool = False
    """Whether each element shown carries the locators that find it, with their match counts."""
    since: str | None = None
    """An earlier snapshot of this session: the answer then says what is different (``difference``)."""


class Element(Part, frozen=True, kw_only=True):
    """One thing on the page, in document order; the parts of a frame come after all of its parent's.

    ``header`` is what names a value: the ``dt`` of a ``dd``; the row header of a cell, or its column header in
    a grid with several values a row. A cell that is wholly one link is a link with that header; an empty one
    is kept with an empty name. ``row`` numbers table rows within the snapshot: the cells of one row share it.

    ``title`` is what the markup says beside the name, where it adds to it: the ``datetime`` of a ``time`` ("3 days
    ago"), the ``value`` of a ``data``, else the ``title`` (of an ``abbr`` too) or ``aria-label``; of the element
    itself, or of the one inside or around it that holds exactly this text.
    """

    ref: int
    role: str
    name: str
    value: str | None = None
    states: tuple[str, ...] = ()
    url: str | None = None
    tag: str = ""
    header: str | None = None
    row: int | None = None
    level: int | None = None
    box: Box | None = None
    in_viewport: bool = True
    in_dialog: bool = False
    """Inside a dialog, or a banner that lies over the page."""
    covered_by: str | None = None
    """What a click in its middle would really hit, where that is neither it nor a part of it."""
    frame: str = "main"
    fingerprint: str = ""
    """As in :class:`shared.contracts.results.TargetFound`: stable across page loads."""
    locators: tuple[Locator, ...] = ()
    title: str | None = None
    area: str = ""
    """The part of the page it stands in: main, navigation, banner, contentinfo, complementary, search; or ``pager``,
    where something small is named or classed as what turns pages."""
    turn: str = ""
    """``next`` or ``prev``, where a link says so of itself (``rel``)."""
    place: str = ""
    """The end of the path of tags that leads to it, such as ``ul>li>h3>a``: equal for what repeats on a page."""
    look: int = 0
    """Above 0: a small picture without any name (role ``img``) beside the text of a record. Those with equal numbers
    are drawn alike in this snapshot, so one answer about a picture holds for them all."""


class Tab(Part, frozen=True, kw_only=True):
    """A tab of the session, numbered from 1 in the order in which they were opened."""

    number: int
    title: str
    url: str
    active: bool


class PageObserved(Message, frozen=True, kw_only=True):
    """A snapshot. ``text`` is what a model is shown; ``elements`` are the same things for programs."""

    snapshot_id: str
    url: str
    title: str
    http_status: int | None
    elements: tuple[Element, ...]
    text: str
    sha256: str
    """Over URL, title and all elements without refs, whatever the budget: equal pages have equal hashes."""
    dom_confidence: float
    total_elements: int
    left_out: int
    """Elements of the page that did not fit the budget; ``text`` says so too."""
    scroll_y_px: float
    scroll_max_y_px: float
    settled: bool
    """False: the page was still changing when the bound on waiting was reached."""
    browser_ms: float
    triggers: tuple[str, ...] = ()
    """Why the structure cannot be trusted whatever the formula says: empty, canvas, pictures, unnamed,
    icons, unread_frame."""
    tabs: tuple[Tab, ...] = ()
    """All tabs, where there are several."""
    dialog: str | None = None
    """The JavaScript dialog that waits for an answer: the page itself cannot be read until then."""
    difference: str | None = None
    """Against the snapshot named in ``since``: lines that begin with ``+``, ``-`` or ``~``; empty: none."""
    lang: str = ""
    """The language that the document says it is in (``pt-BR``); empty where it says none."""


class ActOnPage(Message, frozen=True, kw_only=True):
    session_id: str
    instance_id: str
    action: BrowserAction


class CapturePage(Message, frozen=True, kw_only=True):
    """Keep the page as it is now: itself and what is observed of it. ``snapshot_id`` and ``refs`` name elements, of an
    earlier look, of which the locators are wanted too.

    ``known`` are the ``observation_sha256`` of captures that are kept already: an equal page is not kept once more.
    """

    session_id: str
    instance_id: str
    label: str
    snapshot_id: str = ""
    refs: tuple[int, ...] = ()
    known: tuple[str, ...] = ()


class ElementFound(Part, frozen=True, kw_only=True):
    """An element of an earlier look as it is now, with its locators: the same one, or, where the page was drawn anew,
    the only one of its frame that says exactly the same. ``element`` is None where it is gone; its own ``ref`` is that
    of the stored observation."""

    ref: int
    element: Element | None = None


class PageCaptured(Message, frozen=True, kw_only=True):
    """``observation_sha256`` of the page now, empty where it could not be looked at; ``artifacts`` are empty where it
    is one of the ``known`` ones. ``problems`` say what of it is not kept, and why."""

    observation_sha256: str
    artifacts: tuple[Artifact, ...] = ()
    found: tuple[ElementFound, ...] = ()
    problems: tuple[str, ...] = ()
    browser_ms: float = 0.0


class Sought(Part, frozen=True, kw_only=True):
    """An element as it was recorded, to be looked for again."""

    fingerprint: str = ""
    locators: tuple[Locator, ...] = ()


class RestorePage(Message, frozen=True, kw_only=True):
    """Open a stored page (MHTML, zstd) that lies in the ANSWERS bucket under ``blob``, without any network and without
    scripts, in a session that has opened nothing yet or only stored pages, and look at it.

    ``sha256`` and ``size_bytes`` are those that were recorded of it. What the locators of ``sought`` lead to, and what
    matches ``keywords``, is told whatever the budget, with locators.
    """

    session_id: str
    instance_id: str
    blob: str
    sha256: str
    size_bytes: int
    keywords: tuple[str, ...] = ()
    max_tokens: int = 6000
    sought: tuple[Sought, ...] = ()


class PageRestored(Message, frozen=True, kw_only=True):
    """``page`` bears the addresses that the page and its frames had when it was stored. What a stored page does not
    hold is not in it either: what was typed or chosen in forms, whether they could be used, and its HTTP status; so its
    hash is its own."""

    page: PageObserved


class PageNotRestored(Message, frozen=True, kw_only=True):
    """Why a stored page was not opened."""

    code: OpenCode[RestoreCode]
    message: str


RestoreReply = PageRestored | PageNotRestored


class ReleaseSession(Message, frozen=True, kw_only=True):
    session_id: str
    instance_id: str
    login_wall: str = ""
    """Where the session's login state no longer opened the door: what the page said. The profile is then paused."""


class SessionReleased(Message, frozen=True, kw_only=True):
    session_id: str


__all__ = [
    "AccessChecked",
    "ActOnPage",
    "ActionResult",
    "CapturePage",
    "CheckAccess",
    "Element",
    "ElementFound",
    "KeepSession",
    "LeaseReply",
    "LeaseSession",
    "NoSessionFree",
    "NothingToSave",
    "ObservePage",
    "PageCaptured",
    "PageNotRestored",
    "PageObserved",
    "PageRestored",
    "Politeness",
    "ProfilePaused",
    "ProfileSaved",
    "ReleaseSession",
    "RestorePage",
    "RestoreReply",
    "SaveProfile",
    "SaveReply",
    "SessionKept",
    "SessionLeased",
    "SessionReleased",
    "Sought",
    "Tab",
]

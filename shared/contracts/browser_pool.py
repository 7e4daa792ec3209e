"""Messages of browser_pool: leases of browser sessions, observations of their pages, and actions on them."""

from __future__ import annotations

from shared.contracts.actions import BrowserAction
from shared.contracts.base import Message, Part
from shared.contracts.results import ActionResult, Artifact, Box, Ink, Locator, TextPart


class Politeness(Part, frozen=True, kw_only=True):
    """Rate limits for a registrable domain, shared by all pools. None: the pool's settings apply."""

    interval_s: float | None = None
    """Least time between two document requests to the domain."""
    max_in_flight: int | None = None
    """Most concurrent document requests to the domain; 0: no limit."""


class LeaseSession(Message, frozen=True, kw_only=True):
    """Request to lease a new, isolated browser context for one sample.

    The lease expires ``ttl_s`` seconds after the last use or heartbeat, and after ``max_s`` seconds in any case.
    ``allowed_hosts``: hosts that the session may open, as ``host``, ``host:port`` or ``*.domain``; empty: the host
    of the first address that is opened. ``private_hosts``: those of them that may have private or link-local
    addresses. ``secrets``: names of the secrets that may be typed. ``auth_concurrency``: most sessions of all pools
    that use the login state; 0: no limit. ``guarded``: presses that are neither ``named`` nor reading are withheld."""

    run_id: str
    sample_id: str
    ttl_s: float = 120.0
    max_s: float = 6 * 3600.0
    auth_profile: str | None = None
    auth_concurrency: int = 0
    allowed_hosts: tuple[str, ...] = ()
    private_hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    politeness: Politeness = Politeness()
    guarded: bool = False


class SessionLeased(Message, frozen=True, kw_only=True):
    """A lease. ``instance_id``: the pool process that has the session and answers requests for it."""

    session_id: str
    instance_id: str
    browser: str
    """Name and version, as reported by the browser."""


class NoSessionFree(Message, frozen=True, kw_only=True):
    """All sessions are leased; the request can be repeated after ``retry_after_s`` seconds.

    ``auth_profile``: the login state that as many sessions use as may, whoever has a free session; else empty."""

    retry_after_s: float
    auth_profile: str = ""


class ProfilePaused(Message, frozen=True, kw_only=True):
    """The login state has met a login wall. No session can use it until it is recorded again."""

    auth_profile: str
    reason: str


LeaseReply = SessionLeased | NoSessionFree | ProfilePaused


class KeepSession(Message, frozen=True, kw_only=True):
    """Heartbeat that renews the lease of a session."""

    session_id: str
    instance_id: str


class SessionKept(Message, frozen=True, kw_only=True):
    """The lease was renewed."""

    session_id: str


class ObservePage(Message, frozen=True, kw_only=True):
    """Request to observe the page within ``max_tokens``. Elements that match ``keywords`` are always included."""

    session_id: str
    instance_id: str
    keywords: tuple[str, ...] = ()
    max_tokens: int = 6000
    locators: bool = False
    """Whether each element in the answer has its locators, with their match counts."""
    since: str | None = None
    """An earlier snapshot of this session; the answer's ``difference`` then compares the page with it."""
    images: bool = False
    """Whether ``text`` marks links and buttons of which the page shows a picture only, and no text of their name."""


HIDDEN_VALUE = "(hidden)"
"""Shown in place of a secret. Programs decide by :attr:`Element.secret`: a page can write this text itself."""


def cut_marker(cut_chars: int) -> str:
    """Return the end of a name that was cut. Programs decide by :attr:`Element.cut_chars`: a page can write it too."""
    return f" ... (+{cut_chars} characters: extract)"


class Element(Part, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One element of the page. Elements are in document order; those of a frame follow all of its parent frame.

    ``header``: the name of a value. It is the ``dt`` of a ``dd``, the row header of a cell, or the column header of a
    cell in a grid with several values in a row. A cell that contains only one link is a link with that header; an
    empty cell has an empty name. ``row``: number of the table row in the snapshot, equal for the cells of one row.

    ``states``: of a list of options, ``placeholder``: its text asks to choose; ``blank``: the chosen option has no
    value, or cannot be chosen, so that its text may stand for none.

    ``title``: text in the markup that adds to the name: the ``datetime`` of a ``time`` ("3 days ago"), the ``value``
    of a ``data``, else the ``title`` (also of an ``abbr``) or ``aria-label``. It is that of the element, or of an
    element inside or around it with exactly the same text."""

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
    """Inside a dialog, or inside a banner that covers part of the page."""
    covered_by: str | None = None
    """The element that a click in the middle would hit instead; None: the click hits this element or a part of it."""
    frame: str = "main"
    fingerprint: str = ""
    """As in :class:`shared.contracts.results.TargetFound`: stable across page loads."""
    locators: tuple[Locator, ...] = ()
    title: str | None = None
    area: str = ""
    """The landmark that contains it: main, navigation, banner, contentinfo, complementary, search; or ``pager`` for a
    small element with the name or class of a pagination control. In ``contentinfo`` is also the last block of a page
    that says whose the site is; in ``search`` a control of a form that only asks (sent by GET), or in the header of a
    table."""
    turn: str = ""
    """``next`` or ``prev``, from the ``rel`` of a link; else empty."""
    place: str = ""
    """The last part of its tag path, such as ``ul>li>h3>a``: equal for the repeated parts of a list."""
    look: int = 0
    """Above 0: a small picture without a name (role ``img``) beside the text of a record. Equal numbers look the same
    in this snapshot, so one answer about a picture is valid for all of them."""
    cut_chars: int = 0
    """Number of characters that are missing at the end of ``name``, which then ends with :func:`cut_marker`."""
    secret: bool = False
    """A field for a secret, such as a password; its ``value`` is then :data:`HIDDEN_VALUE`."""
    column: int | None = None
    """Number of the table column in its table, from 0."""
    rows: int = 1
    """How many table rows the cell is joined over, from ``row`` on."""
    parts: tuple[TextPart, ...] = ()
    """The separate texts of ``name``, in order: "Ann Lee" and the badge "Admin"; empty if it is one text."""
    past: bool = False
    """Inside a list of changes, comments or events."""
    before_blank: bool = False
    """The first of two cells or boxes, of which the second is there and shows nothing."""
    regions: tuple[str, ...] = ()
    """Names of the parts of the page that contain it, the innermost first: of tables by their caption, groups of fields
    by their legend, regions and others by their label."""
    hints: tuple[TextPart, ...] = ()
    """Words within ``name`` that have a title of their own: "3 years ago" in "by Ann, 3 years ago"."""
    unwritten: bool = False
    """A link or button whose name no text of the page shows: it is that of a title, or for screen readers only."""
    like_next: bool = False
    """The box after it is its sibling and looks the same: which of the two names the other, if any, is not told."""
    ends_group: bool = False
    """The last text of a box with several, where the next text stands in the next box of this kind."""

    scroller: int = 0
    """Number of the innermost part around it that scrolls by itself; 0: only the page does."""
    set_size: int = 0
    """How many items its list has (``aria-setsize``), or rows its table (``aria-rowcount``); 0: not told."""
    set_at: int = 0
    """Its place among them, from 1; 0: not told."""
    in_foot: bool = False
    """In the foot of a table (``tfoot``)."""


class Scroller(Part, frozen=True, kw_only=True):
    """A part of the page that scrolls up and down by itself: where it is, how far it can go, and where it is drawn.

    ``within``: the number of the one around it; 0: none."""

    number: int
    y_px: float
    max_y_px: float
    top_px: float
    height_px: float
    within: int = 0


class Tab(Part, frozen=True, kw_only=True):
    """A tab of the session. ``number``: from 1, in the order of opening."""

    number: int
    title: str
    url: str
    active: bool


class PageObserved(Message, frozen=True, kw_only=True):
    """A snapshot of the page. ``text`` is for models; ``elements`` is the same content for programs."""

    snapshot_id: str
    url: str
    title: str
    http_status: int | None
    elements: tuple[Element, ...]
    text: str
    sha256: str
    """SHA-256 of URL, title and all elements without refs, regardless of the budget: equal pages have equal hashes."""
    dom_confidence: float
    plain_confidence: float | None = None
    """By counts of elements alone, for comparison: nothing is decided by it. None: earlier versions had none."""
    total_elements: int
    left_out: int
    """Number of elements that did not fit the budget; ``text`` states it too."""
    scroll_y_px: float
    scroll_max_y_px: float
    settled: bool
    """False: the page was still changing at the timeout."""
    browser_ms: float
    triggers: tuple[str, ...] = ()
    """Why the page structure cannot be trusted: empty, canvas, pictures, unnamed, icons, unread_frame."""
    tabs: tuple[Tab, ...] = ()
    """All tabs, if there are several; else empty."""
    dialog: str | None = None
    """The open JavaScript dialog; the page cannot be read until it is answered."""
    difference: str | None = None
    """Changes from the snapshot in ``since``, as lines that begin with ``+``, ``-`` or ``~``; empty: no change."""
    lang: str = ""
    """The document's declared language (``pt-BR``); empty: none."""
    busy: bool = False
    """A visible part of the content is marked as still loading (``aria-busy``)."""
    idle: bool = False
    """It is complete, and no request, timer, connection or refresh is pending; False where that is not known."""
    scrollers: tuple[Scroller, ...] = ()
    """The parts around its elements that scroll by themselves."""
    awaits_data: bool = False
    """A request that it may be drawn from is in flight or has ended since it was read, or a timer is overdue."""
    awaited: tuple[str, ...] = ()
    """Three at most of its own requests, no polls or streams, whose answers may replace what it shows: ``GET URL``."""
    failed: tuple[str, ...] = ()
    """The same of those for data that were answered with an error of the site (5xx, 429), or not at all."""
    searched: tuple[str, ...] = ()
    """What was searched for, where the page is the answer and still shows that. The planner says so, no pool does."""


class ActOnPage(Message, frozen=True, kw_only=True):
    """Request for an action; an ActionResult answers. ``step_picture``: with one before. ``named``: names to press."""

    session_id: str
    instance_id: str
    action: BrowserAction
    step_picture: bool = False
    named: tuple[str, ...] = ()
    once: bool = False  # a press that cannot be undone: the form is looked at once more, without the focus


class CapturePage(Message, frozen=True, kw_only=True):
    """Request to store the page as it is now, with its observation.
    ``snapshot_id`` and ``refs``: elements of an earlier observation that are looked up on the page, with their
    locators. ``known``: ``observation_sha256`` of the captures stored so far; an equal page is not stored again.
    ``pictures``: hashes of pictures of the whole page that were taken of it; with any, each element that can be seen is
    found on one of them, or on a further picture. ``step_picture``: with a small picture of the view."""

    session_id: str
    instance_id: str
    label: str
    snapshot_id: str = ""
    refs: tuple[int, ...] = ()
    known: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    step_picture: bool = False


class ElementFound(Part, frozen=True, kw_only=True):
    """The current state of an element of an earlier observation, with its locators.

    ``ref``: its number in the earlier observation. ``element``: the same element or, if the page was rendered again,
    the only one in its frame with exactly the same text; its ``ref`` is that in the stored observation. None: the
    element is gone. ``ink``: what a picture of the page shows of its text; None where no text stands for it, as for the
    state of a check box, or where no picture could be taken. ``picture``: hash of a picture that shows it at
    ``on_picture``; empty: of none; None: no picture was looked for.
    """

    ref: int
    element: Element | None = None
    ink: Ink | None = None
    picture: str | None = None
    on_picture: Box | None = None


class PageCaptured(Message, frozen=True, kw_only=True):
    """Result of :class:`CapturePage`. ``observation_sha256``: of the page now; empty if it could not be observed.
    ``artifacts``: the stored files; empty if the page is ``known``. ``problems``: what was not stored, and why."""

    observation_sha256: str
    artifacts: tuple[Artifact, ...] = ()
    found: tuple[ElementFound, ...] = ()
    problems: tuple[str, ...] = ()
    browser_ms: float = 0.0


class ReleaseSession(Message, frozen=True, kw_only=True):
    """Request to end a lease and close its browser context."""

    session_id: str
    instance_id: str
    login_wall: str = ""
    """The page's text, if the session met a login wall in spite of its login state; the profile is then paused."""


class SessionReleased(Message, frozen=True, kw_only=True):
    """The session is closed."""

    session_id: str


__all__ = [
    "HIDDEN_VALUE",
    "ActOnPage",
    "ActionResult",
    "CapturePage",
    "Element",
    "ElementFound",
    "KeepSession",
    "LeaseReply",
    "LeaseSession",
    "NoSessionFree",
    "ObservePage",
    "PageCaptured",
    "PageObserved",
    "Politeness",
    "ProfilePaused",
    "ReleaseSession",
    "SessionKept",
    "SessionLeased",
    "SessionReleased",
    "Tab",
    "cut_marker",
]

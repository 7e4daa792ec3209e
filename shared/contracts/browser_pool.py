"""Owned by browser_pool: leasing a session, looking at its page, acting on it."""

from __future__ import annotations

from shared.contracts.actions import ActionResult, Box, BrowserAction
from shared.contracts.base import Message, Part


class LeaseSession(Message, frozen=True, kw_only=True):
    """A fresh, isolated browser context for one sample, for ``ttl_s`` seconds after the last use."""

    run_id: str
    sample_id: str
    ttl_s: float = 120.0
    auth_profile: str | None = None


class SessionLeased(Message, frozen=True, kw_only=True):
    """``instance_id`` is the pool process that holds the session and answers for it."""

    session_id: str
    instance_id: str
    browser: str
    """Name and version, as the browser gives them."""


class NoSessionFree(Message, frozen=True, kw_only=True):
    retry_after_s: float


LeaseReply = SessionLeased | NoSessionFree


class ObservePage(Message, frozen=True, kw_only=True):
    """Show me the page. Everything that matches ``keywords`` is kept whatever the budget."""

    session_id: str
    instance_id: str
    keywords: tuple[str, ...] = ()
    max_tokens: int = 6000


class Element(Part, frozen=True, kw_only=True):
    """One thing on the page, in document order; the parts of a frame come after all of its parent's.

    ``header`` is what names a value: the ``dt`` of a ``dd``; the row header of a cell, or its column header in
    a grid with several values a row. A cell that is wholly one link is a link with that header; an empty one
    is kept with an empty name. ``row`` numbers table rows within the snapshot: the cells of one row share it.
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
    frame: str = "main"


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


class ActOnPage(Message, frozen=True, kw_only=True):
    session_id: str
    instance_id: str
    action: BrowserAction


class ReleaseSession(Message, frozen=True, kw_only=True):
    session_id: str
    instance_id: str


class SessionReleased(Message, frozen=True, kw_only=True):
    session_id: str


__all__ = [
    "ActOnPage",
    "ActionResult",
    "Element",
    "LeaseReply",
    "LeaseSession",
    "NoSessionFree",
    "ObservePage",
    "PageObserved",
    "ReleaseSession",
    "SessionLeased",
    "SessionReleased",
]

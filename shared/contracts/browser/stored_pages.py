"""Messages of browser_pool: a stored page is opened again, and observed."""

from __future__ import annotations

from shared.contracts.base import Message, Part
from shared.contracts.browser_pool import PageObserved
from shared.contracts.codes import OpenCode
from shared.contracts.error_codes import RestoreCode
from shared.contracts.results import Ink, Locator


class Sought(Part, frozen=True, kw_only=True):
    """A recorded element to find again."""

    fingerprint: str = ""
    locators: tuple[Locator, ...] = ()


class RestorePage(Message, frozen=True, kw_only=True):
    """Request to open a stored page (MHTML, zstd) without network and scripts, and to observe it.

    ``blob``: its name in the ANSWERS bucket. ``sha256`` and ``size_bytes``: as recorded. The session must have opened
    nothing else than stored pages. Elements that match ``keywords`` or the locators of ``sought`` are always included
    in the observation, with locators.
    """

    session_id: str
    instance_id: str
    blob: str
    sha256: str
    size_bytes: int
    keywords: tuple[str, ...] = ()
    max_tokens: int = 6000
    sought: tuple[Sought, ...] = ()


class ElementInk(Part, frozen=True, kw_only=True):
    """What a picture of a page shows of the text of an element."""

    ref: int
    ink: Ink


class PageRestored(Message, frozen=True, kw_only=True):
    """The observation of a stored page, with the addresses that the page and its frames had when it was stored.

    A stored page lacks the state of form fields (typed text, choices, enabled or not) and the HTTP status. Therefore
    ``page.sha256`` differs from that of the live page.

    ``ink``: of the elements that may be sought ones, as the stored page is drawn now. Elements are left out that
    nothing draws a text of, or that only scrolling would bring into sight.
    """

    page: PageObserved
    ink: tuple[ElementInk, ...] = ()


class PageNotRestored(Message, frozen=True, kw_only=True):
    """Why a stored page was not opened."""

    code: OpenCode[RestoreCode]
    message: str


RestoreReply = PageRestored | PageNotRestored

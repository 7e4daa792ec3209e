"""The requests in flight of a context, as far as they can still change the page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from playwright.async_api import BrowserContext, Error, Frame, Page, Request, Response

ABORTED = "net::ERR_ABORTED"
"""The failure of a document that became a download or was replaced; a document that could not be fetched fails
otherwise."""
RELEVANT_TYPES = frozenset({"document", "script", "fetch", "xhr", "stylesheet"})
# A request that takes longer is probably a long poll; the page is read without waiting for it.
MAX_PENDING_S = 1.5
AWAITED_S = 10.0
"""What a request that takes longer brings is not waited for by a reader either."""


@dataclass(frozen=True)
class DocumentResponse:
    """Status and headers of a document."""

    status: int
    headers: tuple[tuple[str, str], ...]


@dataclass
class InFlight:
    key: str
    since_s: float
    main_document: bool
    relevant: bool
    frame: Frame | None
    request: Request


class Network:
    """Follows the requests of a context. ``now_s`` is a monotonic clock in seconds."""

    def __init__(self, context: BrowserContext, now_s: Callable[[], float], longest_document_s: float) -> None:
        self._now_s = now_s
        self._longest_document_s = longest_document_s
        self._in_flight: dict[Request, InFlight] = {}
        self._known: set[str] = set()
        self._documents: dict[Page, DocumentResponse] = {}
        self._early: dict[str, DocumentResponse] = {}
        self.fresh_status: int | None = None
        """Status of the last document that was loaded into a main frame since the action began."""
        self.data_asked = False
        """Whether a page has fetched anything since the action began."""
        self.became_no_page = False
        """Whether a document requested since the action began became no page, but probably a download."""
        self.last_s = self._began_s = self._ended_s = now_s()
        self._data_s = -1.0
        """When the last request ended that a page may be drawn from, however long it took."""
        self.changed = asyncio.Event()
        context.on("request", self._on_request)
        context.on("requestfinished", self._on_end)
        context.on("requestfailed", self._on_failure)
        context.on("response", self._on_response)

    def begin_action(self) -> None:
        """Start an action: a poll of the same address that already runs does not hold up the page again."""
        self._began_s = self._now_s()
        self._known = {flight.key for flight in self._in_flight.values()}
        self.fresh_status = None
        self.data_asked = self.became_no_page = False

    def status(self, page: Page) -> int | None:
        answered = self.document(page)
        return None if answered is None else answered.status

    def document(self, page: Page) -> DocumentResponse | None:
        """Return the response of the page's document; None when it did not come over the network."""
        return self._documents.get(page) or self._early.get(page.url)

    def loading_document(self) -> bool:
        return any(flight.main_document and self._is_pending(flight) for flight in self._in_flight.values())

    def has_pending(self) -> bool:
        """Return whether a request is in flight that the page is likely to be drawn from."""
        return any(self._is_pending(flight) for flight in self._in_flight.values())

    def has_request_of_action(self) -> bool:
        """Return whether a request of the current action is in flight, however long it takes."""
        return any(
            flight.relevant and flight.since_s >= self._began_s and not _gone(flight)
            for flight in self._in_flight.values()
        )

    def _is_pending(self, flight: InFlight) -> bool:
        if _gone(flight):
            return False
        age_s = self._now_s() - flight.since_s
        if flight.main_document:
            return age_s < self._longest_document_s
        return flight.relevant and age_s < MAX_PENDING_S

    def now_s(self) -> float:
        """Return the time by the clock of requests."""
        return self._now_s()

    def awaits_data(self, since_s: float) -> bool:
        """Return whether a page may lack data: a request is in flight, or one has ended since then.

        A poll of the same address that ran before the action does not count, and a long poll not for long."""
        now_s = self._now_s()
        in_flight = (flight for flight in self._in_flight.values() if flight.relevant and not _gone(flight))
        return self._data_s >= since_s or any(now_s - flight.since_s < AWAITED_S for flight in in_flight)

    def is_idle_for(self, quiet_ms: float) -> bool:
        """Return whether no request is in flight, however long it takes, and none has ended in this time."""
        if any(not _gone(flight) for flight in self._in_flight.values()):
            return False
        return (self._now_s() - self._ended_s) * 1000 >= quiet_ms

    def quiet_for_ms(self) -> float:
        """Return the time since a pending request ended."""
        return (self._now_s() - self.last_s) * 1000

    def _on_request(self, request: Request) -> None:
        if request.resource_type not in RELEVANT_TYPES:
            return
        key = f"{request.method} {request.url} {hash(request.post_data_buffer)}"
        frame = frame_of(request)
        main_document = request.is_navigation_request() and _is_main(frame)
        self._in_flight[request] = InFlight(key, self._now_s(), main_document, key not in self._known, frame, request)
        self._known.add(key)
        self.data_asked = self.data_asked or request.resource_type in ("fetch", "xhr")
        self.changed.set()

    def _on_failure(self, request: Request) -> None:
        flight = self._in_flight.get(request)
        if flight is not None and flight.main_document and flight.since_s >= self._began_s:
            self.became_no_page |= request.failure == ABORTED
        self._on_end(request)

    def _on_end(self, request: Request) -> None:
        flight = self._in_flight.pop(request, None)
        if flight is None:
            return
        self._ended_s = self._now_s()
        if flight.relevant:
            self._data_s = self._ended_s
        if flight.relevant and self._now_s() - flight.since_s < MAX_PENDING_S:
            self.last_s = self._now_s()
        self.changed.set()

    def _on_response(self, response: Response) -> None:
        request = response.request
        if not request.is_navigation_request():
            return
        frame = frame_of(request)
        if frame is None:
            self._early[response.url] = _on_response(
                response
            )  # the first document of a new tab, before its page exists
        elif _is_main(frame):
            self._documents[frame.page] = _on_response(response)
            self.fresh_status = response.status


def _on_response(response: Response) -> DocumentResponse:
    """Return the response; a header that came several times is listed as often."""
    many = ((name, value) for name, values in response.headers.items() for value in values.split("\n"))
    return DocumentResponse(response.status, tuple(many))


def frame_of(request: Request) -> Frame | None:
    try:
        return request.frame
    except Error:  # the first document of a new tab has no frame yet
        return None


def _gone(flight: InFlight) -> bool:
    """Return whether tab or frame is closed: the end of their requests is never reported."""
    # The first document of a new tab gets its frame later; a tab may be closed before its document comes.
    flight.frame = flight.frame or frame_of(flight.request)
    return flight.frame is not None and (flight.frame.is_detached() or flight.frame.page.is_closed())


def _is_main(frame: Frame | None) -> bool:
    return frame is None or frame.parent_frame is None

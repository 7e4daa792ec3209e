"""The requests in flight of a context, as far as they can still change the page."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from playwright.async_api import BrowserContext, Error, Frame, Page, Request, Response

from services.browser_pool.page.polls import STREAMS, Asked, Polls
from services.browser_pool.safety.politeness import registrable_domain
from shared.hosts import fits_any, parse_origin

ABORTED = "net::ERR_ABORTED"
"""The failure of a document that became a download or was replaced; a document that could not be fetched fails
otherwise."""
RELEVANT_TYPES = frozenset({"document", "script", "fetch", "xhr", "stylesheet"})
DATA_TYPES = frozenset({"fetch", "xhr"})
OWN_TYPES = DATA_TYPES | {"document", "script"}
"""What may bring the values of a page."""
# A request that takes longer is probably a long poll; the page is read without waiting for it.
MAX_PENDING_S = 1.5
AWAITED_S = 10.0
"""What a request that takes longer brings is not waited for by a reader either, unless it is the page's own."""
REFUSED = (ABORTED, "net::ERR_FAILED", "BLOCKED", "ACCESS_DENIED")
TOO_MANY = 429
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
KEPT_ENDED = 50
MOST_AWAITED, AWAITED_CHARS = 3, 150


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
    asked: Asked | None = None
    """Of data."""
    round_s: float = 0.0
    """For how long it counts as one round of a poll."""
    status: int = 0
    """0 until its answer begins."""
    streams: bool = False
    """Its answer has no end."""


class Network:
    """Follows the requests of a context. ``now_s`` is a monotonic clock in seconds. ``polls``: the forms of known
    polls, see `Polls`."""

    def __init__(
        self, context: BrowserContext, now_s: Callable[[], float], longest_document_s: float, polls: set[str]
    ) -> None:
        self._now_s = now_s
        self._known_polls = polls
        self._polls: dict[Page, Polls] = {}
        self._just_ended = deque[tuple[InFlight, float]](maxlen=KEPT_ENDED)
        self._failed: dict[Page, dict[str, InFlight]] = {}
        """Requests for data of the present documents that have failed, and were not answered since."""
        self._longest_document_s = longest_document_s
        self._in_flight: dict[Request, InFlight] = {}
        self._known: set[str] = set()
        self._documents: dict[Page, DocumentResponse] = {}
        self._early: dict[str, DocumentResponse] = {}
        self._media_types: dict[str, str] = {}
        """What responses to the last navigations have said of their content, by address."""
        self.fresh_status: int | None = None
        """Status of the last document that was loaded into a main frame since the action began."""
        self.data_asked = False
        """Whether a page has fetched anything since the action began."""
        self._not_taken: dict[str, InFlight] = {}
        """What was sent since the action began, and answered with an error or not at all."""
        self._taken: dict[str, InFlight] = {}
        """The same, answered without an error."""
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
        self._not_taken.clear()
        self._taken.clear()

    def status(self, page: Page) -> int | None:
        answered = self.document(page)
        return None if answered is None else answered.status

    def document(self, page: Page) -> DocumentResponse | None:
        """Return the response of the page's document; None when it did not come over the network."""
        return self._documents.get(page) or self._early.get(page.url)

    def media_type(self, url: str) -> str:
        """Return what the response to a navigation to this address has said of its content; empty: not known."""
        return self._media_types.get(url, "")

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

    def awaited(self, page: Page, is_own: Callable[[str], bool], since_s: float) -> tuple[str, ...]:
        """Return what requests of the page's own ask for that are in flight, or have ended since then: their answers
        may replace what it shows. Rounds of polls are none of them, nor are streams. ``is_own`` takes an address."""
        now_s = self._now_s()
        flights = [(flight, now_s) for flight in self._in_flight.values() if not _gone(flight)]
        flights += [(flight, ended_s) for flight, ended_s in self._just_ended if ended_s >= since_s]
        found = (flight for flight, at_s in flights if self._may_bring_values(flight, page, at_s - flight.since_s))
        return _addresses(found, is_own)

    def failed(self, page: Page, is_own: Callable[[str], bool]) -> tuple[str, ...]:
        """Return what requests of the page's own ask for that have failed."""
        found = self._failed.get(page, {}).values()
        return _addresses((one for one in found if self._may_bring_values(one, page, 0.0)), is_own)

    def not_taken(self, page_url: str, allowed: Iterable[str]) -> tuple[str, ...]:
        """Return what was sent to addresses of the page's own since the action began, and was answered with an error
        or not at all: method and address."""
        return _addresses(self._not_taken.values(), own_addresses(page_url, allowed))

    def taken(self, page_url: str, allowed: Iterable[str]) -> tuple[str, ...]:
        """Return the same of what was answered without an error."""
        return _addresses(self._taken.values(), own_addresses(page_url, allowed))

    def _may_bring_values(self, flight: InFlight, page: Page, age_s: float) -> bool:
        if flight.main_document or flight.streams or flight.request.resource_type not in OWN_TYPES:
            return False
        if flight.frame is None or flight.frame.page is not page:
            return False
        return age_s >= flight.round_s

    def _polls_of(self, page: Page) -> Polls:
        return self._polls.setdefault(page, Polls(self._known_polls))

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
        flight = InFlight(key, self._now_s(), main_document, key not in self._known, frame, request)
        self._in_flight[request] = flight
        self._known.add(key)
        if request.resource_type in DATA_TYPES:
            self.data_asked = True
            flight.asked = Asked.of(request.method, request.url, request.post_data_buffer)
        if frame is not None and main_document:
            self._polls_of(frame.page).begin_document()
            self._failed.pop(frame.page, None)
        elif frame is not None and flight.asked is not None:
            flight.round_s = self._polls_of(frame.page).note_asked(flight.asked)
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
        self._just_ended.append((flight, self._ended_s))
        if flight.asked is not None and flight.frame is not None:
            self._note_data(flight, flight.asked, flight.frame.page)
        if request.method not in SAFE_METHODS and flight.since_s >= self._began_s:
            self._note_sent(flight)
        if flight.relevant:
            self._data_s = self._ended_s
        if flight.relevant and self._now_s() - flight.since_s < MAX_PENDING_S:
            self.last_s = self._now_s()
        self.changed.set()

    def _on_answer(self, flight: InFlight, response: Response) -> None:
        """Note an answer as it begins: scripts go on from there, and may ask again before it has ended."""
        flight.status = response.status
        flight.streams = STREAMS.match(response.headers.get("content-type", "")) is not None
        if flight.asked is not None and flight.frame is not None and 200 <= flight.status < 400:
            self._polls_of(flight.frame.page).note_answer(flight.asked, self._now_s() - flight.since_s)

    def _note_data(self, flight: InFlight, asked: Asked, page: Page) -> None:
        failed = self._failed.setdefault(page, {})
        failed.pop(asked.words, None)
        if flight.status == TOO_MANY or flight.status >= 500 or _was_cut_off(flight.request.failure):
            failed[asked.words] = flight

    def _note_sent(self, flight: InFlight) -> None:
        """What is sent once more and taken then was taken."""
        self._not_taken.pop(flight.key, None)
        if flight.status >= 400 or _was_cut_off(flight.request.failure):
            self._not_taken[flight.key] = flight
        elif flight.status >= 200:
            self._taken[flight.key] = flight

    def _on_response(self, response: Response) -> None:
        request = response.request
        flight = self._in_flight.get(request)
        if flight is not None:
            self._on_answer(flight, response)
        if not request.is_navigation_request():
            return
        self._media_types[response.url] = response.headers.get("content-type", "")
        while len(self._media_types) > KEPT_ENDED:
            del self._media_types[next(iter(self._media_types))]
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


def own_addresses(page_url: str, allowed: Iterable[str]) -> Callable[[str], bool]:
    """Return what tells whether an address is the page's own: of its registrable domain, or of an allowed host."""
    here, rules = registrable_domain(page_url), tuple(allowed)

    def is_own(url: str) -> bool:
        origin = parse_origin(url)
        return not isinstance(origin, str) and (registrable_domain(url) == here or fits_any(origin, rules))

    return is_own


def _addresses(flights: Iterable[InFlight], is_own: Callable[[str], bool]) -> tuple[str, ...]:
    """Return method and address of each of the page's own requests, without what may be a secret."""
    own = (flight.request for flight in flights if is_own(flight.request.url))
    found = (f"{one.method} {one.url.partition('?')[0].partition('#')[0]}"[:AWAITED_CHARS] for one in own)
    return tuple(dict.fromkeys(found))[:MOST_AWAITED]


def _was_cut_off(failure: str | None) -> bool:
    """Return whether the site did not answer, so that the page has given nothing up itself, and nobody has refused it
    the answer."""
    return failure is not None and not any(word in failure for word in REFUSED)


def _gone(flight: InFlight) -> bool:
    """Return whether tab or frame is closed: the end of their requests is never reported."""
    # The first document of a new tab gets its frame later; a tab may be closed before its document comes.
    flight.frame = flight.frame or frame_of(flight.request)
    return flight.frame is not None and (flight.frame.is_detached() or flight.frame.page.is_closed())


def _is_main(frame: Frame | None) -> bool:
    return frame is None or frame.parent_frame is None

"""Keeps sessions where they may be: every document is looked at before it is asked for.

One session of the browser's own protocol serves a whole browser. It is told of each document before it is asked for:
each hop of a redirect, the first document of a popup, what turns out to be a file. All other requests pass inside the
browser, but for those to literal private addresses (see `intercepts`). Names that turn out to be private are refused
to public pages by Chromium itself (local network access).
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast
from weakref import WeakKeyDictionary

from playwright.async_api import Browser, BrowserContext, CDPSession, Error, Frame, Page, Response

from services.browser_pool import intercepts, policy
from services.browser_pool.adapters.bounds.names import Names
from services.browser_pool.adapters.bounds.pacing import SessionPace
from services.browser_pool.adapters.bounds.secrets import hidden_in
from services.browser_pool.adapters.outcome import Outcome, refuse
from services.browser_pool.policy import Bounds
from services.browser_pool.ports import Terms
from services.browser_pool.redaction import redacted_text
from shared.contracts.actions import NotSeen, PageChanged

log = logging.getLogger(__name__)

MAX_DENIED = 50
CHECKED_BOUND_S = 6.0
BLANK_BOUND_MS = 3000
ORDINARY = ("about:blank", "about:srcdoc", "chrome-error:", ":")
"""What a tab shows that was opened for nothing yet, or whose document did not come."""
PRELOADING = (Path(__file__).parent / "preloading.js").read_text(encoding="utf-8")
RULES = "application/speculationrules+json"
PROXIES = ("http_proxy", "https_proxy", "all_proxy")

Where = Literal["tab", "popup", "part", "shown"]
"""What a document was asked for. ``shown``: it had come before it was known to be none of ours, and was taken away."""


@dataclass(frozen=True)
class Denied:
    url: str
    why: str
    where: Where

    def __str__(self) -> str:
        return f"{self.url[:300]}: {self.why}"


@dataclass
class Guard:
    """Of one session. ``tabs``: main frames, by the protocol's id, and whether a document was let into them."""

    context: BrowserContext
    context_id: str
    bounds: Bounds
    pace: SessionPace
    watch: Watch
    tabs: dict[str, bool]
    denied: list[Denied] = field(default_factory=list[Denied])
    _checks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    _sessions: dict[Page, CDPSession] = field(default_factory=dict[Page, CDPSession])

    def begin_action(self) -> None:
        self.denied.clear()

    @property
    def refused(self) -> bool:
        """Whether a document was refused to a tab since the action began."""
        return any(one.where != "part" for one in self.denied)

    def told(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(one) for one in self.denied))

    def may_hold_secrets(self, url: str) -> bool:
        """Whether a document at ``url`` may be given a secret: it is of an allowed host, and no one can listen in."""
        place = policy.place_of(url)
        if isinstance(place, str) or not policy.named(place, self.bounds.allowed):
            return False
        return place.scheme == "https" or policy.named(place, self.bounds.private)

    async def judged(self, outcome: Outcome) -> Outcome:
        """The outcome of an action, knowing what the page was refused meanwhile."""
        await self.checked()
        refused = [one for one in self.denied if one.where != "part"]
        if not refused:
            return outcome
        only_popups = all(one.where == "popup" for one in refused)
        came_to_nothing = isinstance(outcome.effect, NotSeen if only_popups else NotSeen | PageChanged)
        taken = any(one.where == "shown" for one in refused)
        if not outcome.ok or outcome.effect is None or came_to_nothing or taken:
            return refuse("policy_denied", f"not opened: {refused[0]}", target=outcome.target)
        told = f"{outcome.message}; not opened: {refused[0]}"
        return Outcome(outcome.ok, outcome.code, told, outcome.effect, outcome.target, outcome.captures)

    async def checked(self) -> None:
        """Until it is known of every document that has come where it really came from."""
        if self._checks:
            await asyncio.wait(self._checks, timeout=CHECKED_BOUND_S)

    # --- decisions

    async def document(self, url: str, where: Where, hop: bool) -> str | None:
        """Why a document may not be asked for; it waits for its turn where it may."""
        if where == "part":
            return policy.part_refusal(url, await self._addresses(url), self.bounds)
        if not self.bounds.allowed:
            self.bounds = Bounds(tuple(filter(None, (policy.host_rule(url),))), self.bounds.private)
        refusal = policy.document_refusal(url, (), self.bounds)
        refusal = refusal or policy.document_refusal(url, await self._addresses(url), self.bounds)
        if refusal is None and not hop:
            admission = await self.pace.admit(url)
            refusal = None if admission.ok else admission.reason
        return refusal

    async def _addresses(self, url: str) -> tuple[str, ...]:
        place = policy.place_of(url)
        if isinstance(place, str) or policy.literal(place.host) or policy.named(place, self.bounds.private):
            return ()
        return await self.watch.names.addresses(place.host)

    def deny(self, url: str, why: str, where: Where) -> None:
        hidden = hidden_in(self.context)
        log.warning("refused: %s (%s): %s", redacted_text(url[:300], hidden), where, redacted_text(why, hidden))
        if len(self.denied) < MAX_DENIED:
            self.denied.append(Denied(url, why, where))

    async def holds(self, frame_id: str) -> bool:
        """Whether one of the session's pages has this frame."""
        for page in self.context.pages:
            if frame_id in self.tabs or frame_id in await self._frames(page):
                return True
        return False

    async def _frames(self, page: Page) -> set[str]:
        try:
            if page not in self._sessions:
                self._sessions[page] = await self.context.new_cdp_session(page)
            tree = await send(self._sessions[page], "Page.getFrameTree")
        except Error:  # the page is closing
            return set()
        return _ids(tree["frameTree"])

    # --- what has come all the same

    def follow(self, page: Page) -> None:
        page.on("framenavigated", self._arrived)
        self._arrived(page.main_frame)

    def answered(self, response: Response) -> None:
        """A name may stand for another address by the time the browser asks for it."""
        if not response.request.is_navigation_request() or self.watch.proxied:
            return
        place = policy.place_of(response.url)
        if isinstance(place, str) or policy.literal(place.host) or policy.named(place, self.bounds.private):
            return
        self._soon(self._check_origin(response, place))

    async def _check_origin(self, response: Response, place: policy.Place) -> None:
        try:
            server = await response.server_addr()
            known = (server["ipAddress"],) if server else ()
            why = policy.private_refusal(place, known, self.bounds)
            if why:
                self.deny(response.url, why, "shown")
                await self._blank(response.frame.page)
        except Error:
            return  # the page is gone, and what it showed with it

    def _arrived(self, frame: Frame) -> None:
        """What did not pass by us: ``blob:`` addresses, and whatever a browser may think of next."""
        if frame.parent_frame is not None or frame.url.startswith(ORDINARY) or not frame.url:
            return
        why = policy.document_refusal(frame.url, (), self.bounds)
        if why:
            self.deny(frame.url, why, "shown")
            self._soon(self._blank(frame.page))

    async def _blank(self, page: Page) -> None:
        try:
            if len(self.context.pages) > 1 and page is not self.context.pages[0]:
                await page.close()
            else:
                await page.goto("about:blank", timeout=BLANK_BOUND_MS)
        except Error:
            return  # it is gone already

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._checks.add(task)
        task.add_done_callback(self._checks.discard)

    def leave(self) -> None:
        self.watch.without(self)


class Watch:
    """Over one browser."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self.names = Names()
        self.proxied = any(os.environ.get(name) or os.environ.get(name.upper()) for name in PROXIES)
        """A proxy resolves the names; the address that is connected to is then always the proxy's."""
        self._guards: dict[str, Guard] = {}
        self._tabs: dict[str, Guard] = {}
        self._passing: frozenset[str] | None = None
        self._deciding: set[asyncio.Task[None]] = set()
        # Of two changes of the patterns the later one must come last.
        self._asking = asyncio.Lock()

    async def begin(self) -> None:
        self._session.on("Fetch.requestPaused", self._paused)
        await self._ask_about(frozenset())

    async def ids(self, context: BrowserContext, page: Page) -> tuple[str, str]:
        """The protocol's ids of a context and of its first page."""
        session = await context.new_cdp_session(page)
        info = (await send(session, "Target.getTargetInfo"))["targetInfo"]
        await session.detach()
        return info["browserContextId"], info["targetId"]

    async def enter(self, context: BrowserContext, page: Page, terms: Terms, pace: SessionPace) -> Guard:
        context_id, page_id = await self.ids(context, page)
        bounds = Bounds(terms.allowed_hosts, terms.private_hosts)
        guard = Guard(context, context_id, bounds, pace, self, {page_id: True})
        self._guards[context_id] = self._tabs[page_id] = guard
        guard.follow(page)
        context.on("page", guard.follow)
        context.on("response", guard.answered)
        await context.add_init_script(PRELOADING)
        await self._ask_about(self._common())
        return guard

    def without(self, guard: Guard) -> None:
        self._guards.pop(guard.context_id, None)
        self._tabs = {key: one for key, one in self._tabs.items() if one is not guard}

    def _common(self) -> frozenset[str]:
        """The private hosts that every session may reach."""
        named = [frozenset(guard.bounds.private) for guard in self._guards.values()]
        return named[0].intersection(*named[1:]) if named else frozenset()

    async def _ask_about(self, passing: frozenset[str]) -> None:
        async with self._asking:
            if passing != self._passing:
                await send(self._session, "Fetch.enable", {"patterns": intercepts.patterns(passing)})
                self._passing = passing

    # --- requests that wait for our answer

    def _paused(self, event: dict[str, Any]) -> None:
        task = asyncio.create_task(self._decide(event))
        self._deciding.add(task)
        task.add_done_callback(self._deciding.discard)

    async def _decide(self, event: dict[str, Any]) -> None:
        frame_id, url = str(event.get("frameId", "")), str(event["request"]["url"])
        try:
            if "responseStatusCode" in event:
                await self._answered(event)
                return
            guard, where = await self._whose(event, frame_id)
            if guard is None:
                why = await self._of_nobody(url, where, frame_id)
            else:
                why = await guard.document(url, where, "redirectedRequestId" in event)
                if why:
                    guard.deny(url, why, where)
            if why is None:
                await send(self._session, "Fetch.continueRequest", {"requestId": event["requestId"]})
                if guard is not None and where != "part":
                    guard.tabs[frame_id] = True
            else:
                await self._refuse(event["requestId"], guard, where, frame_id)
        except Error:
            return  # the request was given up meanwhile, or its browser is gone

    async def _answered(self, event: dict[str, Any]) -> None:
        """Rules by which the browser would fetch documents past us are kept from it (see preloading.js)."""
        kinds = [one["value"] for one in event.get("responseHeaders", ()) if one["name"].lower() == "content-type"]
        if any(kind.lower().startswith(RULES) for kind in kinds):
            why = {"requestId": event["requestId"], "errorReason": "BlockedByClient"}
            await send(self._session, "Fetch.failRequest", why)
        else:
            await send(self._session, "Fetch.continueRequest", {"requestId": event["requestId"]})

    async def _refuse(self, request_id: str, guard: Guard | None, where: Where, frame_id: str) -> None:
        if where == "popup" and guard is not None and not guard.tabs.get(frame_id):
            await send(self._session, "Target.closeTarget", {"targetId": frame_id})
            return
        # Aborted, the page stays as it is; any other reason would put an error page in its place.
        reason = "Aborted" if where != "part" else "BlockedByClient"
        await send(self._session, "Fetch.failRequest", {"requestId": request_id, "errorReason": reason})

    async def _whose(self, event: dict[str, Any], frame_id: str) -> tuple[Guard | None, Where]:
        """The session a document is for. None for parts of pages: most are nobody's business."""
        if event.get("resourceType") != "Document":
            return None, "part"
        known = self._tabs.get(frame_id)
        if known is not None:
            return known, "tab" if known.tabs.get(frame_id) else "popup"
        try:
            info = (await send(self._session, "Target.getTargetInfo", {"targetId": frame_id}))["targetInfo"]
        except Error:
            return None, "part"  # a frame within a page
        guard = self._guards.get(info.get("browserContextId", ""))
        if info["type"] != "page":
            return guard, "part"
        if guard is not None:
            guard.tabs[frame_id] = False
            self._tabs[frame_id] = guard
        return guard, "popup"

    async def _of_nobody(self, url: str, where: Where, frame_id: str) -> str | None:
        """A part of a page: whose it is matters only where the sessions of this browser do not agree."""
        if where != "part":
            return "no session is open in this part of the browser"
        answers = [(guard, await guard.document(url, "part", False)) for guard in tuple(self._guards.values())]
        if answers and not any(why for _, why in answers):
            return None
        owner = await self._owner(frame_id)
        why = next((why for guard, why in answers if guard is owner), "no session of this browser shows the page")
        if owner is not None and why:
            owner.deny(url, why, "part")
        return why

    async def _owner(self, frame_id: str) -> Guard | None:
        if len(self._guards) == 1:
            return next(iter(self._guards.values()))
        for guard in tuple(self._guards.values()):
            if await guard.holds(frame_id):
                return guard
        return None


_watches: WeakKeyDictionary[Browser, asyncio.Task[Watch]] = WeakKeyDictionary()


async def watch_over(browser: Browser) -> Watch:
    """The one watch over ``browser``; it begins when it is first asked for."""
    if browser not in _watches:
        _watches[browser] = asyncio.create_task(_begun(browser))
    return await asyncio.shield(_watches[browser])


async def guarded(browser: Browser, context: BrowserContext, page: Page, terms: Terms, pace: SessionPace) -> Guard:
    """From here on the context goes where its terms allow."""
    watch = await watch_over(browser)
    return await watch.enter(context, page, terms, pace)


async def _begun(browser: Browser) -> Watch:
    watch = Watch(await browser.new_browser_cdp_session())
    await watch.begin()
    return watch


async def send(session: CDPSession, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
    return cast("dict[str, Any]", await session.send(method, parameters))  # pyright: ignore[reportUnknownMemberType]


def _ids(tree: dict[str, Any]) -> set[str]:
    found = {str(tree["frame"]["id"])}
    for child in tree.get("childFrames", ()):
        found |= _ids(child)
    return found

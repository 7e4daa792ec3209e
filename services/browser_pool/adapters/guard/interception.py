"""Decides on every document of a browser before it is requested.

One protocol session serves a whole browser. It pauses each document: every hop of a redirect, the first document of a
popup, and what turns out to be a file. Other requests pass within the browser, except those to literal private
addresses (see `fetch_patterns`). Chromium itself refuses private names to public pages (local network access).
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from playwright.async_api import Browser, BrowserContext, CDPSession, Error, Page

from services.browser_pool.adapters.guard.pacing import SessionPace
from services.browser_pool.adapters.guard.session_guard import DocumentUse, SessionGuard
from services.browser_pool.adapters.observe.engine import worlds
from services.browser_pool.adapters.protocol import on, send
from services.browser_pool.ports import SessionTerms
from services.browser_pool.safety.policy import fetch_patterns
from shared.aio import BackgroundTasks
from shared.hosts import bracketed
from shared.network.host_policy import HostPolicy
from shared.network.name_resolver import NameResolver

PRELOADING = (Path(__file__).parent / "preloading.js").read_text(encoding="utf-8")
RULES = "application/speculationrules+json"
PROXIES = ("http_proxy", "https_proxy", "all_proxy")


def is_proxied() -> bool:
    """Return whether the machine's settings name a proxy, which then connects for the browser."""
    return any(os.environ.get(name) or os.environ.get(name.upper()) for name in PROXIES)


@dataclass(frozen=True)
class TargetIds:
    """The protocol's ids of a context and of its first page."""

    context_id: str
    page_id: str


async def forbid_preloading(context: BrowserContext) -> None:
    """Take from the documents of a context what would fetch past the guard. Before its first page is opened."""
    await context.add_init_script(PRELOADING)


async def target_ids(page: Page) -> TargetIds:
    info = (await (await worlds(page)).send_command("Target.getTargetInfo"))["targetInfo"]
    return TargetIds(info["browserContextId"], info["targetId"])


class Interceptor:
    """Pauses and decides the requests of one browser."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self.names = NameResolver()
        self.proxied = is_proxied()
        self._guards: dict[str, SessionGuard] = {}
        self._tabs: dict[str, SessionGuard] = {}
        self._passing: frozenset[str] | None = None
        self._deciding = BackgroundTasks()
        # Two changes of the patterns must be sent in order.
        self._asking = asyncio.Lock()

    async def start(self) -> None:
        on(self._session, "Fetch.requestPaused", self._on_paused)
        await self._set_patterns(frozenset())

    async def add_session(
        self, context: BrowserContext, page: Page, ids: TargetIds, terms: SessionTerms, pace: SessionPace
    ) -> SessionGuard:
        """Guard a context from here on and return its guard."""
        context_id, page_id = ids.context_id, ids.page_id
        bounds = HostPolicy(terms.allowed_hosts, terms.private_hosts)
        guard = SessionGuard(
            context, context_id, bounds, pace, self.names, self.proxied, self.remove_session, {page_id: True}
        )
        self._guards[context_id] = self._tabs[page_id] = guard
        guard.follow(page)
        context.on("page", guard.follow)
        context.on("response", guard.check_response)
        await self._set_patterns(self._shared_private_hosts())
        return guard

    def remove_session(self, guard: SessionGuard) -> None:
        self._guards.pop(guard.context_id, None)
        self._tabs = {key: one for key, one in self._tabs.items() if one is not guard}

    def _shared_private_hosts(self) -> frozenset[str]:
        """Return the private hosts that every session may reach."""
        named = [frozenset(guard.bounds.private) for guard in self._guards.values()]
        return named[0].intersection(*named[1:]) if named else frozenset()

    async def _set_patterns(self, passing: frozenset[str]) -> None:
        async with self._asking:
            if passing != self._passing:
                await send(self._session, "Fetch.enable", patterns=fetch_patterns(passing))
                self._passing = passing

    # --- requests that wait for our answer

    def _on_paused(self, event: dict[str, Any]) -> None:
        self._deciding.start(self._decide(event))

    async def _decide(self, event: dict[str, Any]) -> None:
        frame_id, url = str(event.get("frameId", "")), str(event["request"]["url"])
        try:
            if "responseStatusCode" in event:
                await self._decide_response(event)
                return
            guard, where = await self._guard_of(event, frame_id)
            if guard is None:
                why = await self._unattributed_refusal(url, where, frame_id)
            else:
                why = await guard.document(url, where, "redirectedRequestId" in event)
                if why:
                    guard.deny(url, why, where)
            if why is None:
                await send(self._session, "Fetch.continueRequest", requestId=event["requestId"])
                if guard is not None and where != "part":
                    guard.tabs[frame_id] = True
            else:
                await self._refuse(event["requestId"], guard, where, frame_id)
        except Error:
            return  # the request was aborted, or its browser is gone

    async def _decide_response(self, event: dict[str, Any]) -> None:
        """Block speculation rules, by which the browser would fetch documents unseen (see preloading.js)."""
        kinds = [one["value"] for one in event.get("responseHeaders", ()) if one["name"].lower() == "content-type"]
        if any(kind.lower().startswith(RULES) for kind in kinds):
            await send(self._session, "Fetch.failRequest", requestId=event["requestId"], errorReason="BlockedByClient")
        else:
            await send(self._session, "Fetch.continueRequest", requestId=event["requestId"])

    async def _refuse(self, request_id: str, guard: SessionGuard | None, where: DocumentUse, frame_id: str) -> None:
        if where == "popup" and guard is not None and not guard.tabs.get(frame_id):
            await send(self._session, "Target.closeTarget", targetId=frame_id)
            return
        # Aborted, the page stays as it is; any other reason would show an error page.
        reason = "Aborted" if where != "part" else "BlockedByClient"
        await send(self._session, "Fetch.failRequest", requestId=request_id, errorReason=reason)

    async def _guard_of(self, event: dict[str, Any], frame_id: str) -> tuple[SessionGuard | None, DocumentUse]:
        """Return the guard of the session that requests a document. None for parts of pages, most of which need no
        decision."""
        if event.get("resourceType") != "Document":
            return None, "part"
        known = self._tabs.get(frame_id)
        if known is not None:
            return known, "tab" if known.tabs.get(frame_id) else "popup"
        try:
            info = (await send(self._session, "Target.getTargetInfo", targetId=frame_id))["targetInfo"]
        except Error:
            return None, "part"  # a frame within a page
        guard = self._guards.get(info.get("browserContextId", ""))
        if info["type"] != "page":
            return guard, "part"
        if guard is not None:
            guard.tabs[frame_id] = False
            self._tabs[frame_id] = guard
        return guard, "popup"

    async def _unattributed_refusal(self, url: str, where: DocumentUse, frame_id: str) -> str | None:
        """Return why a part of a page is refused. Its session matters only where the guards of
        this browser disagree."""
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

    async def socket_refusal(self, host: str, port: int, addresses: tuple[str, ...]) -> str | None:
        """Return why no WebSocket may be opened there, or None. Nothing tells which session asks: it is opened only
        where all may."""
        guards = tuple(self._guards.values())
        if not guards:
            return "no session is open in this browser"
        url = f"ws://{bracketed(host)}:{port}/"
        answers = [(guard, guard.socket(url, addresses)) for guard in guards]
        for guard, why in answers:
            if why:
                guard.deny(url, why, "part")
        return next((why for _, why in answers if why), None)

    async def _owner(self, frame_id: str) -> SessionGuard | None:
        if len(self._guards) == 1:
            return next(iter(self._guards.values()))
        for guard in tuple(self._guards.values()):
            if await guard.holds(frame_id):
                return guard
        return None


_watches: WeakKeyDictionary[Browser, asyncio.Task[Interceptor]] = WeakKeyDictionary()


async def interceptor_of(browser: Browser) -> Interceptor:
    """Return the one interceptor of ``browser``; it starts with the first call."""
    if browser not in _watches:
        _watches[browser] = asyncio.create_task(_start(browser))
        _watches[browser].add_done_callback(partial(_forget_failed, browser))
    return await asyncio.shield(_watches[browser])


def _forget_failed(browser: Browser, start: asyncio.Task[Interceptor]) -> None:
    """Whoever waits gets the error. If nobody does, the browser was closed meanwhile, and asyncio must not log it."""
    if start.cancelled() or start.exception() is not None:
        _watches.pop(browser, None)


async def guard_session(
    browser: Browser, context: BrowserContext, page: Page, ids: TargetIds, terms: SessionTerms, pace: SessionPace
) -> SessionGuard:
    """Restrict the context to its terms from here on."""
    watch = await interceptor_of(browser)
    return await watch.add_session(context, page, ids, terms, pace)


async def _start(browser: Browser) -> Interceptor:
    watch = Interceptor(await browser.new_browser_cdp_session())
    await watch.start()
    return watch

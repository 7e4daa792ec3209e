"""Watches what the sessions of one browser have open, and ends those that have more than they may.

Each session has processes of its own for its pages, so that those of its neighbours go on.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

import psutil
from playwright.async_api import Browser, CDPSession, Error

from services.browser_pool.adapters.browser import memory
from services.browser_pool.adapters.protocol import send
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.safety.limits import SessionUse, UseLimits, excess, processes_to_end

log = logging.getLogger(__name__)

LOOK_EVERY_S = 0.5
LEAST_FREE_MB = 250.0
"""With less memory left, the system ends processes of its own choice soon."""
TOLD_WITHIN_S = 5.0
"""A page that crashes so soon after its process was ended has crashed for that."""
EVERY_TYPE: list[dict[str, str]] = [{}]
WORKERS = ("worker", "shared_worker")


class SessionWatch:
    """The watch over one browser. ``free_mb``: the memory that is left on the machine."""

    def __init__(self, browser: Browser, free_mb: Callable[[], float] = memory.free_mb) -> None:
        self._browser, self._free_mb = browser, free_mb
        self._sessions: dict[str, PageSession] = {}
        self._ended: tuple[float, str] = (0.0, "")
        self._wanted = asyncio.Event()

    def add(self, context_id: str, session: PageSession) -> None:
        """Watch a session until it is removed."""
        self._sessions[context_id] = session
        session.tabs.why_crashed = self._why_crashed
        self._wanted.set()

    def remove(self, session: PageSession) -> None:
        """Watch it no more. Idempotent."""
        self._sessions = {key: one for key, one in self._sessions.items() if one is not session}

    async def run(self) -> None:
        """Look at the sessions until the browser is gone."""
        try:
            protocol = await self._browser.new_browser_cdp_session()
            while self._browser.is_connected():
                while not self._sessions:
                    self._wanted.clear()
                    await self._wanted.wait()
                await self._look_safely(protocol)
                await asyncio.sleep(LOOK_EVERY_S)
        except Error:
            return  # the browser is gone

    async def _look_safely(self, protocol: CDPSession) -> None:
        try:
            await self._look(protocol)
        except Error:
            raise
        except Exception:
            # A bug here must not leave all later sessions of this browser unwatched.
            log.exception("the sessions of a browser could not be looked at")

    async def _look(self, protocol: CDPSession) -> None:
        limits = next(iter(self._sessions.values())).limits.use
        await self._end_large(protocol, limits)
        found = (await send(protocol, "Target.getTargets", filter=EVERY_TYPE))["targetInfos"]
        counts = Counter((one.get("browserContextId", ""), _kind(one)) for one in cast("list[dict[str, Any]]", found))
        for context_id, session in tuple(self._sessions.items()):
            tabs = session.tabs
            use = SessionUse(
                tabs=counts[context_id, "page"],
                refused_tabs=tabs.refused,
                frames=sum(len(page.frames) for page in tabs.open_pages()),
                apart=counts[context_id, "iframe"],
                workers=counts[context_id, "worker"],
                dialogs=tabs.dialogs_opened,
            )
            why = excess(use, limits)
            if why:
                self.remove(session)
                session.end_over_limits(why)

    async def _end_large(self, protocol: CDPSession, limits: UseLimits) -> None:
        running = (await send(protocol, "SystemInfo.getProcessInfo"))["processInfo"]
        sizes = {one["id"]: memory.resident_mb(one["id"]) for one in running if one["type"] == "renderer"}
        ending = processes_to_end(sizes, limits, free_mb=self._free_mb(), least_free_mb=LEAST_FREE_MB)
        for pid, why in ending.items():
            # Before its end, of which the browser tells at once.
            self._ended = (time.monotonic(), why)
            log.warning("a process of pages is ended: %s", why)
            with suppress(psutil.Error):
                psutil.Process(pid).kill()

    def _why_crashed(self) -> str:
        """Return why a page has crashed just now, where this watch has ended its process."""
        at, why = self._ended
        return why if time.monotonic() - at < TOLD_WITHIN_S else ""


def _kind(target: dict[str, Any]) -> str:
    kind = str(target["type"])
    return "worker" if kind in WORKERS else kind

"""A browser with sessions that behave as a test configures."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from services.browser_pool.page.model import PageStats, RawItem, RawPage, Seen
from services.browser_pool.ports import (
    NOTHING,
    ApiRequest,
    ApiResponse,
    Capture,
    CaptureFailed,
    FetchRefused,
    LiveFrame,
    PageCapture,
    PerformedAction,
    RestoredPage,
    RestoreRefused,
    RestoreRequest,
    SessionTerms,
    WantedRefs,
)
from shared.contracts.actions import BrowserAction
from shared.contracts.results import ActionResult, Captured, Change
from shared.errors import Unavailable

RESULT = ActionResult(ok=True, code="ok", message="", change=Change(url_before="a", url_after="a"), effect=Captured())
ITEM = RawItem(0, "text", "hello", None, (), None, "p", None, None, None, (0, 0, 1, 1), True, False)


@dataclass
class FakeSession:
    lost: bool = False
    hidden: frozenset[str] = frozenset()
    closed: int = 0
    done: list[str] = field(default_factory=list)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event | None = None
    captures: tuple[Capture, ...] = ()
    page: PageCapture | CaptureFailed | None = None
    spent_ms: float = 7.0
    shown: LiveFrame | None = None
    answer: ApiResponse | FetchRefused = field(default_factory=lambda: FetchRefused("unreachable", "nobody is there"))
    state: dict[str, Any] = field(default_factory=lambda: {"cookies": [], "origins": []})

    async def capture(self, known: Sequence[str] = (), wanted: WantedRefs = NOTHING) -> PageCapture | CaptureFailed:
        self._check()
        page = self.page or CaptureFailed("nothing to keep")
        if isinstance(page, CaptureFailed):
            return page
        found = tuple((ref, page.raw.seen[0] if ref == 1 else None) for ref in wanted.refs)
        return replace(page, known=page.sha256 in known, file=None if page.sha256 in known else page.file, found=found)

    async def take_step_picture(self) -> Capture | None:
        self._check()
        return None

    async def watch(self, after: int, wait_s: float, gap_s: float) -> LiveFrame | str:
        self._check()
        if self.gate is not None:
            self.started.set()
            await self.gate.wait()
        return replace(self.shown, number=after + 1) if self.shown is not None else "it draws nothing"

    async def observe(self, snapshot_id: str, **how: object) -> RawPage:
        self._check()
        seen = (Seen(1, ITEM, "main", 0, 0, True, None),)
        return RawPage(
            "http://a.test/", "T", 200, ("text\x1f\x1fhello",), seen, frozenset(), PageStats(1), 0, 0, True, 3.0
        )

    async def fetch(self, request: ApiRequest) -> ApiResponse | FetchRefused:
        self._check()
        return self.answer

    async def restore(self, asked: RestoreRequest) -> RestoredPage | RestoreRefused:
        raise NotImplementedError

    async def act(
        self,
        action: BrowserAction,
        *,
        step_picture: bool = False,
        named: tuple[str, ...] | None = None,
        once: bool = False,
    ) -> PerformedAction:
        self._check()
        self.done.append(f"start {action.reason}")
        self.started.set()
        if self.gate is not None:
            await self.gate.wait()
        self.done.append(f"end {action.reason}")
        return PerformedAction(RESULT, self.captures, self.page)

    def _check(self) -> None:
        if self.lost:
            raise Unavailable("gone", code="session_lost")

    async def login_state(self) -> dict[str, Any]:
        self._check()
        return self.state

    async def close(self) -> None:
        self.closed += 1


@dataclass
class FakeBrowser:
    sessions: list[FakeSession] = field(default_factory=list)
    broken: bool = False
    name: str = "fake 1"

    async def open_session(self, terms: SessionTerms) -> FakeSession:
        await asyncio.sleep(0)
        if self.broken:
            raise Unavailable("no browser", code="no_browser")
        self.sessions.append(FakeSession())
        return self.sessions[-1]

    async def try_page(self) -> None: ...

    async def close(self) -> None: ...

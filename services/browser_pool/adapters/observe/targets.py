"""Resolves a target as written to exactly one element, or to the reason why not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, cast

from playwright.async_api import Error, Frame, Page
from playwright.async_api import Locator as PlaywrightLocator
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.engine import ElementState, SearchMatches, StaleElement
from services.browser_pool.adapters.observe.frames import (
    FRAME_TIMEOUT_S,
    Ref,
    Refs,
    frame_label,
    playwright_frame,
    visible_frames,
)
from services.browser_pool.adapters.outcome import PerformOutcome, refuse
from services.browser_pool.page import matching
from shared.contracts.actions import ByCss, ByRef, ByText, Target
from shared.contracts.results import Box, Locator, TargetFound

Intent = Literal["act", "edit", "select", "read"]
NO_MATCH = 9
KEPT_SNAPSHOTS = 6


@dataclass(frozen=True)
class ResolvedElement:
    """One element. ``now`` is its state when it was found."""

    frame: Frame
    snapshot_id: str
    n: int
    now: ElementState
    offset: tuple[float, float] = (0.0, 0.0)

    @property
    def locator(self) -> PlaywrightLocator:
        return engine.element(self.frame, self.snapshot_id, self.n)

    async def again(self, timeout_s: float) -> ElementState | StaleElement:
        """Return its present state, or why it is stale."""
        return await engine.describe(self.frame, self.snapshot_id, self.n, timeout_s)

    async def renewed(self, timeout_s: float) -> ResolvedElement:
        """Return it with its present state; as it was, if it is stale."""
        now = await self.again(timeout_s)
        return self if isinstance(now, StaleElement) else replace(self, now=now)

    def to_target_found(self) -> TargetFound:
        """Return the element as results and logs record it."""
        x, y, width, height = self.now.box
        return TargetFound(
            role=self.now.role,
            name=self.now.name,
            tag=self.now.tag,
            fingerprint=matching.fingerprint(self.now.tag, self.now.role, self.now.name, self.now.type, self.now.path),
            box=Box(x=x + self.offset[0], y=y + self.offset[1], width=width, height=height),
            frame=frame_label(self.frame),
            locators=tuple(
                Locator(kind=_kind(kind), value=value, matches=count) for kind, value, count in self.now.locators
            ),
        )


def _kind(kind: str) -> Literal["id", "testid", "role", "label", "text", "css"]:
    return cast('Literal["id", "testid", "role", "label", "text", "css"]', kind)


class Targets:
    """Resolves targets, and remembers the refs of the latest snapshots."""

    def __init__(self) -> None:
        self._snapshots: dict[str, Refs] = {}
        self._searches = 0

    def remember(self, snapshot_id: str, refs: Refs) -> None:
        """Store the refs of a snapshot; ``refs[0]`` is the meaning of ref 1."""
        self._snapshots[snapshot_id] = refs
        while len(self._snapshots) > KEPT_SNAPSHOTS:
            del self._snapshots[next(iter(self._snapshots))]

    def place(self, snapshot_id: str, ref: int) -> Ref | None:
        """Return the frame and index of a ref's element; None when the snapshot or ref is unknown."""
        refs = self._snapshots.get(snapshot_id)
        return refs[ref - 1] if refs is not None and 1 <= ref <= len(refs) else None

    async def resolve(
        self, page: Page, target: Target, intent: Intent, timeout_s: float
    ) -> ResolvedElement | PerformOutcome:
        """Return the one element, or a refusal: stale_ref, not_found, ambiguous."""
        match target:
            case ByRef():
                return await self._by_ref(page, target, timeout_s)
            case ByText():
                return await self._search(page, f'"{target.text}"', timeout_s, "find", target.text, intent)
            case ByCss():
                return await self._search(page, f"css={target.css}", timeout_s, "css", target.css)

    async def _by_ref(self, page: Page, target: ByRef, timeout_s: float) -> ResolvedElement | PerformOutcome:
        refs = self._snapshots.get(target.snapshot_id)
        if refs is None:
            return _stale(target.ref, "its snapshot is not one of the last of this session")
        if not 1 <= target.ref <= len(refs):
            return refuse("not_found", f"the snapshot has no element [{target.ref}]")
        ref = refs[target.ref - 1]
        frame = await playwright_frame(page, await engine.worlds(page), ref.place)
        if frame is None or frame.is_detached():
            return _stale(target.ref, "its frame is gone")
        try:
            found = await _describe(frame, target.snapshot_id, ref.n, timeout_s)
        except Error:
            if frame is page.main_frame:
                raise
            return _stale(target.ref, "its frame is gone")
        if isinstance(found, StaleElement):
            return _stale(target.ref, found.gone)
        return replace(found, offset=(ref.place.x, ref.place.y))

    async def _search(
        self, page: Page, wanted: str, timeout_s: float, verb: str, *how: str
    ) -> ResolvedElement | PerformOutcome:
        self._searches += 1
        search_id = f"q{self._searches}"
        worlds = await engine.worlds(page)
        answers: list[tuple[Frame, SearchMatches]] = []
        for place in await visible_frames(worlds, search_id, timeout_s):
            bound_s = timeout_s if place.parent is None else FRAME_TIMEOUT_S
            try:
                reply = engine.decode(await worlds.ask(place.frame_id, bound_s, verb, search_id, *how), SearchMatches)
            except (Error, PlaywrightTimeout):
                if place.parent is None:
                    raise
                continue
            frame = page.main_frame if place.parent is None else None
            if reply.count:
                frame = await playwright_frame(page, worlds, place)
            answers.append((frame or page.main_frame, reply))
        return await _resolve_matches(answers, wanted, search_id, timeout_s)


async def _resolve_matches(
    answers: list[tuple[Frame, SearchMatches]], wanted: str, search_id: str, timeout_s: float
) -> ResolvedElement | PerformOutcome:
    broken = next((matches.error for _, matches in answers if matches.error), None)
    if broken:
        return refuse("not_found", f"{wanted} is not a CSS selector: {broken}")
    level = min(matches.level for _, matches in answers)
    best = [(frame, matches) for frame, matches in answers if matches.level == level and matches.count]
    count = sum(matches.count for _, matches in best)
    if level == NO_MATCH or count == 0:
        nearby = [one for _, matches in answers for one in matches.nearby]
        more = sum(matches.more for _, matches in answers) + max(0, len(nearby) - matching.MAX_LISTED)
        return refuse("not_found", matching.not_found_message(wanted, nearby, more))
    if count > 1:
        listed = [one for _, matches in best for one in matches.items]
        return refuse("ambiguous", matching.ambiguous(wanted, listed, count))
    found = await _describe(best[0][0], search_id, 0, timeout_s)
    return refuse("not_found", f"{wanted} went away: {found.gone}") if isinstance(found, StaleElement) else found


async def _describe(frame: Frame, snapshot_id: str, n: int, timeout_s: float) -> ResolvedElement | StaleElement:
    now = await engine.describe(frame, snapshot_id, n, timeout_s)
    return now if isinstance(now, StaleElement) else ResolvedElement(frame, snapshot_id, n, now)


def _stale(ref: int, why: str) -> PerformOutcome:
    return refuse("stale_ref", f"[{ref}] cannot be used: {why}. Observe the page again.")

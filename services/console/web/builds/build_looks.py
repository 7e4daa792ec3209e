"""The browser of a build session as it is seen: the picture of the last look, with what can be pointed at, and live."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from services.console.web.desk import Desk
from services.console.web.live.live_stream import LiveStreams, SampleSeen, live_events, look
from shared.contracts.browser.live import PageShown
from shared.contracts.results import Box
from shared.contracts.workflows import builds
from shared.errors import ExhibitError
from shared.pages.boxes import meet

PICTURE_S = 10.0
"""A page waits so long at most for the picture of a look; it is there within a second on a machine with time."""
AT_ONCE_S = 5
"""A picture that is taken so soon after the look counts as one of it."""
MOST_LOOKS, NAME_CHARS = 8, 70
MOST_URL_CHARS = 2000
"""Of the address that a picture has."""
TYPED = frozenset({"textbox", "searchbox", "spinbutton"})
CHOSEN = frozenset({"combobox", "listbox"})
PRESSED = frozenset(
    {"button", "link", "checkbox", "radio", "switch", "tab", "option", "menuitem", "menuitemcheckbox", "summary"}
)


@dataclass(frozen=True)
class PointedAt:
    """An element on a picture. ``verb``: what is done with one of its role, as the form has it; empty: it is read."""

    ref: int
    words: str
    verb: str
    box: Box


@dataclass(frozen=True)
class LookedPage:
    """The picture of a look. ``area``: what it shows of the page. ``elements``: the larger ones first, so that none
    lies under one that contains it. ``key``: of the picture in its address.

    ``taken_at``: when the picture was; it is taken after the look. ``late``: in words how long after it, where the page
    may have become another meanwhile; empty: right after it. ``gone_to``: the address of the page on the picture, where
    that is another one than was looked at: then no element is shown on it.
    """

    key: str
    area: Box
    elements: tuple[PointedAt, ...]
    taken_at: datetime
    late: str = ""
    gone_to: str = ""


def pointed_at(shown: builds.ShownPage, area: Box) -> tuple[PointedAt, ...]:
    """Return what of a page lies on a picture of the area. Pure."""
    found = [_pointed(one) for one in shown.elements if one.ref > 0 and meet(area, one.box)]
    return tuple(sorted(found, key=lambda one: -one.box.width * one.box.height))


def _pointed(one: builds.ElementInView) -> PointedAt:
    verb = "type" if one.role in TYPED else "select" if one.role in CHOSEN else "click" if one.role in PRESSED else ""
    name = one.name if len(one.name) <= NAME_CHARS else f"{one.name[:NAME_CHARS].rstrip()}…"
    return PointedAt(one.ref, f"{one.ref} {one.role} {name}".strip(), verb, one.box)


def looked_page(key: str, shown: builds.ShownPage, seen: PageShown) -> LookedPage | None:
    """Return the picture that was taken for a look, with what lies on it; None: it shows nothing. Pure."""
    area = Box(x=seen.scroll_x, y=seen.scroll_y, width=seen.width, height=seen.height)
    if area.width <= 0 or area.height <= 0:
        return None
    if seen.url != shown.url[:MOST_URL_CHARS]:
        return LookedPage(key, area, (), seen.taken_at, gone_to=seen.url)
    return LookedPage(key, area, pointed_at(shown, area), seen.taken_at, _late(shown.at, seen.taken_at))


def _late(looked_at: str, taken_at: datetime) -> str:
    if not looked_at:
        return "some time"
    seconds = round((taken_at - datetime.fromisoformat(looked_at)).total_seconds())
    if seconds <= AT_ONCE_S:
        return ""
    number, unit = (seconds, "seconds") if seconds < 100 else (seconds // 60, "minutes")
    return f"{number} {unit}"


class BuildLooks:
    """The pictures of the last looks at pages of build sessions, in memory."""

    def __init__(self) -> None:
        self._kept: dict[str, PageShown] = {}

    async def see(self, desk: Desk, live: builds.BuildFollowed, shown: builds.ShownPage) -> LookedPage | None:
        """Return the picture of a look that is the last one; None: there is no picture of it."""
        watched, key = live.watched, shown.snapshot_id
        if watched is None or not shown.elements:
            return None
        if key not in self._kept:
            try:
                seen = await look(desk, SampleSeen(watched.run_id, watched.sample_id), 0, PICTURE_S)
            except ExhibitError:
                return None
            if not isinstance(seen, PageShown):
                return None
            self._kept[key] = seen
            while len(self._kept) > MOST_LOOKS:
                del self._kept[next(iter(self._kept))]
        return looked_page(key, shown, self._kept[key])

    def picture(self, key: str) -> bytes | None:
        """Return the picture of a look; None: it is not kept any more."""
        seen = self._kept.get(key)
        return None if seen is None else seen.picture


async def browser_now(desk: Desk, streams: LiveStreams, watched: builds.WatchedRow | None) -> AsyncGenerator[str]:
    """Yield what the browser of a row shows, as `live_events` does."""
    if watched is None:
        yield "event: nobody\ndata: {}\n\n"
        return
    async with aclosing(live_events(desk, streams, SampleSeen(watched.run_id, watched.sample_id))) as events:
        async for event in events:
            yield event

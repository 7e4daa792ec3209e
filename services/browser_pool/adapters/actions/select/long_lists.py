"""Lists that show only some of their options at a time: they are looked through to their end.

Some draw only what is in sight, others grow as they are scrolled. What is drawn is read before it is scrolled away: its
last option comes to the top. That a list lacks an option is known only at its end.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

import msgspec

from services.browser_pool.adapters.actions.select.picker import OFFERED, OptionPick
from services.browser_pool.adapters.observe.engine import ask
from services.browser_pool.page import matching
from services.browser_pool.page.matching import Offer

SCROLL_BOUND_S = 30.0
"""For a whole list. One of 5,000 options takes about half of it."""
FRAME_S = 0.02
"""In which a page draws what was scrolled to."""
DRAW_S = 0.2
"""The same for a page that draws late."""
BACK_S = 0.1
"""In which a page draws again what it has drawn before."""
GROWS_S = 1.2
"""In which a list at its end shows more."""


class ListPart(msgspec.Struct, frozen=True):
    """What a list has drawn. ``here``: it scrolls. ``fresh``: it is not what was drawn when it was scrolled last, and
    was scrolled on now, by ``moved``. ``blank``: the page has not drawn yet what was scrolled to: its options are those
    of another place. ``apart``: they do not go on from those before, so that some may not have been drawn."""

    here: bool
    fresh: bool = False
    moved: float = 0.0
    blank: bool = False
    apart: bool = False
    loading: bool = False
    items: tuple[Offer, ...] = ()


@dataclass(frozen=True)
class LookedThrough:
    """``found``: the option is drawn now. ``whole``: the list was looked through to its end."""

    found: bool
    whole: bool


async def look_through(pick: OptionPick, option: str) -> LookedThrough:
    """Scroll the list from its beginning until it shows the option, or ends, or the time is over."""
    session = pick.session
    began_s = still_s = time.monotonic()
    part = await _scroll(pick, "top")
    at_end, forced, missed = False, False, False
    while part.here and time.monotonic() - began_s < SCROLL_BOUND_S:
        await session.run_timed(asyncio.sleep(FRAME_S))
        part = await _scroll(pick, "on" if forced else "down")
        pick.offered.update(dict.fromkeys(offer.name for offer in part.items))
        if matching.matching_options(part.items, option):
            await _go_back_to(pick, option)
            return LookedThrough(found=True, whole=False)
        missed = missed or part.apart
        now_s = time.monotonic()
        if part.fresh or forced:
            at_end, forced, still_s = part.moved < 1, False, now_s
        elif part.loading or session.network.has_pending():
            still_s = now_s
        elif now_s - still_s >= session.patient_s(GROWS_S if at_end or part.blank else DRAW_S):
            if at_end and not part.blank:
                return LookedThrough(found=False, whole=not missed)
            forced = True
    return LookedThrough(found=False, whole=not part.here)


async def _go_back_to(pick: OptionPick, option: str) -> None:
    """Scroll back to what was read last, and wait until it is drawn again."""
    await _scroll(pick, "back")
    until_s = time.monotonic() + pick.session.patient_s(GROWS_S)
    while True:  # what is drawn at first may be drawn anew at once
        await pick.session.run_timed(asyncio.sleep(BACK_S))
        if matching.matching_options((await pick.choices()).items, option) or time.monotonic() >= until_s:
            return


async def _scroll(pick: OptionPick, how: str) -> ListPart:
    """``how``: ``top``, ``down`` once something new is drawn, ``on`` in any case, or ``back`` where it was before."""
    work = ask(pick.found.frame, ListPart, pick.timeout_s, "scrollChoices", OFFERED, how)
    return await pick.session.run_timed(work)

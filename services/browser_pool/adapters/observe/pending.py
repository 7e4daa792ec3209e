"""Whether the scripts of a page have anything pending that may change it without an action.

`pending.js` runs in every document before the page's own scripts, and counts the timers that they set. What a page
forges there can only spoil the reading of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Literal, cast

from playwright.async_api import BrowserContext, Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.observe.worlds import Worlds

WITHIN_MS = 8000
"""Timers that are due later do not count: no reader waits so long for late content."""
DRAWN_MS = 50.0
"""How long after a timer has fired its changes may come; as in `pending.js`."""
MAX_FRAMES = 20
BESIDE = f"[performance.timeOrigin + performance.now(), __exhibitPending({WITHIN_MS}, {DRAWN_MS})]"
"""Asked together with a reading of the only document of a page (see `work_beside`)."""
PendingWork = Literal["none", "some", "due", "late"]
"""``late``: a timer should have fired and has not; what it brings comes once the page's scripts get to run. ``due``:
one that was set while the document was new fires within 5 s; what is shown may stand in for what it brings."""


async def count_timers(context: BrowserContext) -> None:
    """Have the timers of all documents of a context counted from here on."""
    await context.add_init_script(_script())


def work_beside(told: object, read_at_ms: float) -> PendingWork | None:
    """Return what `BESIDE` told just after the page was read; None where it has to be asked once more.

    Of a timer that is late it is not known then: the reading itself may have kept it waiting."""
    match cast("list[object] | None", told if isinstance(told, list) else None):
        case [int() | float() as at_ms, work] if 0 <= at_ms - read_at_ms <= DRAWN_MS and work != "late":
            return _work([work])
        case _:
            return None


async def read_pending_work(worlds: Worlds, read_ago_ms: float, timeout_s: float) -> PendingWork:
    """Return whether a timer is due soon, or has fired since the page was read, or a connection is open in any frame.

    "some" also where that is not known."""
    try:
        told = await worlds.ask_pages(f"__exhibitPending({WITHIN_MS}, {read_ago_ms:.0f})", MAX_FRAMES, timeout_s)
    except (Error, PlaywrightTimeout):
        return "some"
    return _work(told)


def _work(told: Sequence[object]) -> PendingWork:
    for work in ("late", "due"):
        if work in told:
            return work
    return "some" if not told or any(answer is not False for answer in told) else "none"


@cache
def _script() -> str:
    return (files("services.browser_pool.adapters.observe") / "pending.js").read_text(encoding="utf-8")

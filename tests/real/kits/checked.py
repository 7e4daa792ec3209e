"""A browser pool's session on a page that tells what its widgets hold; each result is kept beside that."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from typing import Any

import msgspec

from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.snapshot import compose
from shared.contracts.actions import BrowserAction, Goto
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import ActionResult

STILL_MS, STILL_BOUND_MS = 300, 4000
"""What the widgets hold has not changed for this time; it is waited for so long at most."""
READ = """({ state: probe(), says: says(), text: document.body.innerText,
    focus: document.activeElement?.outerHTML ?? '', typed: document.activeElement?.value ?? null })"""


class Held(msgspec.Struct, frozen=True):
    """What the widgets of a page hold, by key, and the texts that say so truly.

    ``text``: all that the page shows. ``focus``: the element with the focus, and ``typed``: what is typed in it.
    """

    state: dict[str, Any]
    says: dict[str, list[str]]
    text: str = ""
    focus: str = ""
    typed: str | int | None = None


@dataclass(frozen=True)
class Told:
    """One action, what was told of it, and what the page held before, at once after, and at rest."""

    action: BrowserAction
    result: ActionResult
    before: Held
    now: Held
    later: Held
    ms: float


@dataclass
class CheckedHand:
    """The hand of a `tests.real.player.Player`. ``told``: all actions on the page, in order."""

    session: PageSession
    told: list[Told] = field(default_factory=list[Told])
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    async def observe(self, *, max_tokens: int) -> PageObserved:
        snapshot_id = f"s{next(self._numbers)}"
        return compose(await self.session.observe(snapshot_id, max_tokens=max_tokens), snapshot_id)

    async def act(self, action: BrowserAction) -> ActionResult:
        if isinstance(action, Goto):
            return (await self.session.act(action)).result
        before = await self.read()
        result, ms = await self.timed(action)
        now = await self.read()
        await self.session.page.evaluate(f"atRest({STILL_MS}, {STILL_BOUND_MS})")
        self.told.append(Told(action, result, before, now, await self.read(), ms))
        return result

    async def timed(self, action: BrowserAction) -> tuple[ActionResult, float]:
        """Execute an action without a look at the page before or after it."""
        began_s = time.perf_counter()
        result = (await self.session.act(action)).result
        return result, (time.perf_counter() - began_s) * 1000

    async def read(self) -> Held:
        return msgspec.convert(await self.session.page.evaluate(READ), Held)

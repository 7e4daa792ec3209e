"""Sliders and spin buttons: set by their keys, step by step, and read back."""

from __future__ import annotations

import time
from dataclasses import dataclass
from decimal import Decimal

import msgspec
from playwright.async_api import Error

from services.browser_pool.adapters.actions.effects import takes_focus
from services.browser_pool.adapters.actions.pointer.hit_test import await_input, reach
from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.engine import ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import matching
from shared.contracts.results import ValueSet

STEPPED = "action-stepped"
STEPS_S = 30.0
"""Time limit for the way to the value."""
MOST_AT_ONCE = 10
"""Keys between two looks at the value."""
FAR = 20.0
"""From this many steps on, the keys that take several steps at a time are tried."""
KEYS = (("ArrowUp", "ArrowDown"), ("ArrowRight", "ArrowLeft"))
FAR_KEYS = (("PageUp", "PageDown"),)
MOST_NAMED = 200
"""Steps on which a text is looked for (``Medium``)."""


class RangeState(msgspec.Struct, frozen=True):
    """A slider or spin button; ``found`` is False where the element is none and does not contain exactly one.

    ``own``: it is an input. ``now``, ``low`` and ``high`` are numbers where it has them; ``text`` is what it shows.
    """

    found: bool = False
    own: bool = False
    disabled: bool = False
    now: float | None = None
    low: float | None = None
    high: float | None = None
    text: str = ""


async def read_range(session: PageSession, found: ResolvedElement) -> RangeState:
    """Return the state of the slider or spin button, which the page engine stores under STEPPED."""
    work = ask(found.frame, RangeState, session.limits.action_s, "stepped", found.snapshot_id, found.n, STEPPED)
    return await session.run_timed(work)


def says_value(state: RangeState, wanted: str) -> bool:
    """Return whether it stands at the wanted number, or shows the wanted text."""
    number = matching.number_in(wanted)
    if number is not None and state.now is not None:
        return abs(float(number) - state.now) < 1e-6
    return matching.says_the_same(wanted, state.text)


async def set_number(session: PageSession, found: ResolvedElement, wanted: str, *, at_once: bool) -> PerformOutcome:
    """Set the slider or spin button to a number, or to a text that it shows for one.

    ``at_once``: it is an input that may take the number as a whole; its keys are used where it does not.
    """
    keys = NumberKeys(session, found)
    target = found.to_target_found()
    state = await keys.read()
    what = f'{found.now.role} "{found.now.name}"'
    if state.disabled:
        return refuse("not_editable", f"{what} is disabled or read-only", target=target)
    number = matching.number_in(wanted)
    low, high = state.low, state.high
    if number is not None and ((low is not None and number < low) or (high is not None and number > high)):
        message = f'{what} takes {_bounds(low, high)}; it holds "{state.text}"'
        return refuse("effect_not_seen", message, effect=ValueSet(value=state.text), target=target)
    # What covers it is closed, as a person would have to.
    await reach(session, found, patience_s=0.0)
    if at_once and number is not None and not says_value(state, wanted):
        await keys.fill(number)
        state = await keys.read()
    if not says_value(state, wanted):
        if not await takes_focus(session, found.frame, STEPPED, 0):
            return refuse("not_editable", f"{what} does not take the focus, so no key reaches it", target=target)
        if number is not None:
            await keys.step_to(float(number))
        else:
            await keys.step_to_text(wanted)
    await session.wait_for_rest()
    state = await keys.read()
    if not state.found:
        return refuse("effect_not_seen", f"{what} went away before it could be read back", target=target)
    effect = ValueSet(value=state.text)
    if not says_value(state, wanted):
        steps = f"; its keys move it in steps of {keys.step:g}" if keys.step else "; its keys do not move it"
        return refuse("effect_not_seen", f'{what} holds "{state.text}"{steps}', effect=effect, target=target)
    return done(f'set "{found.now.name}" to {state.text}', effect=effect, target=target)


def _bounds(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"{low:g} or more" if low is not None else f"{high:g} or less"
    return f"{low:g} to {high:g}"


@dataclass
class NumberKeys:
    """The keys of one slider or spin button. ``step``: what an arrow key moved it by; 0 while that is unknown."""

    session: PageSession
    found: ResolvedElement
    step: float = 0.0

    async def read(self) -> RangeState:
        return await read_range(self.session, self.found)

    async def fill(self, number: Decimal) -> None:
        field = engine.element(self.found.frame, STEPPED, 0)
        try:
            await self.session.run_timed(field.fill(f"{number:f}", timeout=self.session.limits.action_s * 1000))
        except Error as error:  # a value between its steps
            self.session.tabs.raise_if_lost(error)
        await self.session.wait_for_rest()

    async def press(self, key: str, times: int = 1) -> float | None:
        """Press a key and return the number that it leads to."""
        for _ in range(times):
            await await_input(self.session, self.session.page.keyboard.press(key))
        try:
            return (await self.read()).now
        except Error as error:
            self.session.tabs.raise_if_lost(error)
            return None

    async def step_to(self, wanted: float) -> None:
        """Go as near to the number as the keys allow, and never back and forth."""
        until_s = time.monotonic() + STEPS_S
        now = (await self.read()).now
        if now is None:  # an empty spin button has a number after its first step
            now = await self.press(KEYS[0][0])
        pair = None if now is None else await self._working_keys(now, wanted, KEYS)
        if now is None or pair is None:
            return
        now = (await self.read()).now
        if now is not None and abs(wanted - now) > FAR * self.step:
            await self._go(wanted, FAR_KEYS, until_s)
        await self._go(wanted, (pair,), until_s)

    async def _go(self, wanted: float, pairs: tuple[tuple[str, str], ...], until_s: float) -> None:
        """Press as long as a step does not go past the number."""
        arrow = self.step
        now = (await self.read()).now
        pair = None if now is None else await self._working_keys(now, wanted, pairs)
        size, self.step = self.step, arrow or self.step
        now = (await self.read()).now
        while pair is not None and now is not None and time.monotonic() < until_s:
            left = wanted - now
            count = int(abs(left) / size + 1e-6) if size else 0
            if count < 1:
                return
            after = await self.press(pair[0] if left > 0 else pair[1], min(count, MOST_AT_ONCE))
            if after is None or after == now or (wanted - after) * left < 0:
                return
            now = after

    async def _working_keys(
        self, now: float, wanted: float, pairs: tuple[tuple[str, str], ...]
    ) -> tuple[str, str] | None:
        """Return the keys that raise and lower the number, found by one step towards the wanted one; None where no key
        moves it. Where a page is written from right to left they change places."""
        for raises, lowers in pairs:
            if now == wanted:
                return None
            key = raises if wanted > now else lowers
            after = await self.press(key)
            if after is None or after == now:
                continue
            self.step = abs(after - now)
            if (after - now) * (wanted - now) > 0:
                return (raises, lowers)
            await self.press(lowers if key == raises else raises)
            return (lowers, raises)
        return None

    async def step_to_text(self, wanted: str) -> None:
        """Go from the lowest value upwards until it shows the text."""
        before = await self.press("Home")
        for _ in range(MOST_NAMED):
            if says_value(await self.read(), wanted):
                return
            after = await self.press(KEYS[1][0])
            if after == before:
                return
            self.step, before = abs((after or 0.0) - (before or 0.0)), after

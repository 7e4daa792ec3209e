"""The select_option action: selects an option of a native select."""

from __future__ import annotations

import asyncio
import time

from playwright.async_api import Error

from services.browser_pool.adapters.actions.select.picker import read_while_kept
from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.observe.engine import ElementState, StaleElement
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import matching
from shared.contracts.actions import SelectOption
from shared.contracts.error_codes import ActionCode
from shared.contracts.results import PageChanged, ValueSet

LATE_OPTIONS_S = 1.5
"""Time for lists that depend on another, or that are filled when focused."""
POLL_S = 0.05


@performs(SelectOption)
async def select_option(session: PageSession, action: SelectOption) -> PerformOutcome:
    found = await session.find(action.target, "select")
    if isinstance(found, PerformOutcome):
        return found
    if found.now.tag != "select":
        message = f'{found.now.role} "{found.now.name}" is no native select; use pick on it'
        return refuse("not_editable", message, target=found.to_target_found())
    return await pick_native(session, found, action.option)


async def pick_native(session: PageSession, found: ResolvedElement, option: str) -> PerformOutcome:
    """Select one option; in a multiple select the others stay selected."""
    now = await _wait_for_option(session, found, option)
    index = matching.pick_option(now.options, option)
    if index is None:
        several = [label for label, _, _ in now.options].count(option.strip()) > 1
        code: ActionCode = "ambiguous" if several else "no_such_option"
        return refuse(code, matching.no_such_option(now.options, option), target=found.to_target_found())
    label, _, disabled = now.options[index]
    if disabled or now.disabled:
        return refuse("not_editable", f'"{label}" cannot be picked: it is disabled', target=found.to_target_found())
    selected = await _selected_indexes(session, found)
    await session.run_timed(
        found.locator.select_option(index=sorted({*selected, index}), timeout=session.limits.action_s * 1000)
    )
    after = await _read_at_rest(session, found)
    if isinstance(after, StaleElement):
        return done(f'picked "{label}", and the page went on', effect=PageChanged(), target=found.to_target_found())
    effect = ValueSet(value=after.text)
    if label not in after.selected:
        message = f'after picking, the list shows "{after.text}"'
        return refuse("effect_not_seen", message, effect=effect, target=found.to_target_found())
    return done(f'picked "{label}"', effect=effect, target=found.to_target_found())


async def _read_at_rest(session: PageSession, found: ResolvedElement) -> ElementState | StaleElement:
    """Return the list after the page came to rest, which may have reverted the choice; else as it was before."""

    async def read() -> ElementState | StaleElement:
        return await session.run_timed(found.again(session.limits.action_s))

    at_once = await read()
    await session.wait_for_rest()
    if isinstance(at_once, StaleElement):
        return at_once
    later = await read_while_kept(
        session, await read(), lambda now: isinstance(now, ElementState) and now.text == at_once.text, read
    )
    return at_once if isinstance(later, StaleElement) else later


async def _wait_for_option(session: PageSession, found: ResolvedElement, option: str) -> ElementState:
    """Return the list once the wanted option is in it, or at the timeout."""
    now = found.now
    until_s = time.monotonic() + min(session.patient_s(LATE_OPTIONS_S), session.limits.action_s)
    if not now.disabled and matching.pick_option(now.options, option) is None:
        await session.run_timed(found.locator.focus(timeout=session.limits.action_s * 1000))
    while matching.pick_option(now.options, option) is None and time.monotonic() < until_s:
        await session.run_timed(asyncio.sleep(POLL_S))
        again = await session.run_timed(found.again(session.limits.action_s))
        if isinstance(again, StaleElement):
            break
        now = again
    return now


async def _selected_indexes(session: PageSession, found: ResolvedElement) -> tuple[int, ...]:
    script = "el => el.multiple ? [...el.options].flatMap((one, at) => one.selected ? [at] : []) : []"
    try:
        return tuple(await session.run_timed(found.locator.evaluate(script, timeout=session.limits.action_s * 1000)))
    except Error as error:
        session.tabs.raise_if_lost(error)
        return ()

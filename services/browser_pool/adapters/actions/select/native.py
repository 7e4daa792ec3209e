"""Picking one of several options of a native select."""

from __future__ import annotations

import asyncio
import time

from playwright.async_api import Error

from services.browser_pool.adapters.observe.engine import Described, Gone
from services.browser_pool.adapters.observe.targets import Found
from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import matching
from shared.contracts.actions import SelectOption
from shared.contracts.codes import ActionCode
from shared.contracts.results import PageChanged, ValueSet

LATE_OPTIONS_S = 1.5
"""Lists that depend on another, or are filled when they get the focus, have this long to get their options."""
POLL_S = 0.05


async def select_option(session: PageSession, action: SelectOption) -> Outcome:
    found = await session.find(action.target, "select")
    if isinstance(found, Outcome):
        return found
    if found.now.tag != "select":
        message = f'{found.now.role} "{found.now.name}" is no native select; use pick on it'
        return refuse("not_editable", message, target=found.told())
    return await pick_native(session, found, action.option)


async def pick_native(session: PageSession, found: Found, option: str) -> Outcome:
    """Of a list that takes several, what is picked already stays picked."""
    now = await _offering(session, found, option)
    index = matching.pick_option(now.options, option)
    if index is None:
        several = [label for label, _, _ in now.options].count(option.strip()) > 1
        code: ActionCode = "ambiguous" if several else "no_such_option"
        return refuse(code, matching.no_such_option(now.options, option), target=found.told())
    label, _, disabled = now.options[index]
    if disabled or now.disabled:
        return refuse("not_editable", f'"{label}" cannot be picked: it is disabled', target=found.told())
    kept = await _picked_already(session, found)
    await session.timed(
        found.locator.select_option(index=sorted({*kept, index}), timeout=session.limits.action_s * 1000)
    )
    after = await _shown(session, found)
    if isinstance(after, Gone):
        return done(f'picked "{label}", and the page went on', effect=PageChanged(), target=found.told())
    effect = ValueSet(value=after.text)
    if label not in (after.text, *after.text.split(", ")):
        message = f'after picking, the list shows "{after.text}"'
        return refuse("effect_not_seen", message, effect=effect, target=found.told())
    return done(f'picked "{label}"', effect=effect, target=found.told())


async def _shown(session: PageSession, found: Found) -> Described | Gone:
    """The list once the page has come to rest, for it may have taken the choice back; as it was before that, where
    the page has gone on."""
    at_once = await session.timed(found.again(session.limits.action_s))
    await session.settle()
    later = at_once if isinstance(at_once, Gone) else await session.timed(found.again(session.limits.action_s))
    return at_once if isinstance(later, Gone) else later


async def _offering(session: PageSession, found: Found, option: str) -> Described:
    """The list with its options, once the one that is meant is among them, or it is clear that it will not be."""
    now = found.now
    until_s = time.monotonic() + min(LATE_OPTIONS_S, session.limits.action_s)
    if not now.disabled and matching.pick_option(now.options, option) is None:
        await session.timed(found.locator.focus(timeout=session.limits.action_s * 1000))
    while matching.pick_option(now.options, option) is None and time.monotonic() < until_s:
        await session.timed(asyncio.sleep(POLL_S))
        again = await session.timed(found.again(session.limits.action_s))
        if isinstance(again, Gone):
            break
        now = again
    return now


async def _picked_already(session: PageSession, found: Found) -> tuple[int, ...]:
    script = "el => el.multiple ? [...el.options].flatMap((one, at) => one.selected ? [at] : []) : []"
    try:
        return tuple(await session.timed(found.locator.evaluate(script, timeout=session.limits.action_s * 1000)))
    except Error as error:
        session.tabs.raise_if_lost(error)
        return ()

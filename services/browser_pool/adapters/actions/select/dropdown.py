"""Picking an option in whatever offers options."""

from __future__ import annotations

import asyncio
import time

from playwright.async_api import Error

from services.browser_pool.adapters.actions.effects import page_before
from services.browser_pool.adapters.actions.hit_test import MAX_PRESSES, reach, reach_part
from services.browser_pool.adapters.actions.select.native import pick_native
from services.browser_pool.adapters.actions.select.picker import OFFERED, Aimed, Choices, Moved, Picking
from services.browser_pool.adapters.actions.select.read_back import Before, Pressed, is_picked, option_state, read_back
from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.engine import ask
from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import options
from services.browser_pool.page.options import Offer
from shared.contracts.actions import PickOption
from shared.contracts.results import ValueSet

LIST_BOUND_S = 4.0
"""How long a list may take to come and to hold still, while nothing is loading."""
LOADING_BOUND_S = 15.0
"""And with what it loads: a slow server is waited for."""
STILL_S = 0.2
EMPTY_S = 0.7
"""A list that shows nothing, and says nothing of more to come, is believed after this long."""
SCROLL_BOUND_S = 15.0
POLL_S = 0.05


async def pick(session: PageSession, action: PickOption) -> Outcome:
    found = await session.find(action.target, "act")
    if isinstance(found, Outcome):
        return found
    if found.now.tag == "select":
        return await pick_native(session, found, action.option)
    if found.now.disabled:
        return refuse("not_editable", f'{found.now.role} "{found.now.name}" is disabled', target=found.told())
    picking = Picking(session, found)
    before = await page_before(session, found)
    shown = await picking.shown()
    path = (action.option,)
    choices = await _opened(picking, action.option)
    if isinstance(choices, Outcome):
        return choices
    index = await _meant(picking, choices, action.option)
    if isinstance(index, Outcome) and index.code == "no_such_option" and len(options.steps(action.option)) > 1:
        path = options.steps(action.option)
        index = await _through_menus(picking, path)
    if isinstance(index, Outcome):
        await _put_away(picking)
        return index
    if choices.kind == "datalist":
        return await _suggested(picking, choices.items[index])
    return await _pressed(picking, Before(before, shown, await picking.around(), path[-1]))


async def _suggested(picking: Picking, offer: Offer) -> Outcome:
    """The suggestions of a plain field are shown by the browser, not the page; the field takes their value."""
    value = (*offer.parts, offer.name)[0]
    locator = picking.found.locator
    await picking.session.timed(locator.fill(value, timeout=picking.bound_s * 1000))
    await picking.session.settle()
    shown = await picking.shown()
    effect = ValueSet(value=shown.value)
    if shown.value != value:
        message = f'after picking "{offer.name}" the field holds "{shown.value}"'
        return refuse("effect_not_seen", message, effect=effect, target=picking.found.told())
    return done(f'picked "{offer.name}"', effect=effect, target=picking.found.told())


async def _opened(picking: Picking, option: str) -> Choices | Outcome:
    """The list, opened where it has to be; it is found by what came into sight."""
    await picking.mark()
    choices = await picking.choices()
    if choices.kind in ("inside", "datalist") or choices.items:
        return choices
    reached = await reach(picking.session, picking.found)
    if isinstance(reached, Outcome):
        return reached
    for _ in range(2):
        await reached.press(picking.session)
        choices = await _held_still(picking, option)
        if choices.items or choices.search or (await picking.sights()).left == 0:
            return choices
        # It was open, and has been closed by this.
        await picking.mark()
    return choices


async def _held_still(picking: Picking, option: str, patience_s: float = STILL_S) -> Choices:
    """The list once it has not changed for ``patience_s``; at once, where what is meant is in it.

    What has just been loaded is not drawn yet, so it is waited for from then on. And a browser that is short of time
    comes late to the page's timers: it is looked at as often as ``patience_s`` asks for, however long that takes.
    """
    network = picking.session.network
    began_s = idle_s = still_s = time.monotonic()
    looks = 0
    choices = await picking.choices()
    while True:
        now_s = time.monotonic()
        loading = choices.loading or network.holding() or (not choices.items and network.asked_by_action())
        if loading:
            idle_s, still_s, looks = now_s, now_s, 0
        quiet_s = patience_s if choices.items or choices.search else EMPTY_S
        if not loading and now_s - still_s >= quiet_s and looks >= quiet_s / POLL_S / 2:
            return choices
        if now_s - began_s >= LOADING_BOUND_S or now_s - idle_s >= LIST_BOUND_S:
            return choices
        if len(options.meant(choices.items, option)) == 1 and not loading and now_s - still_s >= POLL_S:
            return choices
        await picking.session.timed(asyncio.sleep(POLL_S))
        fresh = await picking.choices()
        looks += 1
        if fresh.items != choices.items:
            still_s, looks = time.monotonic(), 0
        choices = fresh


async def _meant(picking: Picking, choices: Choices, option: str) -> int | Outcome:
    """The index of the option, searched for where the list can be searched, scrolled to where it goes on."""
    found = _one_of(picking, choices, option)
    if found is None and choices.kind == "datalist":
        return _none(picking, option)
    if found is None and choices.search:
        narrowed = await _filtered(picking, option)
        found = _one_of(picking, narrowed, option)
        if found is None and narrowed.items != choices.items:
            return _none(picking, option, searched=True)
    if found is None:
        found = await _scrolled(picking, choices, option)
    return _none(picking, option, searched=choices.search) if found is None else found


def _one_of(picking: Picking, choices: Choices, option: str) -> int | Outcome | None:
    indexes = options.meant(choices.items, option)
    target = picking.found.told()
    if len(indexes) > 1:
        several = options.listing(choices.items[n].name for n in indexes)
        message = f'"{option}" is {len(indexes)} of the options, and it must be one: {several}'
        return refuse("ambiguous", message, target=target)
    if not indexes:
        return None
    if choices.items[indexes[0]].disabled:
        return refuse("not_editable", f'"{option}" cannot be picked: it is disabled', target=target)
    return indexes[0]


def _none(picking: Picking, option: str, *, searched: bool = False) -> Outcome:
    message = f'"{option}" is not one of the options of {picking.called}: {options.listing(picking.offered)}'
    if not picking.offered:
        why = f'typing "{option}" brought none' if searched else "no list came up"
        message = f"{picking.called} offers nothing to pick from: {why}"
    return refuse("no_such_option", message, target=picking.found.told())


async def _filtered(picking: Picking, text: str) -> Choices:
    """Types into the field that narrows the list, the last letter with a real key: some lists listen for nothing
    else."""
    session = picking.session
    field_ = engine.element(picking.found.frame, OFFERED + "s", 0)
    picking.typed = text
    try:
        await session.timed(field_.fill(text[:-1], timeout=picking.bound_s * 1000))
        if text:
            await session.timed(field_.press_sequentially(text[-1], timeout=picking.bound_s * 1000))
    except Error as error:
        session.tabs.raise_if_lost(error)
    return await _held_still(picking, text, patience_s=EMPTY_S)


async def _scrolled(picking: Picking, choices: Choices, option: str) -> int | Outcome | None:
    """Through a list that shows only some of its options at a time, or brings more as it is scrolled."""
    until_s = time.monotonic() + SCROLL_BOUND_S
    frame, how = picking.found.frame, "top"
    while choices.items and time.monotonic() < until_s:
        moved = await picking.session.timed(ask(frame, Moved, picking.bound_s, "scrollChoices", OFFERED, how))
        if how == "down" and moved.moved < 1:
            fresh = await _held_still(picking, option)
            if fresh.items == choices.items:
                return _one_of(picking, fresh, option)
            choices = fresh
            continue
        how = "down"
        await picking.session.timed(asyncio.sleep(POLL_S))
        choices = await picking.choices()
        found = _one_of(picking, choices, option)
        if found is not None:
            return found
    return None


async def _through_menus(picking: Picking, path: tuple[str, ...]) -> int | Outcome:
    """Opens one submenu after the other; the last step is left to be pressed."""
    choices = await picking.choices()
    for at, step in enumerate(path):
        found = _one_of(picking, choices, step)
        if found is None:
            return _none(picking, step)
        if isinstance(found, Outcome) or at == len(path) - 1:
            return found
        choices = await _entered(picking, found, path[at + 1])
        if isinstance(choices, Outcome):
            return choices
    return _none(picking, path[-1])


async def _entered(picking: Picking, index: int, following: str) -> Choices | Outcome:
    """Some submenus open under the mouse, others when pressed."""
    reached = await reach_part(picking.session, picking.found.frame, OFFERED, index, "the submenu")
    if isinstance(reached, Outcome):
        return reached
    await reached.hover(picking.session)
    choices = await _held_still(picking, following)
    if options.meant(choices.items, following):
        return choices
    await reached.press(picking.session)
    return await _held_still(picking, following)


async def _pressed(picking: Picking, before: Before) -> Outcome:
    """Lists are drawn anew under the mouse: the option is looked for again where it was missed."""
    session, found = picking.session, picking.found
    for _ in range(MAX_PRESSES):
        choices = await picking.choices()
        indexes = options.meant(choices.items, before.option)
        if len(indexes) != 1:
            message = f'"{before.option}" went away before it could be picked'
            return refuse("no_such_option", message, target=found.told())
        offer = choices.items[indexes[0]]
        if choices.many and offer.selected and await is_picked(picking, offer, choices):
            return done(f'"{offer.name}" is picked already', effect=ValueSet(value=offer.name), target=found.told())
        await session.timed(ask(found.frame, Aimed, picking.bound_s, "aim", OFFERED, indexes[0], before.option))
        reached = await reach_part(session, found.frame, OFFERED + "p", 0, f'the option "{offer.name}"')
        if isinstance(reached, Outcome):
            return reached
        if await reached.press(session):
            # Read while the list may still be there; afterwards it is often gone.
            marked = await option_state(picking, indexes[0])
            await session.settle()
            return await read_back(picking, Pressed(offer, choices, marked, before))
    message = f'"{before.option}" cannot be pressed: something else came under the mouse'
    return refuse("blocked", message, target=found.told())


async def _put_away(picking: Picking) -> None:
    """Closes the list that was opened for nothing, without closing the dialog it is in."""
    try:
        choices = await picking.choices()
        if choices.kind != "opens" or not choices.opened:
            return
        reached = await reach(picking.session, picking.found)
        if isinstance(reached, Outcome):
            await picking.session.timed(picking.session.page.keyboard.press("Escape"))
            return
        shown = await picking.shown()
        if choices.search and shown.role != "button":
            await picking.session.timed(picking.session.page.keyboard.press("Escape"))
        else:
            await reached.press(picking.session)
    except Error as error:
        picking.session.tabs.raise_if_lost(error)
    await picking.session.settle()

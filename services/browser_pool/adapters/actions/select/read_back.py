"""What came of a pick: it is done once the page shows it, and shows it still a little later."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from playwright.async_api import Error

from services.browser_pool.adapters.actions.effects import changed, navigated
from services.browser_pool.adapters.actions.hit_test import Reached, reach_part
from services.browser_pool.adapters.actions.press import Shown
from services.browser_pool.adapters.actions.select.picker import OFFERED, Choices, Picking
from services.browser_pool.adapters.observe.engine import State, ask
from services.browser_pool.adapters.observe.targets import Found
from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.page import options
from services.browser_pool.page.options import Offer
from shared.contracts.actions import ByCss
from shared.contracts.results import Effect, Navigated, NotSeen, PageChanged, ValueSet
from shared.text.normal import fold

LATE_S = 1.0
"""A control that does not show the choice at once is given this long."""
HOLDS_S = 0.3
"""What it shows must be there still after this long: some pages show a choice first and then take it back."""
POLL_S = 0.05
MENUS = frozenset({"menu", "menubar", "menuitem", "button", "tablist", "link", "toolbar", "list", "navigation"})


@dataclass(frozen=True)
class Before:
    page: State
    shown: Shown
    around: str
    option: str


@dataclass(frozen=True)
class Pressed:
    """The option that was pressed, out of which choices. ``marked``: it said at once that it is picked."""

    offer: Offer
    choices: Choices
    marked: bool
    before: Before

    @property
    def said(self) -> str:
        return f'picked "{self.offer.name}"'


async def read_back(picking: Picking, pressed: Pressed) -> Outcome:
    outcome = await _once_told(picking, pressed)
    if not outcome.ok or not isinstance(outcome.effect, ValueSet):
        return outcome
    await picking.session.timed(asyncio.sleep(HOLDS_S))
    await picking.session.settle()
    later = await _told(picking, pressed)
    if later.ok and isinstance(later.effect, ValueSet | Navigated):
        return later
    shown = await picking.shown()
    # What has gone since, as a dialog that closes, has taken nothing back.
    return outcome if not shown.here else _taken_back(picking, pressed, shown)


async def _once_told(picking: Picking, pressed: Pressed) -> Outcome:
    until_s = time.monotonic() + LATE_S
    outcome = await _told(picking, pressed)
    while outcome.code == "effect_not_seen" and time.monotonic() < until_s:
        await picking.session.timed(asyncio.sleep(POLL_S))
        await picking.session.settle()
        outcome = await _told(picking, pressed)
    return outcome


def _taken_back(picking: Picking, pressed: Pressed, shown: Shown) -> Outcome:
    message = f'{pressed.said}, and the page took it back: the control shows "{shown.value}"'
    return refuse("effect_not_seen", message, effect=ValueSet(value=shown.value), target=picking.found.told())


async def _told(picking: Picking, pressed: Pressed) -> Outcome:
    """What the page says of it now."""
    session = picking.session
    if session.tabs.follow() or navigated(pressed.before.page, session.rest.state):
        effect: Effect = Navigated(url=session.page.url, http_status=session.network.fresh_status)
        return done(f"{pressed.said}, and the page went on", effect=effect, target=picking.found.told())
    if pressed.choices.kind == "inside":
        return await _told_inside(picking, pressed)
    shown = await picking.shown()
    return await _told_by_control(picking, pressed, shown if shown.here else await _shown_again(picking))


async def _told_inside(picking: Picking, pressed: Pressed) -> Outcome:
    """In a group whose choices are all there to see, the choice itself says whether it is picked now."""
    offer, choices, target = pressed.offer, pressed.choices, picking.found.told()
    if await _marked(picking, pressed) and (not choices.many or await is_picked(picking, offer, choices)):
        return done(pressed.said, effect=ValueSet(value=offer.name), target=target)
    if picking.found.now.role in MENUS or not offer.marks:
        return _done_in_menu(picking, pressed)
    return refuse("effect_not_seen", f'after pressing "{offer.name}", it is not picked', target=target)


async def _told_by_control(picking: Picking, pressed: Pressed, shown: Shown) -> Outcome:
    """By what the control shows, by what has come up beside it, else by the option itself."""
    offer, choices, before, target = pressed.offer, pressed.choices, pressed.before, picking.found.told()
    others = {fold(one.name) for one in choices.items} - {fold(offer.name)}
    another = fold(shown.value) in others
    unlike = f'after picking "{offer.name}" the control shows "{shown.value}"'
    is_new = shown.here and shown.value != before.shown.value
    if is_new and not choices.many and (another or await _only_typed(picking, shown)):
        return refuse("effect_not_seen", unlike, effect=ValueSet(value=shown.value), target=target)
    if shown.here and not another and options.shows(shown.value, offer):
        return done(pressed.said, effect=ValueSet(value=shown.value), target=target)
    if shown.here and await _told_around(picking, offer, before):
        return done(pressed.said, effect=ValueSet(value=offer.name), target=target)
    if choices.many and pressed.marked and await is_picked(picking, offer, await picking.choices()):
        return done(pressed.said, effect=ValueSet(value=offer.name), target=target)
    if is_new and shown.value:
        message = f'{pressed.said}; the control now shows "{shown.value}"'
        return done(message, effect=ValueSet(value=shown.value), target=target)
    if picking.found.now.role in MENUS:
        return _done_in_menu(picking, pressed)
    return refuse("effect_not_seen", unlike, effect=ValueSet(value=shown.value), target=target)


async def _only_typed(picking: Picking, shown: Shown) -> bool:
    """The field holds what was typed to narrow the list, and the list still offers the option: the press did
    nothing."""
    if not picking.typed or fold(shown.value) != fold(picking.typed):
        return False
    option = await _option(picking, OFFERED + "p", 0)
    return option.here and option.seen


async def _marked(picking: Picking, pressed: Pressed) -> bool:
    """Whether the option says that it is picked; what it said at once, where it is no longer there."""
    now = await picking.choices()
    indexes = options.meant(now.items, pressed.before.option)
    return await option_state(picking, indexes[0]) if len(indexes) == 1 else pressed.marked


async def is_picked(picking: Picking, offer: Offer, choices: Choices) -> bool:
    """Some lists call an option selected that is only under the mouse: it must stay so when the mouse is on another."""
    shown = await picking.shown()
    if shown.here and options.shows(shown.value, offer):
        return True
    others = [n for n, one in enumerate(choices.items) if one.name != offer.name and not one.disabled]
    if others:
        way = await reach_part(picking.session, picking.found.frame, OFFERED, others[0], "another option", patience_s=0)
        if isinstance(way, Reached):
            await way.hover(picking.session)
            await picking.session.settle()
    now = (await picking.choices()).items
    return any(one.name == offer.name and one.selected for one in now)


async def option_state(picking: Picking, index: int) -> bool:
    """Whether an option says that it is picked."""
    shown = await _option(picking, OFFERED, index)
    return shown.here and bool(shown.checked or shown.selected)


async def _option(picking: Picking, held: str, index: int) -> Shown:
    try:
        return await picking.session.timed(ask(picking.found.frame, Shown, picking.bound_s, "shown", held, index))
    except Error as error:
        picking.session.tabs.raise_if_lost(error)
        return Shown(here=False)


def _done_in_menu(picking: Picking, pressed: Pressed) -> Outcome:
    """A menu does something; it has no value to show."""
    session = picking.session
    acted = changed(pressed.before.page, session.rest.state) or bool(session.tabs.dialogs)
    seen = "" if acted else "; nothing was seen to come of it"
    effect = PageChanged() if acted else NotSeen()
    return done(f"{pressed.said}{seen}", effect=effect, target=picking.found.told())


async def _told_around(picking: Picking, offer: Offer, before: Before) -> bool:
    """Chips beside the field: the text is there more often than before."""
    now = await picking.around()
    name = fold(offer.name)
    return fold(now).count(name) > fold(before.around).count(name)


async def _shown_again(picking: Picking) -> Shown:
    """The control was drawn anew: it is looked for by what found it before."""
    for locator in picking.found.told().locators:
        if locator.kind in ("id", "testid", "css") and locator.matches == 1:
            found = await picking.session.find(ByCss(css=locator.value), "read")
            if isinstance(found, Found) and found.now.role == picking.found.now.role:
                picking.found = found
                return await picking.shown()
    return Shown(here=False)

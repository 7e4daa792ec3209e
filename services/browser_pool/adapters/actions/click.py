"""Clicks, and the mouse over things."""

from __future__ import annotations

import msgspec
from playwright.async_api import Error

from services.browser_pool.adapters.actions.effects import changed, navigated, page_before
from services.browser_pool.adapters.actions.hit_test import heard, press_on, reach
from services.browser_pool.adapters.actions.mouse import arrive
from services.browser_pool.adapters.observe.engine import Described, Gone, State, ask
from services.browser_pool.adapters.observe.targets import Found
from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Click, Hover
from shared.contracts.results import CheckboxSet, Effect, Navigated, NotSeen, PageChanged

SIGHTS = "hands-sights"


class Sights(msgspec.Struct, frozen=True):
    """What came into sight since the mark, how much went, and how the first of it reads."""

    came: int
    left: int
    texts: tuple[str, ...]


class Marked(msgspec.Struct, frozen=True):
    count: int


async def click(session: PageSession, action: Click) -> Outcome:
    found = await session.find(action.target, "act")
    if isinstance(found, Outcome):
        return found
    if found.now.tag == "option":
        return refuse("failed", "an option is not clicked; use select_option on its list", target=found.told())
    before = await page_before(session, found)
    refusal = await press_on(session, found)
    if refusal is not None:
        return refusal
    await session.settle()
    effect = await effect_of_click(session, found, before)
    return _clicked(session, found, effect)


async def effect_of_click(session: PageSession, found: Found, before: State) -> Effect:
    if session.tabs.follow():
        await session.settle()
        return Navigated(url=session.page.url, http_status=session.network.status(session.page))
    after = session.rest.state
    if navigated(before, after):
        return Navigated(url=session.page.url, http_status=session.network.fresh_status)
    element = await session.timed(found.again(session.limits.action_s)) if _is_worth_a_look(found) else None
    if isinstance(element, Described) and element.checked is not None and not _refused(found, element):
        return CheckboxSet(checked=element.checked)
    if session.tabs.dialogs or changed(before, after) or _changed_inside(found, element):
        return PageChanged()
    return NotSeen()


def _is_worth_a_look(found: Found) -> bool:
    """A check box says what became of it; an element in a child frame, what became of its document."""
    return found.now.checkable or (found.frame.parent_frame is not None and not found.frame.is_detached())


def _refused(found: Found, element: Described) -> bool:
    """Whether a check box stayed as it was; a radio button that is on stays on, and that is what was wanted."""
    return found.now.type == "checkbox" and element.checked == found.now.checked


def _changed_inside(found: Found, element: Described | Gone | None) -> bool:
    return found.frame.parent_frame is not None and (not isinstance(element, Described) or changed(found.now, element))


def _clicked(session: PageSession, found: Found, effect: Effect) -> Outcome:
    what = f'{found.now.role} "{found.now.name or found.now.text[:80]}"'
    status = effect.http_status if isinstance(effect, Navigated) else None
    if status is not None and status >= 400:
        return refuse(
            "http_error", f"clicked {what}; the page answered with HTTP {status}", effect=effect, target=found.told()
        )
    message = f"clicked {what}"
    if session.tabs.opened:
        message += f"; it opened the tab {session.tabs.number(session.page)}, which is looked at now"
    if isinstance(effect, NotSeen) and not session.files.incoming:
        message += "; nothing was seen to come of it"
    if session.tabs.downloads:
        message += f'; it offers the file "{session.tabs.downloads[-1].suggested_filename}": use download to keep it'
    if session.tabs.dialogs:
        message += f"; a dialog opened and was answered: {session.tabs.dialogs[-1]}"
    return done(message, effect=effect, target=found.told())


async def hover(session: PageSession, action: Hover) -> Outcome:
    """What a hover shows is often a matter of style alone, so what is in sight is compared."""
    found = await session.find(action.target, "act")
    if isinstance(found, Outcome):
        return found
    reached = await reach(session, found, enabled=False)
    if isinstance(reached, Outcome):
        return reached
    before = await page_before(session, found)
    # A mouse that is there already moves away first, or nothing would be noticed.
    await heard(session, session.page.mouse.move(0, 0))
    await session.timed(ask(found.frame, Marked, session.limits.action_s, "mark", SIGHTS))
    # Straight there: what a way across the page would open might push the target from under the mouse.
    x, y = await reached.point(session)
    await heard(session, arrive(session.page, x, y))
    rest = await session.settle()
    if navigated(before, rest.state):
        return done("the page went on", effect=Navigated(url=session.page.url), target=found.told())
    sights = await _sights(session, found)
    what = f'the mouse is over {found.now.role} "{found.now.name or found.now.text[:80]}"'
    if sights is None or sights.came or sights.left or changed(before, rest.state):
        seen = f"; it shows: {' | '.join(sights.texts)}" if sights and sights.texts else ""
        return done(what + seen, effect=PageChanged(), target=found.told())
    return done(f"{what}; nothing was seen to come of it", effect=NotSeen(), target=found.told())


async def _sights(session: PageSession, found: Found) -> Sights | None:
    try:
        return await session.timed(ask(found.frame, Sights, session.limits.action_s, "sights", SIGHTS))
    except Error as error:
        session.tabs.raise_if_lost(error)
        return None

"""Clicks."""

from __future__ import annotations

from services.browser_pool.adapters.engine import Described, Gone, State
from services.browser_pool.adapters.hands.before import changed, navigated, page_before
from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.adapters.targets import Found
from shared.contracts.actions import Checked, Click, Effect, Navigated, NotSeen, PageChanged


async def click(session: PageSession, action: Click) -> Outcome:
    found = await session.find(action.target, "act")
    if isinstance(found, Outcome):
        return found
    if found.now.tag == "option":
        return refuse("failed", "an option is not clicked; use select_option on its list", target=found.told())
    before = await page_before(session, found)
    await session.timed(found.locator.click(timeout=session.limits.action_s * 1000))
    await session.settle()
    effect = await _effect_of_click(session, found, before)
    return _clicked(session, found, effect)


async def _effect_of_click(session: PageSession, found: Found, before: State) -> Effect:
    if session.tabs.follow():
        await session.settle()
        return Navigated(url=session.page.url, http_status=session.network.status(session.page))
    after = session.rest.state
    if navigated(before, after):
        return Navigated(url=session.page.url, http_status=session.network.fresh_status)
    element = await session.timed(found.again(session.limits.action_s)) if _is_worth_a_look(found) else None
    if isinstance(element, Described) and element.checked is not None:
        return Checked(checked=element.checked)
    if session.tabs.dialogs or changed(before, after) or _changed_inside(found, element):
        return PageChanged()
    return NotSeen()


def _is_worth_a_look(found: Found) -> bool:
    """A check box says what became of it; an element in a child frame, what became of its document."""
    return found.now.checkable or (found.frame.parent_frame is not None and not found.frame.is_detached())


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
    if isinstance(effect, NotSeen):
        message += "; nothing was seen to come of it"
    if session.tabs.downloads:
        message += f'; it offers the file "{session.tabs.downloads[-1].suggested_filename}": use download to keep it'
    if session.tabs.dialogs:
        message += f"; a dialog was dismissed: {session.tabs.dialogs[-1]}"
    return done(message, effect=effect, target=found.told())

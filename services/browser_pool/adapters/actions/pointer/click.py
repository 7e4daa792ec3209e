"""The actions click, double_click, click_at and hover."""

from __future__ import annotations

from playwright.async_api import Error

from services.browser_pool.adapters.actions.effects import (
    VisibleChanges,
    has_navigated,
    note_what_is_shown,
    shows_change,
    state_before,
)
from services.browser_pool.adapters.actions.pointer.hit_test import arrive, await_input, press_element, reach
from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.observe.engine import CountReply, DocumentState, ElementState, StaleElement, ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Click, ClickAt, DoubleClick, Hover, Target
from shared.contracts.results import CheckboxSet, Effect, Navigated, NotSeen, PageChanged

SIGHTS = "action-sights"
STAYS_ON = frozenset({"radio", "menuitemradio"})


@performs(Click)
async def click(session: PageSession, action: Click) -> PerformOutcome:
    return await _click(session, action.target, twice=False)


@performs(DoubleClick)
async def double_click(session: PageSession, action: DoubleClick) -> PerformOutcome:
    return await _click(session, action.target, twice=True)


async def _click(session: PageSession, target: Target, *, twice: bool) -> PerformOutcome:
    found = await session.find(target, "act")
    if isinstance(found, PerformOutcome):
        return found
    if found.now.tag == "option":
        return refuse(
            "failed", "an option is not clicked; use select_option on its list", target=found.to_target_found()
        )
    before = await state_before(session, found)
    refusal = await press_element(session, found, twice=twice)
    if refusal is not None:
        return refusal
    await session.wait_for_rest()
    effect = await read_effect(session, found, before)
    return _outcome(session, found, effect, "double-clicked" if twice else "clicked")


@performs(ClickAt)
async def click_at(session: PageSession, action: ClickAt) -> PerformOutcome:
    """Click a point. Nothing tells which element that is, so nothing is compared but the page as a whole."""
    main = session.page.main_frame
    before = await session.run_timed(ask(main, DocumentState, session.limits.action_s, "act"))
    x, y = action.x - before.scroll_x, action.y - before.scroll_y
    if not (0 <= x < before.view_width and 0 <= y < before.view_height):
        return refuse("failed", "the point is not in view; scroll to it first")
    await note_what_is_shown(session)
    await await_input(session, arrive(session.page, x, y))
    await await_input(session, session.page.mouse.click(x, y))
    rest = await session.wait_for_rest()
    where = f"clicked at {action.x:.0f}, {action.y:.0f}"
    if session.tabs.follow() or has_navigated(before, rest.state):
        await session.wait_for_rest()
        status = session.network.status(session.page)
        return done(f"{where}; the page went on", effect=Navigated(url=session.page.url, http_status=status))
    changed = bool(session.tabs.dialogs) or await shows_change(session, main, before, rest.state)
    said = "" if changed else "; nothing was seen to come of it"
    return done(f"{where}{said}", effect=PageChanged() if changed else NotSeen())


async def read_effect(session: PageSession, found: ResolvedElement, before: DocumentState) -> Effect:
    if session.tabs.follow():
        await session.wait_for_rest()
        return Navigated(url=session.page.url, http_status=session.network.status(session.page))
    after = session.rest.state
    if has_navigated(before, after):
        return Navigated(url=session.page.url, http_status=session.network.fresh_status)
    element = await session.run_timed(found.again(session.limits.action_s)) if _shows_own_effect(found) else None
    if isinstance(element, ElementState) and element.checked is not None and not _is_unchanged_checkbox(found, element):
        return CheckboxSet(checked=None if element.mixed else element.checked)
    changed = bool(session.tabs.dialogs) or await shows_change(session, session.page.main_frame, before, after)
    return PageChanged() if changed or await _has_element_changed(session, found, element) else NotSeen()


def _shows_own_effect(found: ResolvedElement) -> bool:
    """Return whether the element shows the effect: a check box, or an element in a child frame."""
    return found.now.checkable or (found.frame.parent_frame is not None and not found.frame.is_detached())


def _is_unchanged_checkbox(found: ResolvedElement, element: ElementState) -> bool:
    """Return whether a check box kept its state. A radio button that was on stays on, as wanted."""
    same = (element.checked, element.mixed) == (found.now.checked, found.now.mixed)
    return same and not (found.now.role in STAYS_ON and element.checked)


async def _has_element_changed(
    session: PageSession, found: ResolvedElement, element: ElementState | StaleElement | None
) -> bool:
    if found.frame.parent_frame is None:
        return False
    return not isinstance(element, ElementState) or await shows_change(session, found.frame, found.now, element)


def _outcome(session: PageSession, found: ResolvedElement, effect: Effect, done_what: str) -> PerformOutcome:
    what = f'{found.now.role} "{found.now.name or found.now.text[:80]}"'
    status = effect.http_status if isinstance(effect, Navigated) else None
    if status is not None and status >= 400:
        return refuse(
            "http_error",
            f"{done_what} {what}; the page answered with HTTP {status}",
            effect=effect,
            target=found.to_target_found(),
        )
    message = f"{done_what} {what}"
    if isinstance(effect, CheckboxSet) and effect.checked is None:
        message += "; it is mixed now, neither checked nor unchecked"
    if session.tabs.opened:
        message += f"; it opened the tab {session.tabs.number(session.page)}, which is looked at now"
    if isinstance(effect, NotSeen) and not session.files.incoming:
        message += "; nothing was seen to come of it"
    if session.tabs.downloads:
        message += f'; it offers the file "{session.tabs.downloads[-1].suggested_filename}": use download to keep it'
    if session.tabs.dialogs:
        message += f"; a dialog opened and was answered: {session.tabs.dialogs[-1]}"
    return done(message, effect=effect, target=found.to_target_found())


@performs(Hover)
async def hover(session: PageSession, action: Hover) -> PerformOutcome:
    """Move the mouse over the target. The effect is often a matter of style, so visible elements are compared."""
    found = await session.find(action.target, "act")
    if isinstance(found, PerformOutcome):
        return found
    reached = await reach(session, found, enabled=False)
    if isinstance(reached, PerformOutcome):
        return reached
    before = await state_before(session, found)
    # A mouse that is there already moves away first; otherwise nothing would happen.
    await await_input(session, session.page.mouse.move(0, 0))
    await session.run_timed(ask(found.frame, CountReply, session.limits.action_s, "mark", SIGHTS))
    await note_what_is_shown(session, found.frame)
    # Straight there: what opens on the way might push the target away.
    x, y = await reached.point(session)
    await await_input(session, arrive(session.page, x, y))
    rest = await session.wait_for_rest()
    if has_navigated(before, rest.state):
        return done("the page went on", effect=Navigated(url=session.page.url), target=found.to_target_found())
    sights = await _visible_changes(session, found)
    what = f'the mouse is over {found.now.role} "{found.now.name or found.now.text[:80]}"'
    came = sights is None or sights.came or sights.left
    if came or await shows_change(session, session.page.main_frame, before, rest.state):
        seen = f"; it shows: {' | '.join(sights.texts)}" if sights and sights.texts else ""
        return done(what + seen, effect=PageChanged(), target=found.to_target_found())
    return done(f"{what}; nothing was seen to come of it", effect=NotSeen(), target=found.to_target_found())


async def _visible_changes(session: PageSession, found: ResolvedElement) -> VisibleChanges | None:
    try:
        return await session.run_timed(ask(found.frame, VisibleChanges, session.limits.action_s, "sights", SIGHTS))
    except Error as error:
        session.tabs.raise_if_lost(error)
        return None

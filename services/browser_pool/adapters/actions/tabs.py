"""History and tabs: back, switch_tab, close_tab."""

from __future__ import annotations

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.actions.effects import has_changed, has_navigated
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.adapters.settle import document_state
from services.browser_pool.page import matching
from shared.contracts.actions import Back, CloseTab, SwitchTab
from shared.contracts.results import Effect, Navigated, PageChanged, TabShown

MAX_TABS_LISTED = 20


async def back(session: PageSession, action: Back) -> PerformOutcome:
    timeout_s = session.limits.navigation_s
    before = await session.timed(document_state(session.tabs, session.limits.action_s, "act"))
    try:
        response = await session.timed(session.page.go_back(wait_until="domcontentloaded", timeout=timeout_s * 1000))
    except PlaywrightTimeout:
        return refuse("timeout", f"the page before did not load within {timeout_s:g} s")
    except Error as error:
        session.tabs.raise_if_lost(error)
        code = matching.navigation_code(error.message)
        return refuse(code, f"the page before could not be opened: {matching.net_error(error.message)}")
    rest = await session.settle(acted=False)
    status = response.status if response else session.network.fresh_status
    effect: Effect = Navigated(url=session.page.url, http_status=status)
    if status is not None and status >= 400:
        return refuse("http_error", f"{session.page.url} answered with HTTP {status}", effect=effect)
    if response is None and before is not None and not has_navigated(before, rest.state):
        if not has_changed(before, rest.state):
            return refuse("failed", f"there is no page before {session.page.url} in this tab")
        effect = PageChanged()
    return done(f"back at {session.page.url}", effect=effect)


async def switch_tab(session: PageSession, action: SwitchTab) -> PerformOutcome:
    tabs = session.tabs
    page = next((one for one in tabs.open_pages() if tabs.number(one) == action.tab), None)
    if page is None:
        listed = "; ".join(f"{tabs.number(one)}: {one.url[:200]}" for one in tabs.open_pages()[:MAX_TABS_LISTED])
        return refuse("no_such_tab", f"there is no tab {action.tab}; there are: {listed}")
    tabs.show(page)
    return await _show_tab(session, "looking at")


async def close_tab(session: PageSession, action: CloseTab) -> PerformOutcome:
    tabs = session.tabs
    closing = session.page
    left = [page for page in tabs.open_pages() if page is not closing]
    if not left:
        return refuse("failed", "the only tab is not closed; go to another address instead")
    earlier = [page for page in tabs.shown_before if page in left]
    tabs.page = earlier[-1] if earlier else left[-1]
    tabs.shown_before[:] = earlier[:-1]
    await session.timed(closing.close())
    return await _show_tab(session, f"closed tab {tabs.number(closing)}; back at")


async def _show_tab(session: PageSession, did: str) -> PerformOutcome:
    page = session.page
    await session.timed(page.bring_to_front())
    rest = await session.settle(acted=False)
    number, title = session.tabs.number(page), rest.state.title if rest.state else ""
    effect = TabShown(tab=number, url=page.url, title=title)
    return done(f"{did} tab {number}: {page.url}", effect=effect)

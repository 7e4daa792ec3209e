"""The actions that open a page or show another: goto, back, switch_tab, close_tab.

An address is opened at its domain's turn, and again when the site asks for a retry.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass, replace

from playwright.async_api import Error, Response
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.actions.download import ask_once_more, shown_media_type
from services.browser_pool.adapters.actions.effects import has_changed, has_navigated
from services.browser_pool.adapters.downloads.collector import LONGEST_S, wait_for_file
from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.observe.engine import DocumentState, ask
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.rest import document_state
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import matching
from services.browser_pool.safety.politeness import TOO_BUSY
from shared.contracts.actions import Back, CloseTab, Goto, SwitchTab
from shared.contracts.results import Captured, Effect, Navigated, PageChanged, TabShown

HUNG_S = 2.0
CLOSE_S = 3.0
DIED_S = 0.2


@performs(Goto)
async def goto(session: PageSession, action: Goto) -> PerformOutcome:
    refusal = matching.refused_address(action.url)
    if refusal:
        return refuse("policy_denied", refusal)
    left = await _replace_hung_tab(session)
    try:
        visited = await visit(session, action.url)
    except PlaywrightTimeout:
        return refuse("timeout", f"{action.url} did not load within {session.limits.navigation_s:g} s")
    except Error as error:
        # When a page dies, the failure of its document is reported first.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DIED_S if "ERR_ABORTED" in error.message else 0):
                await session.tabs.gone.wait()
        session.tabs.raise_if_lost(error)
        return _refuse_not_loaded(session, action.url, error.message)
    if isinstance(visited, PerformOutcome):
        return visited
    await session.wait_for_rest(acted=False)
    status = visited.response.status if visited.response else session.network.fresh_status
    effect = Navigated(url=session.page.url, http_status=status)
    if status is not None and status >= 400:
        return refuse(
            "http_error", f"{session.page.url} answered with HTTP {status}{visited.remark}{left}", effect=effect
        )
    kind = await session.run_timed(shown_media_type(session)) if action.keep else None
    if kind is not None:
        return await _keep_shown_file(session, kind)
    return done(f"opened {session.page.url}{visited.remark}{left}", effect=effect)


async def _keep_shown_file(session: PageSession, kind: str) -> PerformOutcome:
    """Ask for the file that the browser shows once more, so that it comes down."""
    url = session.page.url
    offered = await ask_once_more(session, frozenset(one.guid for one in session.files.incoming))
    if offered is None:
        return refuse("no_file", f"{url} is a file that the browser shows ({kind}), and it did not come down")
    until_s = time.monotonic() + LONGEST_S
    await session.run_timed(wait_for_file(session.files, offered, session.limits.navigation_s, until_s))
    return done(f"{url} is a file that the browser shows ({kind}), so it was asked for once more", effect=Captured())


async def _replace_hung_tab(session: PageSession) -> str:
    """Open a new tab when the page's script never ends, because such a page cannot navigate. Return the note for the
    message."""
    hung = session.page
    if session.guard is not None and not session.guard.used:
        return ""  # no document has been opened yet, so no script can hang
    try:
        await session.run_timed(ask(hung.main_frame, DocumentState, HUNG_S, "state"))
        return ""
    except PlaywrightTimeout:
        fresh = await session.run_timed(hung.context.new_page())
    except Error:
        return ""  # it is between two documents
    session.tabs.show(fresh)
    with contextlib.suppress(Error, TimeoutError):
        async with asyncio.timeout(CLOSE_S):
            await session.run_timed(hung.close())
    return " in a new tab: the page before did not answer any more, and its tab was closed"


def _refuse_not_loaded(session: PageSession, url: str, message: str) -> PerformOutcome:
    if session.tabs.downloads or "Download is starting" in message:
        return refuse("failed", f"{url} is a file, not a page; use download on the link to it")
    code = matching.navigation_code(message)
    return refuse(code, f"{url} could not be opened: {matching.net_error(message)}")


# --- one document, politely

MOST_COME_BACKS = 3
LONGEST_COME_BACK_S = 45.0
"""Total wait of one action, below the action's deadline."""


@dataclass(frozen=True)
class OpenedDocument:
    """``remark``: what the message says about retries; empty when there were none."""

    response: Response | None
    remark: str = ""


async def visit(session: PageSession, url: str) -> OpenedDocument | PerformOutcome:
    """Open ``url`` when its domain may be asked. Playwright's errors are passed on."""
    visited = await _request_document(session, url)
    said, waited_s = "", 0.0
    for _ in range(MOST_COME_BACKS):
        if isinstance(visited, PerformOutcome) or visited.response is None or not asks_for_retry(visited.response):
            break
        pause_s = session.pace.pause_s(url)
        if not 0 < pause_s <= LONGEST_COME_BACK_S - waited_s:
            break
        said, waited_s = f"HTTP {visited.response.status}", waited_s + pause_s
        again = await _request_document(session, url)
        if isinstance(again, PerformOutcome):
            break
        visited = again
    if isinstance(visited, OpenedDocument) and waited_s:
        return replace(visited, remark=f" ({said} before; it was asked again after {waited_s:.0f} s)")
    return visited


def asks_for_retry(response: Response) -> bool:
    """Return whether the site asks for a retry. 503 without Retry-After may be one broken page, which the driver may
    try again."""
    return response.status == 429 or (response.status in TOO_BUSY and "retry-after" in response.headers)


async def _request_document(session: PageSession, url: str) -> OpenedDocument | PerformOutcome:
    admission = await session.run_timed(session.pace.admit(url, ahead=True))
    if not admission.ok:
        return refuse("timeout", f"{url} was not opened: {admission.reason}")
    timeout_ms = session.limits.navigation_s * 1000
    return OpenedDocument(
        await session.run_timed(session.page.goto(url, wait_until="domcontentloaded", timeout=timeout_ms))
    )


# --- history and tabs

MAX_TABS_LISTED = 20


@performs(Back)
async def back(session: PageSession, action: Back) -> PerformOutcome:
    timeout_s = session.limits.navigation_s
    before = await session.run_timed(document_state(session.tabs, session.limits.action_s, "act"))
    try:
        response = await session.run_timed(
            session.page.go_back(wait_until="domcontentloaded", timeout=timeout_s * 1000)
        )
    except PlaywrightTimeout:
        return refuse("timeout", f"the page before did not load within {timeout_s:g} s")
    except Error as error:
        session.tabs.raise_if_lost(error)
        code = matching.navigation_code(error.message)
        if "ERR_CACHE_MISS" in error.message:  # it was the answer to a form of method POST
            told = "the page before came of a form that was sent, which is not sent once more: go there as before"
            return refuse(code, told)
        return refuse(code, f"the page before could not be opened: {matching.net_error(error.message)}")
    rest = await session.wait_for_rest(acted=False)
    status = response.status if response else session.network.fresh_status
    effect: Effect = Navigated(url=session.page.url, http_status=status)
    if status is not None and status >= 400:
        return refuse("http_error", f"{session.page.url} answered with HTTP {status}", effect=effect)
    if response is None and before is not None and not has_navigated(before, rest.state):
        if not has_changed(before, rest.state):
            return refuse("failed", f"there is no page before {session.page.url} in this tab")
        effect = PageChanged()
    return done(f"back at {session.page.url}", effect=effect)


@performs(SwitchTab)
async def switch_tab(session: PageSession, action: SwitchTab) -> PerformOutcome:
    tabs = session.tabs
    page = next((tab for tab in tabs.open_pages() if tabs.number(tab) == action.tab), None)
    if page is None:
        listed = "; ".join(f"{tabs.number(tab)}: {tab.url[:200]}" for tab in tabs.open_pages()[:MAX_TABS_LISTED])
        return refuse("no_such_tab", f"there is no tab {action.tab}; there are: {listed}")
    tabs.show(page)
    return await _show_tab(session, "looking at")


@performs(CloseTab)
async def close_tab(session: PageSession, action: CloseTab) -> PerformOutcome:
    tabs = session.tabs
    closing = session.page
    left = [page for page in tabs.open_pages() if page is not closing]
    if not left:
        return refuse("failed", "the only tab is not closed; go to another address instead")
    earlier = [page for page in tabs.shown_before if page in left]
    tabs.page = earlier[-1] if earlier else left[-1]
    tabs.shown_before[:] = earlier[:-1]
    await session.run_timed(closing.close())
    return await _show_tab(session, f"closed tab {tabs.number(closing)}; back at")


async def _show_tab(session: PageSession, did: str) -> PerformOutcome:
    page = session.page
    await session.run_timed(page.bring_to_front())
    rest = await session.wait_for_rest(acted=False)
    number, title = session.tabs.number(page), rest.state.title if rest.state else ""
    effect = TabShown(tab=number, url=page.url, title=title)
    return done(f"{did} tab {number}: {page.url}", effect=effect)

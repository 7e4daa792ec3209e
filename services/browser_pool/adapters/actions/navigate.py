"""Going to an address."""

from __future__ import annotations

import asyncio
import contextlib

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool.adapters.actions.visiting import visit
from services.browser_pool.adapters.observe.engine import State, ask
from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page import matching
from shared.contracts.actions import Goto
from shared.contracts.results import Navigated

HUNG_S = 2.0
CLOSE_S = 3.0
DIED_S = 0.2


async def goto(session: PageSession, action: Goto) -> Outcome:
    refusal = matching.refused_address(action.url)
    if refusal:
        return refuse("policy_denied", refusal)
    left = await _leave_hung(session)
    try:
        visited = await visit(session, action.url)
    except PlaywrightTimeout:
        return refuse("timeout", f"{action.url} did not load within {session.limits.navigation_s:g} s")
    except Error as error:
        # A page that dies takes its document along, and that is heard of first.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DIED_S if "ERR_ABORTED" in error.message else 0):
                await session.tabs.gone.wait()
        session.tabs.raise_if_lost(error)
        return _not_loaded(session, action.url, error.message)
    if isinstance(visited, Outcome):
        return visited
    await session.settle(acted=False)
    status = visited.response.status if visited.response else session.network.fresh_status
    effect = Navigated(url=session.page.url, http_status=status)
    if status is not None and status >= 400:
        return refuse(
            "http_error", f"{session.page.url} answered with HTTP {status}{visited.remark}{left}", effect=effect
        )
    return done(f"opened {session.page.url}{visited.remark}{left}", effect=effect)


async def _leave_hung(session: PageSession) -> str:
    """A page whose script never ends cannot be sent anywhere: a new tab takes its place. What is to be told of it."""
    hung = session.page
    try:
        await session.timed(ask(hung.main_frame, State, HUNG_S, "state"))
        return ""
    except PlaywrightTimeout:
        fresh = await session.timed(hung.context.new_page())
    except Error:
        return ""  # it is between two documents
    session.tabs.show(fresh)
    with contextlib.suppress(Error, TimeoutError):
        async with asyncio.timeout(CLOSE_S):
            await session.timed(hung.close())
    return " in a new tab: the page before did not answer any more, and its tab was closed"


def _not_loaded(session: PageSession, url: str, message: str) -> Outcome:
    if session.tabs.downloads or "Download is starting" in message:
        return refuse("failed", f"{url} is a file, not a page; use download on the link to it")
    code = matching.navigation_code(message)
    return refuse(code, f"{url} could not be opened: {matching.net_error(message)}")

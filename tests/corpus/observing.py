"""Observes the stored pages in Chromium."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from services.browser_pool.adapters.browser.chromium import Chromium, PoolSession
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.session import SessionLimits
from services.browser_pool.page.snapshot import compose
from services.browser_pool.ports import PageCapture, SessionTerms, WantedRefs
from shared.contracts.actions import Goto
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import Ink
from shared.settings import Settings
from tests.corpus.serving import Origins
from tests.corpus.stored import AskedPage, PageSeen

ALL_TOKENS = 1_000_000
LOOKS, EQUAL_LOOKS, PAUSE_MS = 30, 6, 250
"""Most observations of a page that changes by itself; so many equal ones in a row, and it counts as still."""
MOST_DRAWN = 400
"""Elements whose ink is looked at."""
LIMITS = SessionLimits(action_s=30.0, navigation_s=60.0, rest_s=3.0, download_bytes=50_000, patience=0.5)
TERMS = SessionTerms(allowed_hosts=("127.0.0.1",), private_hosts=("127.0.0.1",))


class NotStored(RuntimeError):
    """The page cannot be observed."""


@asynccontextmanager
async def a_session(folder: Path) -> AsyncGenerator[PoolSession]:
    """Yield a session of a browser of its own; `folder` is for its login states."""
    browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(folder), limits=LIMITS)
    session = await browser.open_session(TERMS)
    try:
        yield session
    finally:
        await session.close()
        await browser.close()


async def observe(session: PoolSession, asked: AskedPage, origins: Origins, *, with_ink: bool = True) -> PageSeen:
    """Return the page at rest, with the stored addresses: nothing is pending, or nothing has changed for a while.

    Raises NotStored for a page that does not open or never comes to rest."""
    opened = await session.act(Goto(url=origins.to_live(asked.url), reason="It is read again."))
    if not opened.result.ok and opened.result.code != "http_error":
        raise NotStored(f"{asked.name}: {opened.result.code} {opened.result.message}")
    page = await _at_rest(session, asked)
    ink = await _ink(session, page) if with_ink else {}
    written = origins.to_stored(msgspec.json.encode(_plain(page)).decode())
    return PageSeen(asked.name, msgspec.json.decode(written, type=PageObserved), ink)


async def _at_rest(session: PoolSession, asked: AskedPage) -> PageObserved:
    before, equal = "", 0
    for look in range(LOOKS):
        page = compose(await session.observe(f"s{look}", max_tokens=ALL_TOKENS, locators=True), f"s{look}")
        equal = equal + 1 if page.sha256 == before else 0
        is_still = page.idle and not page.awaits_data and equal > 0
        if not page.busy and (is_still or equal >= EQUAL_LOOKS):
            return page
        before = page.sha256
        if not page.idle:
            await session.page.wait_for_timeout(PAUSE_MS)
    raise NotStored(f"{asked.name}: it never comes to rest")


def _plain(page: PageObserved) -> PageObserved:
    """Return the page without what differs between two equal ones, and without the text for models."""
    return msgspec.structs.replace(page, snapshot_id="s1", text="", sha256="", browser_ms=0.0, tabs=())


async def _ink(session: PoolSession, page: PageObserved) -> dict[int, Ink]:
    """Return what pictures show of the elements that are not seen in any of two: the first may be of a page that fades
    in."""
    refs = tuple(one.ref for one in page.elements if one.name or one.value)[:MOST_DRAWN]
    unseen = await _unseen(session, page, refs)
    again = await _unseen(session, page, refs) if unseen else {}
    return {ref: ink for ref, ink in again.items() if ref in unseen}


async def _unseen(session: PoolSession, page: PageObserved, refs: tuple[int, ...]) -> dict[int, Ink]:
    capture = await session.capture((page.sha256,), WantedRefs(page.snapshot_id, refs))
    if not isinstance(capture, PageCapture):
        raise NotStored(f"no picture: {capture.problem}")
    return {ref: ink for ref, ink in capture.ink.items() if ink.said not in ("seen", "glyphless")}


async def observe_all(
    session: PoolSession, pages: Sequence[AskedPage], origins: Origins
) -> tuple[list[PageSeen], list[str]]:
    """Return the observations of all pages that can be observed, and what is wrong with the others."""
    found: list[PageSeen] = []
    problems: list[str] = []
    for one in pages:
        try:
            found.append(await observe(session, one, origins))
        except NotStored as problem:
            problems.append(str(problem))
    return found, problems

"""The download action: clicks, and captures the file."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

from playwright.async_api import Error, Request

from services.browser_pool.adapters.downloads.collector import (
    CODES,
    LONGEST_S,
    capture_file,
    invalid_words,
    refusal_message,
    wait_for_file,
)
from services.browser_pool.adapters.downloads.tracker import FileDownload
from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Download
from shared.contracts.results import Captured

MORE_S = 0.1
"""A script that offers several files offers the next one within this time."""
PAGES = ("text/html", "application/xhtml+xml")
LEAVE_S = 10.0
ONCE_MORE = """url => {
  const link = document.createElementNS('http://www.w3.org/1999/xhtml', 'a');
  link.href = url;
  link.download = '';
  document.documentElement.append(link);
  link.click();
  link.remove();
}"""


@performs(Download)
async def download(session: PageSession, action: Download) -> PerformOutcome:
    """Click, and capture the file that follows, also where the browser would display it."""
    found = await session.find(action.target, "act")
    if isinstance(found, PerformOutcome):
        return found
    earlier = frozenset(one.guid for one in session.files.incoming)
    with _record_methods(session) as methods:
        # The response is awaited below, however long the site takes.
        await session.run_timed(found.locator.click(timeout=session.limits.action_s * 1000, no_wait_after=True))
        offered = await session.run_timed(_wait_for_offer(session, earlier))
    shown = None if offered else await session.run_timed(shown_media_type(session))
    if shown and methods[-1:] == ["POST"]:
        why = f"the browser shows it ({shown}), and what a form was answered with cannot be asked for twice"
        return refuse("no_file", f"no file came down: {why}", target=found.to_target_found())
    if shown:
        offered = await ask_once_more(session, earlier)
    if offered is None:
        return refuse("no_file", f'clicking "{found.now.name}" brought no file', target=found.to_target_found())
    return await _finish(session, action, offered, found, shown)


async def ask_once_more(session: PageSession, earlier: frozenset[str]) -> FileDownload | None:
    """Ask for the document that is shown as a file, and show the page before again. ``earlier``: the files that had
    begun before.

    A document in a sandbox, as sites put what people have uploaded, may not bring a file: the page before asks for it.
    """
    url = session.page.url
    sandboxed = bool(await session.run_timed(session.page.evaluate("window.origin === 'null'")))
    if sandboxed:
        await _show_page_before(session)
    await session.run_timed(session.page.evaluate(ONCE_MORE, url))
    offered = await session.run_timed(_wait_for_new_file(session, earlier, session.limits.action_s))
    if session.page.url == url:
        await _show_page_before(session)
    return offered


async def _show_page_before(session: PageSession) -> None:
    """Leave the file that is shown: close its tab, if it was opened for it, else go back."""
    shown = session.page
    with suppress(Error):
        if shown in session.tabs.opened and len(session.tabs.open_pages()) > 1:
            await session.run_timed(shown.close())
            session.tabs.follow()
        else:
            await session.run_timed(shown.go_back(wait_until="domcontentloaded", timeout=LEAVE_S * 1000))
        await session.wait_for_rest(acted=False)


@contextmanager
def _record_methods(session: PageSession) -> Generator[list[str]]:
    """Record the methods of document requests meanwhile: GET, POST."""
    methods: list[str] = []

    def on_request(request: Request) -> None:
        if request.is_navigation_request():
            methods.append(request.method)

    session.tabs.context.on("request", on_request)
    try:
        yield methods
    finally:
        session.tabs.context.remove_listener("request", on_request)


async def _wait_for_offer(session: PageSession, earlier: frozenset[str]) -> FileDownload | None:
    """Return the file that the click led to; None when it led to a page, or at the timeout."""
    until_s = time.monotonic() + session.limits.action_s
    while time.monotonic() < until_s:
        begun = await _wait_for_new_file(session, earlier, 0.1)
        if begun:
            return begun
        if _has_document_arrived(session):
            await session.wait_for_rest()
            break
    return await _wait_for_new_file(session, earlier, 0.0)


def _has_document_arrived(session: PageSession) -> bool:
    """Return whether a document arrived, in this tab or in a new one."""
    elsewhere = any(not page.is_closed() and page.url not in ("", "about:blank") for page in session.tabs.opened)
    return (elsewhere or session.network.fresh_status is not None) and not session.network.loading_document()


async def _wait_for_new_file(session: PageSession, earlier: frozenset[str], timeout_s: float) -> FileDownload | None:
    """Return the first new file once it has begun, or None at the timeout."""
    files = session.files
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            while not (fresh := [one for one in files.incoming if one.guid not in earlier]):
                files.begun.clear()
                await files.begun.wait()
            return fresh[0]
    return None


async def shown_media_type(session: PageSession) -> str | None:
    """Return the type of a text or picture that the browser displays in place of a page, else None."""
    if not _has_document_arrived(session):
        return None
    session.tabs.follow()
    try:
        async with asyncio.timeout(session.limits.action_s):
            kind = str(await session.page.evaluate("document.contentType"))
    except (Error, TimeoutError):
        return None
    return None if kind in PAGES else kind


async def _wait_for_more(session: PageSession) -> None:
    """Wait until the other files of the action have begun, so that they are reported with it."""
    while await session.files.more_than(len(session.files.incoming), MORE_S):
        continue


async def _finish(
    session: PageSession, action: Download, offered: FileDownload, found: ResolvedElement, shown: str | None
) -> PerformOutcome:
    await session.run_timed(
        wait_for_file(session.files, offered, session.limits.navigation_s, time.monotonic() + LONGEST_S)
    )
    if offered.fate != "here":
        session.files.drop(offered)
        return refuse(CODES[offered.fate], refusal_message(session.files, offered), target=found.to_target_found())
    if session.rest.state is None or session.rest.state.scripts:
        await session.run_timed(_wait_for_more(session))
    capture = await capture_file(session.files, offered, action.label)
    again = f"; the browser showed it ({shown}), so it was asked for once more" if shown else ""
    message = f'downloaded "{offered.name}", {offered.got_bytes} bytes{again}{invalid_words(capture)}'
    return done(message, effect=Captured(), target=found.to_target_found(), captures=(capture,))

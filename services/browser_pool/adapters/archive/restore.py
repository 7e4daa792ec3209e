"""Opens a stored page again, without network and scripts.

Chromium opens MHTML only from a file whose name ends in .mhtml, and shows it in an origin of its own without scripts.
The restrictions set here hold in addition, whatever the browser does.
"""

from __future__ import annotations

import asyncio
import mmap
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import msgspec
from playwright.async_api import BrowserContext, Error, Page

from services.browser_pool.adapters.archive.ink_look import MeasuredValues, look_in_place
from services.browser_pool.adapters.guard.session_guard import SessionGuard
from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.engine import DocumentState
from services.browser_pool.adapters.observe.frames import PageWalk
from services.browser_pool.adapters.protocol import send
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.files.mhtml import MhtmlArchive, read_mhtml_headers
from services.browser_pool.page.matching import first_line
from services.browser_pool.page.model import RawPage, Seen
from services.browser_pool.page.snapshot import choose, fingerprint_of
from services.browser_pool.ports import RestoredPage, RestoreRefused, RestoreRequest
from shared.contracts.error_codes import RestoreCode
from shared.contracts.results import Ink
from shared.zstd import UnpacksToTooMuch, unpack_pieces

TIMEOUT_S = 20.0
NEVER_STORED = ("ws:*", "wss:*", "ftp:*", "filesystem:*")
"""Addresses that no part of a stored page has. A block of http would hold back its own style sheets and pictures too:
what is not among its parts is not requested by Chromium, which is offline besides, and whose session may open no host.
"""
SRCDOC = "about:srcdoc"
"""The address of a frame that is written into the page around it."""
STABLE_LOCATORS = frozenset({"id", "testid", "css", "label"})
"""Locators that do not depend on an element's text, which may differ now."""


async def restore_page(session: PageSession, folder: Path, asked: RestoreRequest) -> RestoredPage | RestoreRefused:
    """Return the page as it reads now, or why it cannot be opened. Raises Unavailable (``session_lost``) when the
    browser dies."""
    guard = session.guard
    if guard is None or not (guard.sealed or not guard.used):
        return RestoreRefused(
            "not_restored", "this session has opened pages of the network; a stored page needs its own"
        )
    try:
        async with _unpack_in_folder(folder, asked.packed) as (path, archive):
            await _seal_session(session.tabs.context, session.page, guard, path.as_uri())
            restored = await _open_and_walk(session, path.as_uri(), asked)
            return replace(restored, raw=_with_recorded_urls(restored.raw, archive))
    except UnfitPage as error:
        return RestoreRefused(error.code, str(error))
    except TimeoutError:
        return RestoreRefused("not_restored", f"the stored page could not be shown and read within {TIMEOUT_S:g} s")
    except Error as error:
        session.tabs.raise_if_lost(error)
        return RestoreRefused("not_restored", f"the stored page could not be shown: {first_line(error.message)}")


@asynccontextmanager
async def _unpack_in_folder(folder: Path, packed: bytes) -> AsyncGenerator[tuple[Path, MhtmlArchive]]:
    """Yield the unpacked file in a folder of its own, which is removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="stored-", dir=folder))
    try:
        path = folder / "page.mhtml"
        await asyncio.to_thread(unpack, packed, path)
        archive = await asyncio.to_thread(_read_headers, path)
        if archive is None:
            raise UnfitPage("not_a_page", "what is stored is no page in one file (MHTML)")
        yield path, archive
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _read_headers(path: Path) -> MhtmlArchive | None:
    if not path.stat().st_size:
        return None
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return read_mhtml_headers(data)


async def _seal_session(context: BrowserContext, page: Page, guard: SessionGuard, url: str) -> None:
    """Restrict the session to this file, for the rest of its life."""
    fresh = not guard.sealed
    guard.sealed = url
    if not fresh:
        return
    await context.set_offline(True)
    protocol = await context.new_cdp_session(page)
    await send(protocol, "Emulation.setScriptExecutionDisabled", value=True)
    await send(protocol, "Network.enable")
    await send(protocol, "Network.setBlockedURLs", urls=list(NEVER_STORED))


async def _open_and_walk(session: PageSession, url: str, asked: RestoreRequest) -> RestoredPage:
    async with asyncio.timeout(TIMEOUT_S):
        await session.page.goto(url, wait_until="load", timeout=TIMEOUT_S * 1000)
        worlds = await engine.worlds(session.page)
        look = PageWalk(worlds, asked.snapshot_id, session.limits.action_s, locators=True)
        whole = await look.survey(scripts=False)
        wanted = [
            (one.kind, one.value) for sought in asked.sought for one in sought.locators if one.kind in STABLE_LOCATORS
        ]
        located = await look.find_by_locators(whole, msgspec.json.encode(wanted).decode()) if wanted else set[int]()
        shown = sorted(located.union(choose(whole.contents, whole.ranks, asked.keywords, asked.max_tokens)))
        seen = await look.read_elements(whole, shown)
        session.targets.remember(asked.snapshot_id, whole.refs)
        raw = whole.raw_page(url, None, seen, (index + 1 for index in shown), settled=True)
    fingerprints = {sought.fingerprint for sought in asked.sought}
    may_be_sought = {one.ref: one for one in seen if one.ref - 1 in located or fingerprint_of(one.item) in fingerprints}
    values = MeasuredValues(worlds, [place for place, _, _ in whole.parts], may_be_sought, asked.snapshot_id)
    return RestoredPage(raw, await _look_at(session, values, whole.main))


async def _look_at(session: PageSession, values: MeasuredValues, state: DocumentState) -> dict[int, Ink]:
    """Return what a picture of the page shows of the values. Nothing of those that only scrolling would show, and
    nothing at all where the page cannot be drawn: it was read all the same."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            looked = await look_in_place(session.page, values, state, ())
            unseen = any(not one.is_shown for one in looked.values())
            movable = await values.may_show_more() if unseen else set[int]()
    except (TimeoutError, Error) as error:
        if isinstance(error, Error):
            session.tabs.raise_if_lost(error)
        return {}
    return {ref: one.ink for ref, one in looked.items() if one.drawn.judged and (one.is_shown or ref not in movable)}


def _with_recorded_urls(page: RawPage, archive: MhtmlArchive) -> RawPage:
    """Return the page with its recorded addresses: to the browser it is a file, and its frames are
    parts of that file."""
    seen = tuple(_with_recorded_url(one, archive.frames) for one in page.seen)
    return replace(page, url=archive.address or page.url, seen=seen)


def _with_recorded_url(one: Seen, frames: dict[str, str]) -> Seen:
    label = frames.get(one.frame, SRCDOC if one.frame.startswith("cid:") else one.frame)[:200]
    url = one.item.url
    if url is not None and url.startswith("cid:"):
        one = msgspec.structs.replace(one, item=msgspec.structs.replace(one.item, url=frames.get(url)))
    return one if label == one.frame else msgspec.structs.replace(one, frame=label)


# --- unpacking

MAX_PAGE_BYTES = 256_000_000


class UnfitPage(Exception):
    """A stored page that cannot be opened. ``code``: see PageNotRestored."""

    def __init__(self, code: RestoreCode, message: str) -> None:
        super().__init__(message)
        self.code: RestoreCode = code


def unpack(packed: bytes, path: Path, max_bytes: int = MAX_PAGE_BYTES) -> None:
    """Unpack zstd data to ``path``, at most ``max_bytes``: small data can unpack to any size. Raises UnfitPage."""
    try:
        with path.open("xb") as file:
            for piece in unpack_pieces(packed, max_bytes):
                file.write(piece)
    except ValueError as exc:
        code = "too_large" if isinstance(exc, UnpacksToTooMuch) else "not_a_page"
        raise UnfitPage(code, f"the stored page: {exc}") from exc

"""A stored page opened again, as a picture of itself: no network, no scripts, nothing beside it.

Chromium opens MHTML only as a file whose name ends in .mhtml, and shows its parts from that file alone: in an origin of
its own, without scripts. What is set here beside that holds even where the browser should ever think otherwise.
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

from services.browser_pool.adapters.archive.unpacking import Unfit, unpack
from services.browser_pool.adapters.guard.session_guard import Guard
from services.browser_pool.adapters.observe import engine
from services.browser_pool.adapters.observe.frames import Look
from services.browser_pool.adapters.protocol import send
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.files.mhtml import Archive, read_archive
from services.browser_pool.page.matching import first_line
from services.browser_pool.page.model import RawPage, Seen
from services.browser_pool.page.snapshot import choose
from services.browser_pool.ports import NotRestored, Restoring

LONGEST_S = 20.0
OUTSIDE = ("http:*", "https:*", "ws:*", "wss:*", "ftp:*", "filesystem:*")
WITHIN = "about:srcdoc"
"""The address of a frame that was written into the page around it."""
FINDS = frozenset({"id", "testid", "css", "label"})
"""Locators that do not stand on what an element says: what they lead to may say something else now."""


async def restored(session: PageSession, nest: Path, asked: Restoring) -> RawPage | NotRestored:
    """The page as it reads now, or why it cannot be opened. Raises Unavailable (``session_lost``) where the browser
    dies of it."""
    guard = session.guard
    if guard is None or not (guard.sealed or not guard.used):
        return NotRestored("not_restored", "this session has opened pages of the network; a stored page needs its own")
    try:
        async with _unpacked(nest, asked.packed) as (path, archive):
            await _sealed(session.tabs.context, session.page, guard, path.as_uri())
            return _as_it_was(await _opened(session, path.as_uri(), asked), archive)
    except Unfit as unfit:
        return NotRestored(unfit.code, str(unfit))
    except TimeoutError:
        return NotRestored("not_restored", f"the stored page could not be shown and read within {LONGEST_S:g} s")
    except Error as error:
        session.tabs.raise_if_lost(error)
        return NotRestored("not_restored", f"the stored page could not be shown: {first_line(error.message)}")


@asynccontextmanager
async def _unpacked(nest: Path, packed: bytes) -> AsyncGenerator[tuple[Path, Archive]]:
    """In a folder of its own, where the browser's other files are; it is gone afterwards, whatever happens."""
    folder = Path(tempfile.mkdtemp(prefix="stored-", dir=nest))
    try:
        path = folder / "page.mhtml"
        await asyncio.to_thread(unpack, packed, path)
        archive = await asyncio.to_thread(_archive_at, path)
        if archive is None:
            raise Unfit("not_a_page", "what is stored is no page in one file (MHTML)")
        yield path, archive
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _archive_at(path: Path) -> Archive | None:
    if not path.stat().st_size:
        return None
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return read_archive(data)


async def _sealed(context: BrowserContext, page: Page, guard: Guard, url: str) -> None:
    """From here on the session opens this file and nothing else, for as long as it lives."""
    fresh = not guard.sealed
    guard.sealed = url
    if not fresh:
        return
    await context.set_offline(True)
    protocol = await context.new_cdp_session(page)
    await send(protocol, "Emulation.setScriptExecutionDisabled", value=True)
    await send(protocol, "Network.enable")
    await send(protocol, "Network.setBlockedURLs", urls=list(OUTSIDE))


async def _opened(session: PageSession, url: str, asked: Restoring) -> RawPage:
    async with asyncio.timeout(LONGEST_S):
        await session.page.goto(url, wait_until="load", timeout=LONGEST_S * 1000)
        look = Look(await engine.worlds(session.page), asked.snapshot_id, session.limits.action_s, locators=True)
        whole = await look.survey(scripts=False)
        wanted = [(one.kind, one.value) for sought in asked.sought for one in sought.locators if one.kind in FINDS]
        located = await look.sought(whole, msgspec.json.encode(wanted).decode()) if wanted else set[int]()
        kept = sorted(located.union(choose(whole.contents, whole.ranks, asked.keywords, asked.max_tokens)))
        seen = await look.seen(whole, kept)
    session.targets.remember(asked.snapshot_id, whole.refs)
    return whole.raw_page(url, None, seen, (index + 1 for index in kept), settled=True)


def _as_it_was(page: RawPage, archive: Archive) -> RawPage:
    """With the addresses of then: a stored page is a file to the browser, and its frames are parts of it."""
    seen = tuple(_told_of(one, archive.frames) for one in page.seen)
    return replace(page, url=archive.address or page.url, seen=seen)


def _told_of(one: Seen, frames: dict[str, str]) -> Seen:
    label = frames.get(one.frame, WITHIN if one.frame.startswith("cid:") else one.frame)[:200]
    url = one.item.url
    if url is not None and url.startswith("cid:"):
        one = replace(one, item=msgspec.structs.replace(one.item, url=frames.get(url)))
    return one if label == one.frame else replace(one, frame=label)

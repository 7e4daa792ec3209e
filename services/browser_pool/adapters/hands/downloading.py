"""Files that come down."""

from __future__ import annotations

import asyncio
import mimetypes
from pathlib import Path, PurePosixPath

from playwright.async_api import Download as PlaywrightDownload
from playwright.async_api import Error

from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.ports import Capture
from shared.contracts.actions import Captured, Download, TargetFound

CHUNK_BYTES = 1 << 20


async def download(session: PageSession, action: Download) -> Outcome:
    found = await session.find(action.target, "act")
    if isinstance(found, Outcome):
        return found
    await session.timed(found.locator.click(timeout=session.limits.action_s * 1000))
    offered = await session.timed(_offered(session))
    if offered is None:
        return refuse("no_file", f'clicking "{found.now.name}" brought no file', target=found.told())
    return await _keep(session, action, offered, found.told())


async def _offered(session: PageSession) -> PlaywrightDownload | None:
    """The file the click leads to; given up when the click led to a page instead, or time has run out."""
    try:
        async with asyncio.timeout(session.limits.action_s):
            while not session.tabs.downloads:
                if session.network.fresh_status is not None and not session.network.loading_document():
                    await session.settle()
                    break
                await _started(session, 0.1)
    except TimeoutError:
        return None
    return session.tabs.downloads[-1] if session.tabs.downloads else None


async def _started(session: PageSession, timeout_s: float) -> None:
    try:
        async with asyncio.timeout(timeout_s):
            await session.tabs.download_started.wait()
    except TimeoutError:
        return


async def _keep(session: PageSession, action: Download, offered: PlaywrightDownload, target: TargetFound) -> Outcome:
    limit = session.limits.download_bytes
    try:
        async with asyncio.timeout(session.limits.navigation_s):
            path = await session.timed(offered.path())
    except TimeoutError:
        await offered.cancel()
        return refuse("timeout", f"the file did not arrive within {session.limits.navigation_s:g} s", target=target)
    except Error as error:
        session.tabs.raise_if_lost(error)
        return refuse("no_file", f"the file did not arrive: {await offered.failure() or error.message}", target=target)
    data = await asyncio.to_thread(read_within, Path(path), limit)
    await offered.delete()
    if data is None:
        return refuse("too_large", f'"{offered.suggested_filename}" is larger than {limit} bytes', target=target)
    capture = file_capture(action.label, offered.suggested_filename, offered.url, data)
    message = f'downloaded "{capture.original_name}", {len(data)} bytes'
    return done(message, effect=Captured(), target=target, captures=(capture,))


def read_within(path: Path, limit_bytes: int) -> bytes | None:
    """The file in pieces, or None as soon as it is larger than allowed."""
    pieces: list[bytes] = []
    size = 0
    with path.open("rb") as file:
        while piece := file.read(CHUNK_BYTES):
            size += len(piece)
            if size > limit_bytes:
                return None
            pieces.append(piece)
    return b"".join(pieces)


def file_capture(label: str, name: str, url: str, data: bytes) -> Capture:
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()[:12]
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Capture("download", label, media_type, suffix, data, url[:2000], original_name=name[:255])

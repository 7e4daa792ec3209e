"""A stored page on its way from evidence into a session: taken only where it is what was recorded."""

from __future__ import annotations

import asyncio
import hashlib

from services.browser_pool.deps import Deps
from services.browser_pool.page.snapshot import compose
from services.browser_pool.ports import BrowserSession, NotRestored, Restoring
from shared.contracts.browser_pool import PageNotRestored, PageRestored, RestorePage, RestoreReply
from shared.streams import ANSWERS

MAX_PACKED_BYTES = 64_000_000


async def restored(request: RestorePage, session: BrowserSession, deps: Deps) -> RestoreReply:
    """What the page shows now, or why it was not opened. Raises PermanentError (``no_blob``) where none lies there."""
    if request.size_bytes > MAX_PACKED_BYTES:
        told = f"the stored page has {request.size_bytes} bytes; {MAX_PACKED_BYTES} are the most that are opened"
        return PageNotRestored(code="too_large", message=told)
    packed = await deps.blobs.get(ANSWERS, request.blob)
    problem = await asyncio.to_thread(differs, packed, request)
    if problem:
        return PageNotRestored(code="altered", message=problem)
    asked = Restoring(packed, deps.new_id(), request.keywords, request.max_tokens, request.sought)
    page = await session.restore(asked)
    if isinstance(page, NotRestored):
        return PageNotRestored(code=page.code, message=page.message)
    return PageRestored(page=compose(page, asked.snapshot_id))


def differs(packed: bytes, recorded: RestorePage) -> str:
    """Why these bytes are not those that were recorded; empty where they are."""
    if len(packed) != recorded.size_bytes:
        return f"the stored page has {len(packed)} bytes, {recorded.size_bytes} were recorded"
    sha256 = hashlib.sha256(packed).hexdigest()
    return "" if sha256 == recorded.sha256 else f"SHA-256 of the stored page is {sha256}, recorded {recorded.sha256}"

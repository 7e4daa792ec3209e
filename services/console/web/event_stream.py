"""Streams of events, as the pages of the console read them."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.responses import StreamingResponse

STREAM_S = 300.0
"""Behind a proxy each stream ends after this, so that whoever reads on is let in anew, or not: a role that was taken
away is worth no more than that."""
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def event_stream(events: AsyncGenerator[str], *, behind_proxy: bool, retry_ms: int = 1000) -> StreamingResponse:
    """Answer with the events as they come. They are closed once the page is gone.

    Args:
        events: the text of one or several each time, as a browser reads it.
        behind_proxy: a proxy says who looks.
        retry_ms: after which a browser begins the stream again, after its last event.
    """
    told = _told(events, behind_proxy, retry_ms)
    return StreamingResponse(told, media_type="text/event-stream; charset=utf-8", headers=STREAM_HEADERS)


async def _told(events: AsyncGenerator[str], behind_proxy: bool, retry_ms: int) -> AsyncGenerator[str]:
    yield f"retry: {retry_ms}\n\n"
    until_s = time.monotonic() + STREAM_S
    async with aclosing(events):
        async for text in events:
            yield text
            if behind_proxy and time.monotonic() >= until_s:
                return

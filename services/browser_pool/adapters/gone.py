"""Work that ends when the browser does.

Some Playwright calls (a page being opened, for one) never return when the browser dies under them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from shared.aio import run_unless
from shared.errors import Unavailable

ReplyT = TypeVar("ReplyT")


async def unless_gone(work: Coroutine[Any, Any, ReplyT], gone: asyncio.Event) -> ReplyT:
    """The result of ``work``; Unavailable (``session_lost``) as soon as ``gone`` is set while it still runs."""
    error = Unavailable("the browser or its page is gone; lease a new session", code="session_lost")
    return await run_unless(work, gone.wait(), error)

"""The browser's protocol: typed commands, and calls that end when the browser dies."""

# pyright: reportUnknownMemberType=false
from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast

from playwright.async_api import CDPSession

from shared.aio import run_unless
from shared.errors import Unavailable

ReplyT = TypeVar("ReplyT")


async def send(session: CDPSession, method: str, **params: Any) -> dict[str, Any]:
    """Send one command and return its answer. Raises Playwright's errors."""
    return cast("dict[str, Any]", await session.send(method, params))


def on(session: CDPSession, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
    """Call ``handler`` for each event of that name."""
    session.on(event, handler)


async def run_unless_gone(work: Coroutine[Any, Any, ReplyT], gone: asyncio.Event) -> ReplyT:
    """Return the result of ``work``. Raises Unavailable (``session_lost``) when ``gone`` is set first.

    Some Playwright calls, opening a page among them, never return when the browser dies.
    """
    error = Unavailable("the browser or its page is gone; lease a new session", code="session_lost")
    return await run_unless(work, gone.wait(), error)

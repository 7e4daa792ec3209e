"""The browser's own protocol, typed once: Playwright leaves its answers untyped."""

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
    """One command. Raises Playwright's errors."""
    return cast("dict[str, Any]", await session.send(method, params))


def on(session: CDPSession, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
    session.on(event, handler)


async def run_unless_gone(work: Coroutine[Any, Any, ReplyT], gone: asyncio.Event) -> ReplyT:
    """The result of ``work``; Unavailable (``session_lost``) as soon as ``gone`` is set while it still runs."""
    error = Unavailable("the browser or its page is gone; lease a new session", code="session_lost")
    return await run_unless(work, gone.wait(), error)

"""The browser's own protocol, typed once: Playwright leaves its answers untyped."""

# pyright: reportUnknownMemberType=false
from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from playwright.async_api import CDPSession


async def send(session: CDPSession, method: str, **params: Any) -> dict[str, Any]:
    """One command. Raises Playwright's errors."""
    return cast("dict[str, Any]", await session.send(method, params))


def on(session: CDPSession, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
    session.on(event, handler)

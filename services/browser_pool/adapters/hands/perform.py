"""From an action to the hand that does it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from services.browser_pool.adapters.hands.choosing import select_option
from services.browser_pool.adapters.hands.downloading import download
from services.browser_pool.adapters.hands.navigating import goto
from services.browser_pool.adapters.hands.picturing import screenshot
from services.browser_pool.adapters.hands.pointing import click
from services.browser_pool.adapters.hands.reading import extract, scroll, wait
from services.browser_pool.adapters.hands.typing import type_text
from services.browser_pool.adapters.outcome import Outcome
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import (
    Action,
    BrowserAction,
    Click,
    Download,
    Extract,
    Goto,
    Screenshot,
    Scroll,
    SelectOption,
    TypeText,
    Wait,
)

HANDS: dict[type[Action], Callable[[PageSession, Any], Awaitable[Outcome]]] = {
    Goto: goto,
    Click: click,
    TypeText: type_text,
    SelectOption: select_option,
    Scroll: scroll,
    Wait: wait,
    Screenshot: screenshot,
    Extract: extract,
    Download: download,
}


async def perform(session: PageSession, action: BrowserAction) -> Outcome:
    return await HANDS[type(action)](session, action)

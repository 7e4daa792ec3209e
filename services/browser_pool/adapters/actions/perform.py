"""From an action to the hand that does it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from services.browser_pool.adapters.actions.click import click, hover
from services.browser_pool.adapters.actions.date_picker.set_date import set_date
from services.browser_pool.adapters.actions.dialogs import answer_dialog, unless_asked, waits
from services.browser_pool.adapters.actions.download import download
from services.browser_pool.adapters.actions.drag import drag, drag_by
from services.browser_pool.adapters.actions.navigate import goto
from services.browser_pool.adapters.actions.press import press
from services.browser_pool.adapters.actions.read import extract, scroll, wait
from services.browser_pool.adapters.actions.screenshot import screenshot, screenshot_element, screenshot_views
from services.browser_pool.adapters.actions.select.dropdown import pick
from services.browser_pool.adapters.actions.select.native import select_option
from services.browser_pool.adapters.actions.tabs import back, close_tab, switch_tab
from services.browser_pool.adapters.actions.type_secret import type_secret
from services.browser_pool.adapters.actions.type_text import type_text
from services.browser_pool.adapters.actions.upload import upload
from services.browser_pool.adapters.outcome import Outcome, refuse
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import (
    Action,
    AnswerDialog,
    Back,
    BrowserAction,
    Click,
    CloseTab,
    Download,
    Drag,
    DragBy,
    Extract,
    Goto,
    Hover,
    PickOption,
    Press,
    Screenshot,
    ScreenshotElement,
    ScreenshotViews,
    Scroll,
    SelectOption,
    SetDate,
    SwitchTab,
    TypeSecret,
    TypeText,
    Upload,
    Wait,
)

HANDS: dict[type[Action], Callable[[PageSession, Any], Coroutine[Any, Any, Outcome]]] = {
    Goto: goto,
    Click: click,
    Hover: hover,
    Press: press,
    TypeText: type_text,
    TypeSecret: type_secret,
    SelectOption: select_option,
    PickOption: pick,
    SetDate: set_date,
    Upload: upload,
    Drag: drag,
    DragBy: drag_by,
    Scroll: scroll,
    Wait: wait,
    Back: back,
    SwitchTab: switch_tab,
    CloseTab: close_tab,
    Screenshot: screenshot,
    ScreenshotElement: screenshot_element,
    ScreenshotViews: screenshot_views,
    Extract: extract,
    Download: download,
}

LONGEST_S = 110.0
"""For whatever a page does: whoever asked waits for the answer."""


async def perform(session: PageSession, action: BrowserAction) -> Outcome:
    """Does it, for as long as the page asks nothing that has to be answered first."""
    if isinstance(action, AnswerDialog):
        return await answer_dialog(session, action)
    try:
        async with asyncio.timeout(LONGEST_S):
            return waits(session) or await unless_asked(session, HANDS[type(action)](session, action))
    except TimeoutError:
        return refuse("timeout", f"given up after {LONGEST_S:g} s", target=session.target)

"""Dispatch of actions: the one table from an action to its implementation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from services.browser_pool.adapters.actions.date_picker.set_date import set_date
from services.browser_pool.adapters.actions.dialogs import answer_dialog, dialog_refusal, run_until_dialog
from services.browser_pool.adapters.actions.download import download
from services.browser_pool.adapters.actions.navigate import back, close_tab, goto, switch_tab
from services.browser_pool.adapters.actions.pointer.click import click, double_click, hover
from services.browser_pool.adapters.actions.pointer.drag import drag, drag_by
from services.browser_pool.adapters.actions.pointer.last_look import last_look
from services.browser_pool.adapters.actions.press import press
from services.browser_pool.adapters.actions.read import extract, scroll, wait
from services.browser_pool.adapters.actions.screenshot import (
    screenshot,
    screenshot_element,
    screenshot_views,
)
from services.browser_pool.adapters.actions.select.dropdown import pick
from services.browser_pool.adapters.actions.select.native import select_option
from services.browser_pool.adapters.actions.step_picture import acts_on_element, take_before
from services.browser_pool.adapters.actions.type_text import type_secret, type_text
from services.browser_pool.adapters.actions.upload import upload
from services.browser_pool.adapters.actions.withheld import presses_target, withheld_target
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, refuse
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import (
    Action,
    AnswerDialog,
    Back,
    BrowserAction,
    Click,
    CloseTab,
    DoubleClick,
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

Implementation = Callable[[PageSession, Any], Coroutine[Any, Any, PerformOutcome]]

IMPLEMENTATIONS: dict[type[Action], Implementation] = {
    Goto: goto,
    Click: click,
    DoubleClick: double_click,
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
    AnswerDialog: answer_dialog,
}
"""The implementation of each browser action. The service's README lists what else a new action needs."""

PRESSES_NOTHING = (Goto, Back, Screenshot, Scroll, Extract)
"""A tab that opens meanwhile has opened by itself."""
TIMEOUT_S = 110.0
"""Time limit for one action, below the deadline of the caller's request."""


async def perform(session: PageSession, action: BrowserAction) -> PerformOutcome:
    """Perform ``action`` and return its outcome.

    While a dialog is open, every action but the answer to it is refused. An action that opens a dialog ends at once,
    with the dialog as its effect.
    """
    implementation = IMPLEMENTATIONS[type(action)]
    if isinstance(action, AnswerDialog):
        return await implementation(session, action)
    session.tabs.follows = not isinstance(action, PRESSES_NOTHING)
    session.before_acting = take_before if session.wants_step_picture and acts_on_element(action) else None
    session.before_pressing = refusal_to_press if presses_target(action) else None
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return dialog_refusal(session) or await run_until_dialog(session, implementation(session, action))
    except TimeoutError:
        return refuse("timeout", f"given up after {TIMEOUT_S:g} s", target=session.target)


async def refusal_to_press(session: PageSession, found: ResolvedElement) -> PerformOutcome | None:
    """Return why the element is not pressed, or None."""
    withheld = await withheld_target(session, found) if session.named is not None else None
    return withheld or (await last_look(session, found) if session.once else None)

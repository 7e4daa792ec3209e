"""Performs actions, each by the implementation that is registered for its type."""

from __future__ import annotations

import asyncio

from services.browser_pool.adapters.actions import (
    dialogs,
    download,
    navigate,
    press,
    read,
    screenshot,
    type_text,
    upload,
)
from services.browser_pool.adapters.actions.date_picker import set_date
from services.browser_pool.adapters.actions.dialogs import dialog_refusal, run_until_dialog
from services.browser_pool.adapters.actions.pointer import click, drag
from services.browser_pool.adapters.actions.pointer.last_look import last_look
from services.browser_pool.adapters.actions.select import dropdown, native
from services.browser_pool.adapters.actions.step_picture import acts_on_element, take_before
from services.browser_pool.adapters.actions.withheld import withheld_target
from services.browser_pool.adapters.implementations import IMPLEMENTATIONS
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, refuse
from services.browser_pool.adapters.session import PageSession
from shared.actions.table import facts_of_action
from shared.contracts.actions import AnswerDialog, Back, BrowserAction, Extract, Goto, Screenshot, Scroll

MODULES = (
    *(click, dialogs, download, drag, dropdown, native, navigate),
    *(press, read, screenshot, set_date, type_text, upload),
)
"""What performs actions; to import it registers it."""
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
    session.before_pressing = refusal_to_press if facts_of_action(action).clicks else None
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return dialog_refusal(session) or await run_until_dialog(session, implementation(session, action))
    except TimeoutError:
        return refuse("timeout", f"given up after {TIMEOUT_S:g} s", target=session.target)


async def refusal_to_press(session: PageSession, found: ResolvedElement) -> PerformOutcome | None:
    """Return why the element is not pressed, or None."""
    withheld = await withheld_target(session, found) if session.named is not None else None
    return withheld or (await last_look(session, found) if session.once else None)

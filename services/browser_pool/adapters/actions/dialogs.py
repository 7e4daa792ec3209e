"""JavaScript dialogs that wait for an answer, and actions that a dialog interrupts."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from playwright.async_api import Dialog, Error

from services.browser_pool.adapters.actions.withheld import withheld_dialog
from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.matching import first_line
from shared.aio import cancel_and_wait, wait_for_first
from shared.contracts.actions import AnswerDialog
from shared.contracts.results import DialogAnswered


async def run_until_dialog(session: PageSession, hand: Coroutine[Any, Any, PerformOutcome]) -> PerformOutcome:
    """Return the outcome of the action; as soon as the page opens a dialog, return that instead, because the page
    stands still."""
    acting = asyncio.create_task(hand)
    try:
        await wait_for_first(acting, session.tabs.dialog_waits.wait())
        opened = session.tabs.waiting
        if opened is None or (acting.done() and acting.exception() is not None):
            return await acting
        message = f'the page asks "{opened.message}": answer it with dialog'
        so_far = acting.result() if acting.done() else done("", target=session.target)
        return replace(so_far, ok=True, code="ok", message=message, effect=opened)
    finally:
        await cancel_and_wait(acting)


def dialog_refusal(session: PageSession) -> PerformOutcome | None:
    """Return the refusal of every action but the answer while a dialog is open, else None."""
    opened = session.tabs.waiting
    if opened is None:
        return None
    return refuse("dialog_open", f'the page asks "{opened.message}" ({opened.kind}): answer it with dialog first')


@performs(AnswerDialog)
async def answer_dialog(session: PageSession, action: AnswerDialog) -> PerformOutcome:
    dialog = session.tabs.open_dialog
    if dialog is None:
        return refuse("no_dialog", "no dialog is open")
    accepted = action.answer == "accept"
    message = dialog.message[:2000]
    withheld = withheld_dialog(session, message) if accepted and dialog.type != "alert" else None
    if withheld is not None:
        return withheld
    # Before the answer is sent: it may open the next dialog.
    session.tabs.forget_dialog()
    outcome = await run_until_dialog(session, _send_answer(session, dialog, action))
    if not outcome.ok or session.tabs.waiting is not None:
        return outcome
    said = "accepted" if accepted else "dismissed"
    effect = DialogAnswered(message=message, accepted=accepted)
    status = session.network.fresh_status
    if status is not None and status >= 400:
        return refuse("http_error", f'{said} "{message}"; the page answered with HTTP {status}', effect=effect)
    return done(f'{said} "{message}"', effect=effect)


async def _send_answer(session: PageSession, dialog: Dialog, action: AnswerDialog) -> PerformOutcome:
    text = action.text if dialog.type == "prompt" else None
    try:
        await session.run_timed(dialog.accept(text) if action.answer == "accept" else dialog.dismiss())
    except Error as error:
        session.tabs.raise_if_lost(error)
        return refuse("no_dialog", f"the dialog went away before it was answered: {first_line(error.message)}")
    await session.wait_for_rest()
    return done(action.answer)

"""Withholds presses that may change the site and that the task does not name.

Which these are is decided in :mod:`shared.pages.effects.unnamed_presses`; this module asks the page for the facts,
just before the press, and says so in the result.
"""

from __future__ import annotations

from playwright.async_api import Frame

from services.browser_pool.adapters.observe.engine import ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, refuse
from services.browser_pool.adapters.session import PageSession
from shared.pages.effects.unnamed_presses import PressFacts, message_about, withheld_answer, withheld_press

SENDING_KEYS = frozenset({"Enter", "NumpadEnter"})
PRESSING_KEYS = frozenset({*SENDING_KEYS, "Space", " "})
BY_KEY, BY_CHORD = "key", "sends"
"""How a form may be sent: by Enter in a field of one line, or with a modifier in any field."""


async def withheld_target(session: PageSession, found: ResolvedElement) -> PerformOutcome | None:
    """Return the refusal to press the element, or None."""
    return await _withheld(session, found.frame, found.snapshot_id, found.n, "")


async def withheld_key(session: PageSession, frame: Frame | None, focus_id: str, keys: str) -> PerformOutcome | None:
    """Return the refusal to press a key in the element that has the focus, or None. ``keys``: as Playwright names
    them."""
    *modifiers, key = keys.split("+") if keys != "+" else [keys]
    if session.named is None or frame is None or key not in PRESSING_KEYS:
        return None
    how = "" if key not in SENDING_KEYS else BY_CHORD if modifiers else BY_KEY
    return await _withheld(session, frame, focus_id, 0, how)


def withheld_dialog(session: PageSession, question: str) -> PerformOutcome | None:
    """Return the refusal to agree to a question of the browser, or None."""
    by = None if session.named is None else withheld_answer(question, session.named)
    return None if by is None else refuse("press_withheld", message_about(by, question))


async def _withheld(session: PageSession, frame: Frame, place: str, n: int, how: str) -> PerformOutcome | None:
    assert session.named is not None
    work = ask(frame, PressFacts, session.limits.action_s, "facts", place, n, how)
    facts = await session.run_timed(work)
    by = withheld_press(facts, session.named)
    if by is None:
        return None
    return refuse("press_withheld", message_about(by, facts.name or facts.field), target=session.target)

"""The last look at a form before a press that cannot be undone.

The field that was filled in last still has the focus, and scripts may change it, or enable a button, only once it has
lost that. A form with a field that the browser finds invalid is not sent, whatever is pressed. In both cases nothing is
pressed, so that the caller can look at the form as it is now.
"""

from __future__ import annotations

import msgspec

from services.browser_pool.adapters.actions.effects import leave_field
from services.browser_pool.adapters.observe.engine import ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, refuse
from services.browser_pool.adapters.session import PageSession


class UnsentFields(msgspec.Struct, frozen=True):
    """``fields``: those for which the browser does not send the form, with its words; ``forms``: a sum over what all
    fields hold."""

    forms: int
    fields: tuple[str, ...]


async def last_look(session: PageSession, found: ResolvedElement) -> PerformOutcome | None:
    """Take the focus from the field that has it, wait, and return the refusal to press the element, or None."""
    left = await leave_field(session, found.frame)
    await session.wait_for_rest()
    work = ask(found.frame, UnsentFields, session.limits.action_s, "unsent", found.snapshot_id, found.n)
    told = await session.run_timed(work)
    if told.forms != left.forms:
        why = "a field of the form changed when it lost the focus: look at it again. Nothing was pressed."
        return refuse("fields_changed", why, target=session.target)
    if told.fields:
        why = f"the browser does not send the form: {'; '.join(told.fields)}. Nothing was pressed."
        return refuse("form_invalid", why, target=session.target)
    return None

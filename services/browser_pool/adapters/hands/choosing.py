"""Picking one of several options."""

from __future__ import annotations

from services.browser_pool import matching
from services.browser_pool.adapters.engine import Gone
from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import PageChanged, SelectOption, ValueSet


async def select_option(session: PageSession, action: SelectOption) -> Outcome:
    found = await session.find(action.target, "select")
    if isinstance(found, Outcome):
        return found
    if found.now.tag != "select":
        message = f'{found.now.role} "{found.now.name}" is no native select; click it and then what it opens'
        return refuse("not_editable", message, target=found.told())
    index = matching.pick_option(found.now.options, action.option)
    if index is None:
        return refuse("no_such_option", matching.no_such_option(found.now.options, action.option), target=found.told())
    label, _, disabled = found.now.options[index]
    if disabled or found.now.disabled:
        return refuse("not_editable", f'"{label}" cannot be picked: it is disabled', target=found.told())
    await session.timed(found.locator.select_option(index=index, timeout=session.limits.action_s * 1000))
    after = await session.timed(found.again(session.limits.action_s))
    await session.settle()
    if isinstance(after, Gone):
        return done(f'picked "{label}", and the page went on', effect=PageChanged(), target=found.told())
    effect = ValueSet(value=after.text)
    if label not in (after.text, *after.text.split(", ")):
        return refuse(
            "effect_not_seen", f'after picking, the list shows "{after.text}"', effect=effect, target=found.told()
        )
    return done(f'picked "{label}"', effect=effect, target=found.told())

"""Text into fields, read back."""

from __future__ import annotations

from playwright.async_api import TimeoutError as PlaywrightTimeout

from services.browser_pool import matching
from services.browser_pool.adapters.engine import Gone
from services.browser_pool.adapters.hands.before import navigated, page_before
from services.browser_pool.adapters.outcome import Outcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.adapters.targets import Found
from shared.contracts.actions import Navigated, TypeText, ValueSet


async def type_text(session: PageSession, action: TypeText) -> Outcome:
    found = await session.find(action.target, "edit")
    if isinstance(found, Outcome):
        return found
    if not found.now.editable:
        why = (
            "disabled or read-only" if found.now.disabled or found.now.tag in ("input", "textarea") else "no text field"
        )
        return refuse("not_editable", f'{found.now.role} "{found.now.name}" is {why}', target=found.told())
    before = await page_before(session, found)
    await session.timed(found.locator.fill(action.text, timeout=session.limits.action_s * 1000))
    held = await _read_back(session, found)
    rest = await session.settle()
    if held is None:
        if navigated(before, rest.state):
            return done("typed, and the page went on", effect=Navigated(url=session.page.url), target=found.told())
        return refuse("effect_not_seen", "the field went away before it could be read back", target=found.told())
    shown = "(hidden)" if found.now.secret else held
    effect = ValueSet(value=shown)
    if not matching.says_the_same(action.text, held):
        said = "something else" if found.now.secret else f'"{held}"'
        return refuse("effect_not_seen", f"after typing, the field holds {said}", effect=effect, target=found.told())
    return done(f'typed into "{found.now.name}"', effect=effect, target=found.told())


async def _read_back(session: PageSession, found: Found) -> str | None:
    """What the field holds now. A secret is compared here and goes no further."""
    if found.now.tag in ("input", "textarea"):
        try:
            return await session.timed(found.locator.input_value(timeout=session.limits.action_s * 1000))
        except PlaywrightTimeout:
            return None
    after = await session.timed(found.again(session.limits.action_s))
    return None if isinstance(after, Gone) else after.text

"""The press action: sends a key or chord and reads its effect."""

from __future__ import annotations

from playwright.async_api import Error, Frame

from services.browser_pool.adapters.actions.effects import (
    ControlState,
    has_navigated,
    note_what_is_shown,
    shows_change,
    takes_focus,
)
from services.browser_pool.adapters.actions.pointer.hit_test import await_input
from services.browser_pool.adapters.actions.withheld import withheld_key
from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.observe.engine import DocumentState, ask
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.rest import document_state
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.keys import chord, refusal
from shared.contracts.actions import Press
from shared.contracts.browser_pool import HIDDEN_VALUE
from shared.contracts.results import CheckboxSet, Effect, Navigated, NotSeen, PageChanged, ValueSet

FOCUS = "action-focus"
VALUE_ROLES = frozenset({"textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider"})


@performs(Press)
async def press(session: PageSession, action: Press) -> PerformOutcome:
    keys = chord(action.keys)
    if keys is None:
        return refuse("failed", refusal(action.keys))
    refused = await _focus_target(session, action) if action.target is not None else None
    if refused is not None:
        return refused
    holder, shown = await focused_control(session)
    withheld = await withheld_key(session, holder, FOCUS, keys)
    if withheld is not None:
        return withheld
    before = await session.run_timed(document_state(session.tabs, session.limits.action_s, "act"))
    await note_what_is_shown(session, holder)
    await await_input(session, session.page.keyboard.press(keys))
    await session.wait_for_rest()
    effect = await _effect(session, holder, shown, before)
    if isinstance(effect, Navigated) and (effect.http_status or 0) >= 400:
        message = f"pressed {keys}; the page answered with HTTP {effect.http_status}"
        return refuse("http_error", message, effect=effect, target=session.target)
    seen = "; nothing was seen to come of it" if isinstance(effect, NotSeen) else ""
    return done(f"pressed {keys}{seen}", effect=effect, target=session.target)


async def _focus_target(session: PageSession, action: Press) -> PerformOutcome | None:
    """Give the focus to the target; return a refusal when it does not accept it."""
    assert action.target is not None
    found = await session.find(action.target, "edit")
    if isinstance(found, PerformOutcome):
        return found
    if await takes_focus(session, found.frame, found.snapshot_id, found.n):
        return None
    what = f'{found.now.role} "{found.now.name}"'
    return refuse(
        "not_editable", f"{what} does not take the focus, so no key reaches it", target=found.to_target_found()
    )


async def _effect(
    session: PageSession, holder: Frame | None, shown: ControlState, before: DocumentState | None
) -> Effect:
    if session.tabs.follow():
        await session.wait_for_rest()
        return Navigated(url=session.page.url, http_status=session.network.status(session.page))
    after = session.rest.state
    if before is None or has_navigated(before, after):
        return Navigated(url=session.page.url, http_status=session.network.fresh_status)
    filled = after is None or after.forms != before.forms
    value = await _value_effect(session, holder, shown, filled=filled)
    if value is not None:
        return value
    if session.tabs.dialogs or await shows_change(session, session.page.main_frame, before, after):
        return PageChanged()
    return await _focus_effect(session, shown)


async def focused_control(session: PageSession) -> tuple[Frame | None, ControlState]:
    """Return the frame with the focus and the focused control, which the page engine stores under FOCUS."""
    frames = [session.page.main_frame]
    while frames:
        frame = frames.pop()
        try:
            shown = await session.run_timed(ask(frame, ControlState, session.limits.action_s, "focused", FOCUS))
        except Error as error:
            session.tabs.raise_if_lost(error)
            continue
        if shown.tag in ("iframe", "frame"):
            frames += frame.child_frames
        elif shown.tag and (shown.has or frame is session.page.main_frame):
            return frame, shown
    return None, ControlState(here=False)


async def _value_effect(
    session: PageSession, frame: Frame | None, before: ControlState, *, filled: bool
) -> Effect | None:
    """Return the new value or check mark of the focused control, if it changed."""
    if frame is None or frame.is_detached():
        return None
    try:
        now = await session.run_timed(ask(frame, ControlState, session.limits.action_s, "shown", FOCUS, 0))
    except Error as error:
        session.tabs.raise_if_lost(error)
        return None
    if now.here and now.checked is not None and (now.checked, now.mixed) != (before.checked, before.mixed):
        return CheckboxSet(checked=None if now.mixed else now.checked)
    # A list that closed holds no value.
    if now.here and now.seen and now.role in VALUE_ROLES and (now.value != before.value or (now.secret and filled)):
        return ValueSet(value=HIDDEN_VALUE if now.secret else now.value)
    return None


async def _focus_effect(session: PageSession, before: ControlState) -> Effect:
    """Return whether the focus moved, often the only effect of Tab and arrow keys."""
    frame, now = await focused_control(session)
    same = frame is None or (now.tag, now.role, now.name, now.value) == (
        before.tag,
        before.role,
        before.name,
        before.value,
    )
    return NotSeen() if same else PageChanged()

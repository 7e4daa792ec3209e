"""The actions drag and drag_by: with the button down over points in between, as pages expect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec
from playwright.async_api import Error, Frame

from services.browser_pool.adapters.actions.effects import (
    ControlState,
    has_navigated,
    note_what_is_shown,
    shows_change,
    state_before,
)
from services.browser_pool.adapters.actions.pointer.hit_test import (
    HitTest,
    await_input,
    frame_origin,
    reach,
)
from services.browser_pool.adapters.implementations import performs
from services.browser_pool.adapters.observe.engine import DocumentState, StaleElement, ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.outcome import PerformOutcome, done, refuse
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Drag, DragBy
from shared.contracts.results import Effect, Navigated, NotSeen, PageChanged, ValueSet

STEPS = 12
RELEASE_S = 2.0
FIRST_PX = 6.0
"""A dragged element follows only after a few pixels."""
OVER, SLIDER = "action-over", "action-slider"


class SliderThumb(msgspec.Struct, frozen=True):
    """The handle of a slider, from the corner of its frame; None for other elements. The page engine stores the slider
    under SLIDER."""

    x: float | None = None
    y: float | None = None


@performs(Drag)
async def drag(session: PageSession, action: Drag) -> PerformOutcome:
    source = await session.find(action.target, "act")
    if isinstance(source, PerformOutcome):
        return source
    onto = await session.find(action.onto, "read")
    if isinstance(onto, PerformOutcome):
        return onto
    reached = await reach(session, source)
    if isinstance(reached, PerformOutcome):
        return reached
    before = await _state_before_drag(session, source, ControlPlace(source.frame, source.snapshot_id, source.n))
    start = await reached.point(session)
    async with _button_down(session, start):
        await _nudge(session, start)
        # While it is held, the target may be scrolled into view: the mouse stays where it is.
        end = await _drop_point(session, onto)
        if end is None:
            message = f'"{onto.now.name or onto.now.text[:80]}" is not visible, so nothing can be dropped there'
            return refuse("blocked", message, target=source.to_target_found())
        await await_input(session, session.page.mouse.move(*end, steps=STEPS))
        # A second move on the spot: many drop targets accept only after a move over them.
        await await_input(session, session.page.mouse.move(end[0] + 1, end[1] + 1))
        await await_input(session, session.page.mouse.move(*end))
    where = f'onto {onto.now.role} "{onto.now.name or onto.now.text[:80]}"'
    return await _outcome(session, source, before, where)


@performs(DragBy)
async def drag_by(session: PageSession, action: DragBy) -> PerformOutcome:
    found = await session.find(action.target, "act")
    if isinstance(found, PerformOutcome):
        return found
    start = await _thumb(session, found)
    held = (
        ControlPlace(found.frame, found.snapshot_id, found.n) if start is None else ControlPlace(found.frame, SLIDER, 0)
    )
    if start is None:
        reached = await reach(session, found)
        if isinstance(reached, PerformOutcome):
            return reached
        start = await reached.point(session)
    before = await _state_before_drag(session, found, held)
    end = (start[0] + action.right_px, start[1] + action.down_px)
    async with _button_down(session, start):
        await await_input(session, session.page.mouse.move(*end, steps=STEPS))
    return await _outcome(session, found, before, f"by {action.right_px:g} px right, {action.down_px:g} px down")


@asynccontextmanager
async def _button_down(session: PageSession, start: tuple[float, float]) -> AsyncGenerator[None]:
    """Hold the mouse button for the block and release it afterwards, also after errors."""
    mouse = session.page.mouse
    await await_input(session, mouse.move(*start))
    await await_input(session, mouse.down())
    try:
        yield
    finally:
        try:
            async with asyncio.timeout(RELEASE_S):
                await mouse.up()
        except (Error, TimeoutError):
            pass  # its page is gone or shows a dialog


async def _nudge(session: PageSession, start: tuple[float, float]) -> None:
    await await_input(session, session.page.mouse.move(start[0] + FIRST_PX / 2, start[1] + FIRST_PX / 2))
    await await_input(session, session.page.mouse.move(start[0] + FIRST_PX, start[1] + FIRST_PX))


async def _drop_point(session: PageSession, found: ResolvedElement) -> tuple[float, float] | None:
    work = ask(found.frame, HitTest, session.limits.action_s, "reach", found.snapshot_id, found.n, OVER, "whole")
    way = await session.run_timed(work)
    # The dragged element may cover the target; that is no obstacle.
    if way.state not in ("free", "covered"):
        return None
    left, top = await frame_origin(session, found.frame)
    return left + way.x, top + way.y


async def _thumb(session: PageSession, found: ResolvedElement) -> tuple[float, float] | None:
    """Return where the handle of a slider can be held, the element's own or that of the only slider in it."""
    work = ask(found.frame, SliderThumb, session.limits.action_s, "thumb", found.snapshot_id, found.n, SLIDER)
    thumb = await session.run_timed(work)
    if thumb.x is None or thumb.y is None:
        return None
    left, top = await frame_origin(session, found.frame)
    return left + thumb.x, top + thumb.y


@dataclass(frozen=True)
class ControlPlace:
    """The control whose value a drag changes."""

    frame: Frame
    group: str
    n: int


@dataclass(frozen=True)
class BeforeDrag:
    page: DocumentState
    held: ControlPlace
    shown: ControlState


async def _state_before_drag(session: PageSession, found: ResolvedElement, held: ControlPlace) -> BeforeDrag:
    page = await state_before(session, found)
    await note_what_is_shown(session, found.frame)
    return BeforeDrag(page, held, await _control_state(session, held))


async def _control_state(session: PageSession, held: ControlPlace) -> ControlState:
    try:
        work = ask(held.frame, ControlState, session.limits.action_s, "shown", held.group, held.n)
        return await session.run_timed(work)
    except Error as error:
        session.tabs.raise_if_lost(error)
        return ControlState(here=False)


async def _outcome(session: PageSession, found: ResolvedElement, before: BeforeDrag, where: str) -> PerformOutcome:
    rest = await session.wait_for_rest()
    what = f'dragged {found.now.role} "{found.now.name or found.now.text[:80]}" {where}'
    effect: Effect = NotSeen()
    if session.tabs.follow() or has_navigated(before.page, rest.state):
        effect = Navigated(url=session.page.url, http_status=session.network.fresh_status)
    else:
        now = await _control_state(session, before.held)
        if now.here and now.role in ("slider", "spinbutton", "separator") and now.value != before.shown.value:
            effect = ValueSet(value=now.value)
        elif session.tabs.dialogs or await _shows_drag(session, found, before, rest.state):
            effect = PageChanged()
    seen = "; nothing was seen to come of it" if isinstance(effect, NotSeen) else ""
    return done(what + seen, effect=effect, target=found.to_target_found())


async def _shows_drag(
    session: PageSession, found: ResolvedElement, before: BeforeDrag, after: DocumentState | None
) -> bool:
    if found.frame.is_detached() or await shows_change(session, session.page.main_frame, before.page, after):
        return True
    now = await session.run_timed(found.again(session.limits.action_s))
    if isinstance(now, StaleElement) or now.box != found.now.box:
        return True
    return found.frame.parent_frame is not None and await shows_change(session, found.frame, found.now, now)

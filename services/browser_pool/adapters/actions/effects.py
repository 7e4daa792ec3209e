"""The page before an action and after it, and the state of single controls."""

from __future__ import annotations

import msgspec
from playwright.async_api import Error, Frame

from services.browser_pool.adapters.observe.engine import CountReply, DocumentState, ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.session import PageSession


class VisibleChanges(msgspec.Struct, frozen=True):
    """What became visible since the mark, how much disappeared, and the first texts that appeared."""

    came: int
    left: int
    texts: tuple[str, ...]


class ShownChanges(msgspec.Struct, frozen=True):
    """Whether what is shown differs from the last look; None where there was none, or it cannot be told."""

    changed: bool | None


class FocusTaken(msgspec.Struct, frozen=True):
    took: bool


class FocusLeft(msgspec.Struct, frozen=True):
    """``forms``: a sum over what all fields held just before."""

    forms: int


class ControlState(msgspec.Struct, frozen=True):
    """The present state of a control. ``checked`` is None when it cannot be checked; ``seen``: it is visible."""

    here: bool = True
    seen: bool = False
    tag: str = ""
    has: bool = False
    role: str = ""
    name: str = ""
    value: str = ""
    secret: bool = False
    checked: bool | None = None
    mixed: bool = False
    invalid: bool = False
    selected: bool = False
    expanded: str | None = None


async def takes_focus(session: PageSession, frame: Frame, snapshot_id: str, n: int) -> bool:
    """Give the focus to a stored element. Return False where it does not accept it."""
    return (await session.run_timed(ask(frame, FocusTaken, session.limits.action_s, "take", snapshot_id, n))).took


async def leave_field(session: PageSession, frame: Frame) -> FocusLeft:
    """Take the focus from the field that has it."""
    return await session.run_timed(ask(frame, FocusLeft, session.limits.action_s, "leave"))


async def state_before(session: PageSession, found: ResolvedElement) -> DocumentState:
    """Return the state of the main document, which the search has already returned for its own elements."""
    main = session.page.main_frame
    if found.frame is main:
        return found.now
    return await session.run_timed(ask(main, DocumentState, session.limits.action_s, "act"))


def has_navigated(before: DocumentState, after: DocumentState | None) -> bool:
    return after is not None and (before.url != after.url or before.doc != after.doc)


async def note_what_is_shown(session: PageSession, *frames: Frame | None) -> None:
    """Note what the frames show, for `shows_change`. A press on an element can do so itself."""
    for frame in {session.page.main_frame, *(frame for frame in frames if frame is not None)}:
        try:
            await session.run_timed(ask(frame, CountReply, session.limits.action_s, "look"))
        except Error as error:
            session.tabs.raise_if_lost(error)


async def shows_change(session: PageSession, frame: Frame, before: DocumentState, after: DocumentState | None) -> bool:
    """Return whether the frame shows something else than at the last look.

    A document also changes where nobody sees it: hidden values, marks of where the mouse and the focus are. Where no
    look was taken, every change of the document counts.
    """
    if not has_changed(before, after):
        return False
    if after is None or before.doc != after.doc or frame.is_detached():
        return True
    try:
        told = await session.run_timed(ask(frame, ShownChanges, session.limits.action_s, "changes"))
    except Error as error:
        session.tabs.raise_if_lost(error)
        return True
    return told.changed is not False


def has_changed(before: DocumentState, after: DocumentState | None) -> bool:
    """Return whether the document, a field or the scroll position differs."""
    if after is None or before.doc != after.doc:
        return True
    was = (before.mutations, before.forms, before.title, before.scroll_y)
    return was != (after.mutations, after.forms, after.title, after.scroll_y)

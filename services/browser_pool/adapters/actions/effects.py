"""The page before an action and after it, and the state of single controls."""

from __future__ import annotations

import msgspec

from services.browser_pool.adapters.observe.engine import DocumentState, ask
from services.browser_pool.adapters.observe.targets import ResolvedElement
from services.browser_pool.adapters.session import PageSession


class VisibleChanges(msgspec.Struct, frozen=True):
    """What became visible since the mark, how much disappeared, and the first texts that appeared."""

    came: int
    left: int
    texts: tuple[str, ...]


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
    invalid: bool = False
    selected: bool = False
    expanded: str | None = None


async def state_before(session: PageSession, found: ResolvedElement) -> DocumentState:
    """Return the state of the main document, which the search has already returned for its own elements."""
    main = session.page.main_frame
    if found.frame is main:
        return found.now
    return await session.run_timed(ask(main, DocumentState, session.limits.action_s, "act"))


def has_navigated(before: DocumentState, after: DocumentState | None) -> bool:
    return after is not None and (before.url != after.url or before.doc != after.doc)


def has_changed(before: DocumentState, after: DocumentState | None) -> bool:
    """Return whether the document, a field or the scroll position differs."""
    if after is None or before.doc != after.doc:
        return True
    was = (before.mutations, before.forms, before.title, before.scroll_y)
    return was != (after.mutations, after.forms, after.title, after.scroll_y)

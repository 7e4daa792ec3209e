"""The page before an action and after it."""

from __future__ import annotations

from services.browser_pool.adapters.observe.engine import State, ask
from services.browser_pool.adapters.observe.targets import Found
from services.browser_pool.adapters.session import PageSession


async def page_before(session: PageSession, found: Found) -> State:
    """The main document as it is now; the search has just brought it along where the element is in it."""
    main = session.page.main_frame
    if found.frame is main:
        return found.now
    return await session.timed(ask(main, State, session.limits.action_s, "act"))


def navigated(before: State, after: State | None) -> bool:
    return after is not None and (before.url != after.url or before.doc != after.doc)


def changed(before: State, after: State | None) -> bool:
    """Whether the document, a field or the scroll position is another than before."""
    if after is None or before.doc != after.doc:
        return True
    was = (before.mutations, before.forms, before.title, before.scroll_y)
    return was != (after.mutations, after.forms, after.title, after.scroll_y)

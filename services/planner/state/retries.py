"""Pure: looking at a page again, at more of it, and further down, for a bounded number of times."""

from __future__ import annotations

from services.planner.page.text import dismissal
from services.planner.state.sample_state import MAX_OBSERVE_TOKENS, Act, Look, View
from services.planner.state.start_page import by_rule
from shared.contracts.actions import ByRef, Click, Scroll
from shared.contracts.browser_pool import PageObserved

PAUSES_S = (0.3, 0.7, 1.5, 3.0)
"""Between looks at a page that may still be rendering."""
ALL_LOOKS = len(PAUSES_S)
MAX_SCROLLS = 3
MAX_DISMISSALS = 3
MAX_TRIES = 2
SCROLL_PX = 4000


def look_again(view: View, *, looks: int = ALL_LOOKS) -> Look | None:
    done = view.state.looks
    return Look(PAUSES_S[done], view.state.max_tokens) if done < min(looks, ALL_LOOKS) else None


def look_at_more(view: View, page: PageObserved) -> Look | None:
    """With a larger budget, where something was left out of the observation."""
    if page.left_out and view.state.max_tokens < MAX_OBSERVE_TOKENS:
        return Look(0.0, view.state.max_tokens * 4)
    return None


def dismiss(page: PageObserved, tried: int) -> Act | None:
    """Sends away a dialog or a banner that lies over the page; ``tried``: how often that was done already."""
    button = dismissal(page)
    if button is None or tried >= MAX_DISMISSALS:
        return None
    target = ByRef(ref=button.ref, snapshot_id=page.snapshot_id)
    return by_rule(Click(target=target, reason=f"{button.name!r} sends away what lies over the page."))


def scroll(view: View, page: PageObserved) -> Act | None:
    scrolls = sum(isinstance(entry.action, Scroll) for entry in view.state.history)
    if page.scroll_y_px >= page.scroll_max_y_px or scrolls >= MAX_SCROLLS:
        return None
    return by_rule(
        Scroll(direction="down", amount_px=SCROLL_PX, reason="Fields are missing and the page goes on below.")
    )

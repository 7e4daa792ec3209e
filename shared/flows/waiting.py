"""How long a page that lacks something is waited for."""

from __future__ import annotations

from shared.contracts.browser_pool import PageObserved
from shared.contracts.workflows.flows import (
    AwaitElement,
    CheckShown,
    ClickElement,
    CountElements,
    DownloadAll,
    FlowAnswer,
    FlowCall,
)

PAUSES_S = (0.3, 0.7, 1.5, 3.0)
"""Pauses between observations of a page that may still be rendering."""
ALL_LOOKS = len(PAUSES_S)
IDLE_LOOKS = 1
"""Extra observations of a page that nothing pending may change; one, because not all that scripts wait for is known."""
DIFFERENT_LOOKS = 2
"""Extra observations of a page that shows something else; of one that lacks something there are more."""
AWAIT_PAUSE_S = 0.5
LACKS = frozenset({"element_missing", "element_ambiguous", "record_unproven", "value_missing"})
DIFFERS = frozenset({"wrong_record", "value_uncertain", "form_differs"})
"""Codes of answers that another look at the page may change."""


def next_pause_s(page: PageObserved | None, looks: int, most: int = ALL_LOOKS) -> float | None:
    """Return the pause before the next observation, or None after ``most`` of them, or once nothing more can come.

    ``looks``: extra observations so far."""
    most = min(most, IDLE_LOOKS if page is not None and page.idle else ALL_LOOKS)
    return PAUSES_S[looks] if looks < most else None


def pause_for_answer_s(call: FlowCall, answer: FlowAnswer, page: PageObserved | None, looks: int) -> float | None:
    """Return the pause before another look at a page that may give a flow's call another answer, or None."""
    code = "" if answer.error is None else answer.error.code
    if isinstance(call, AwaitElement):
        waiting = code in LACKS and looks * AWAIT_PAUSE_S < call.timeout_s
        return AWAIT_PAUSE_S if waiting else None
    if isinstance(call, ClickElement) and answer.value is False:
        return next_pause_s(page, looks, IDLE_LOOKS)
    if (isinstance(call, CheckShown) and answer.value is False) or (
        isinstance(call, DownloadAll | CountElements) and answer.value == 0
    ):
        return next_pause_s(page, looks)
    if code in DIFFERS:
        return next_pause_s(page, looks, DIFFERENT_LOOKS)
    return next_pause_s(page, looks) if code in LACKS else None

"""How long a page that lacks something is waited for, and when an action that was not made is decided on anew."""

from __future__ import annotations

from dataclasses import replace

from msgspec.structs import replace as replace_part

from shared.contracts.actions import ByCss
from shared.contracts.browser_pool import PageObserved
from shared.contracts.results import ActionResult, Navigated
from shared.contracts.workflows.flows import (
    AwaitElement,
    CheckShown,
    ChooseOption,
    ClickElement,
    CountElements,
    DownloadAll,
    FlowAnswer,
    FlowCall,
    ReadFields,
    ReadList,
)
from shared.flows.answering import FlowContext, Perform, effect_tag
from shared.flows.reading import flow_error

PAUSES_S = (0.3, 0.7, 1.5, 3.0, 3.0, 3.0, 5.0, 5.0, 5.0, 5.0)
"""Pauses between observations of a page that may still be rendering."""
ALL_LOOKS = 4
"""Extra observations of a page that lacks something."""
AWAITED_LOOKS = 6
"""Extra observations of a page that shows all that is looked for, while an answer is on its way that may replace it."""
OWN_LOOKS = len(PAUSES_S)
"""The same while the answer is to a request of the page's own (`PageObserved.awaited`); then it goes to a person. Polls
hold their answers back for half a minute at most, as a rule."""
IDLE_LOOKS = 1
"""Extra observations of a page that nothing pending may change; one, because not all that scripts wait for is known."""
DIFFERENT_LOOKS = 2
"""Extra observations of a page that shows something else; of one that lacks something there are more."""
CHANGING_LOOKS = 2
"""Extra observations of a page that shows all that is looked for, while timers or connections are pending."""
AWAIT_PAUSE_S = 0.5
LACKS = frozenset({"element_missing", "element_ambiguous", "record_unproven", "value_missing"})
DIFFERS = frozenset({"wrong_record", "value_uncertain", "form_differs"})
"""Codes of answers that another look at the page may change."""


def next_pause_s(page: PageObserved | None, looks: int, most: int = ALL_LOOKS) -> float | None:
    """Return the pause before the next observation, or None after ``most`` of them, or once nothing more can come.

    ``looks``: extra observations so far. While an answer to the page's own request is awaited, there are more."""
    if page is not None and page.idle:
        most = min(most, IDLE_LOOKS)
    elif page is not None and page.awaited:
        most = OWN_LOOKS
    return PAUSES_S[looks] if looks < most else None


def pause_while_changing_s(page: PageObserved, looks: int) -> float | None:
    """Return the pause before a page is read once more that may change by itself, or None once nothing is pending.

    It may show another record's values first. A page that is never idle is looked at for a second; one that awaits the
    answer of a request until that has come, up to 11.5 s, or to 31.5 s where the request is the page's own."""
    return None if page.idle else next_pause_s(page, looks, AWAITED_LOOKS if page.awaits_data else CHANGING_LOOKS)


def pause_for_answer_s(call: FlowCall, answer: FlowAnswer, page: PageObserved | None, looks: int) -> float | None:
    """Return the pause before another look at a page that may give a flow's call another answer, or None."""
    code = "" if answer.error is None else answer.error.code
    if isinstance(call, AwaitElement):
        waiting = code in LACKS and looks * AWAIT_PAUSE_S < call.timeout_s
        return AWAIT_PAUSE_S if waiting else None
    if isinstance(call, ReadFields | ReadList) and answer.error is None and page is not None:
        return pause_while_changing_s(page, looks)
    if isinstance(call, CountElements) and page is not None and page.awaited:
        return next_pause_s(page, looks)
    if isinstance(call, ClickElement) and answer.value is False:
        return next_pause_s(page, looks, IDLE_LOOKS)
    if (isinstance(call, CheckShown) and answer.value is False) or (
        isinstance(call, DownloadAll | CountElements) and answer.value == 0
    ):
        return next_pause_s(page, looks)
    if code in DIFFERS:
        return next_pause_s(page, looks, DIFFERENT_LOOKS)
    return next_pause_s(page, looks) if code in LACKS else None


def certain_answer(call: FlowCall, answer: FlowAnswer, page: PageObserved | None) -> FlowAnswer:
    """Return the answer to a call that is not waited for any longer.

    What was read while a request of the page's own had no answer, or had failed, may stand in for what that brings: it
    is an error.
    """
    if page is None or answer.error is not None or not isinstance(call, ReadFields | ReadList | CountElements):
        return answer
    missing = next(iter((*page.awaited, *page.failed)), "")
    return flow_error("value_uncertain", f"{page.url} has no answer of {missing}") if missing else answer


def is_tried_again(perform: Perform, result: ActionResult) -> bool:
    """Return whether the action was not made since its element was rendered anew, has not come yet, or was covered, or
    since a field has changed before a press that is made once."""
    if result.code == "blocked":
        return not perform.irreversible
    if result.ok or perform.answers_shown:
        return False
    by_css = isinstance(getattr(perform.action, "target", None), ByCss)
    return result.code in ("stale_ref", "fields_changed") or (by_css and result.code == "not_found")


def awaits_navigation(perform: Perform, result: ActionResult) -> bool:
    """Return whether the action led to another page when it was recorded, and has not yet."""
    return result.ok and "navigated" in perform.effects and effect_tag(result) not in perform.effects


def with_late_navigation(perform: Perform, result: ActionResult, before: str, page: PageObserved) -> ActionResult:
    """Return the result with the navigation that began after the action had ended. ``before``: the address then."""
    late = awaits_navigation(perform, result) and page.url != before
    return replace_part(result, effect=Navigated(url=page.url)) if late else result


def begins_anew(call: FlowCall) -> bool:
    """Return whether a call whose action was not made begins with its first one again: a list of options may be shut,
    and is searched again."""
    return isinstance(call, ChooseOption)


def reset_call(context: FlowContext, call: FlowCall) -> FlowContext:
    """Return the context of a call that is decided on anew."""
    return replace(context, done=0) if begins_anew(call) else context

"""Pure: several calls of one answer are carried out in order, and stop when the page changes under them.

A model chooses them all on one look at the page. Each later one is carried out only where what it acts on is
still there, still the same thing, and where the page as a whole is still the one it was chosen on.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

import msgspec

from services.planner.page.refind import find_ref
from shared.contracts.actions import AnyAction, ByRef, Done, Fail, Goto, ReportItems, SaveProgress
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import ActionResult

SHIFTED_SHARE, SHIFTED_LEAST = 0.2, 3
"""More elements than this share, and at least so many, came or went: it is another page now."""
LAST_OF_ITS_ANSWER = (Goto, SaveProgress, ReportItems, Done, Fail)
NEEDS_ITS_PAGE = (Done, Fail, SaveProgress, ReportItems)
"""What reports of a page is only of the page that was looked at."""


class ExecutedAction(Protocol):
    @property
    def result(self) -> ActionResult | None: ...
    @property
    def refused(self) -> bool: ...


def stop_reason(action: AnyAction, outcome: ExecutedAction) -> str:
    """Why nothing after ``action`` is carried out; empty where something may be."""
    result = outcome.result
    if outcome.refused:
        return _dropped_calls("this one was refused")
    if isinstance(action, LAST_OF_ITS_ANSWER):
        return _dropped_calls(f"{action.__struct_config__.tag} ends an answer")
    if result is not None and not result.ok:
        return _dropped_calls("this one failed")
    if result is not None and result.change.url_before != result.change.url_after:
        return _dropped_calls("the page's address changed")
    if result is not None and (result.change.new_tabs or result.change.dialogs):
        return _dropped_calls("a tab or a dialog opened")
    return ""


def next_batched_call(
    action: AnyAction, before: PageObserved | None, now: PageObserved | None
) -> tuple[AnyAction | None, str]:
    """``action`` as it is to be carried out on the page as it is now, or None and why not."""
    if before is None or now is None or before.url != now.url:
        return None, _dropped_calls("another page is shown")
    came_or_went = changed_elements(before, now)
    if isinstance(action, NEEDS_ITS_PAGE) and came_or_went:
        return None, _dropped_calls("what is reported must be of the page as it is now; look at it first")
    if came_or_went > max(SHIFTED_SHARE * len(before.elements), SHIFTED_LEAST - 1):
        return None, _dropped_calls(f"{came_or_went} elements of the page came or went")
    return _with_current_refs(action, before, now)


def changed_elements(before: PageObserved, now: PageObserved) -> int:
    """How many elements came or went. That a dialog went is no change of the page it lay over; one that came is."""
    stays = Counter(_same(element) for element in before.elements if not element.in_dialog)
    one, other = Counter(map(_same, before.elements)), Counter(map(_same, now.elements))
    return sum(((stays - other) + (other - one)).values())


def _with_current_refs(action: AnyAction, before: PageObserved, now: PageObserved) -> tuple[AnyAction | None, str]:
    """Refs mean elements of one look only: each is looked up again, and must be the only one of its kind."""
    changed: dict[str, Any] = {}
    for name in ("target", "onto"):
        target = getattr(action, name, None)
        if isinstance(target, ByRef):
            ref = find_ref(target.ref, before, now)
            if ref is None:
                return None, _dropped_calls(f"[{target.ref}] is not the same any more")
            changed[name] = ByRef(ref=ref, snapshot_id=now.snapshot_id)
    if isinstance(action, Done | SaveProgress):
        refs = {name: find_ref(ref, before, now) for name, ref in action.refs.items()}
        if None in refs.values():
            return None, _dropped_calls("an element that shows a value is not the same any more")
        changed["refs"] = refs
    return (msgspec.structs.replace(action, **changed) if changed else action), ""


def _same(element: Element) -> tuple[object, ...]:
    return (element.frame, element.role, element.name, element.url)


def _dropped_calls(why: str) -> str:
    return f"The calls after this one were not carried out: {why}."

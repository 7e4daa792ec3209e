"""Several calls of one answer: executed in order, and stopped when the page changes under them.

A model chooses all of them on one observation. A later call is executed only if its target is still there and the same,
and if the page as a whole is still the one that was observed.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

import msgspec

from shared.actions.table import facts_of_action
from shared.contracts.actions import TARGET_FIELDS, AnyAction, ByRef, Done, SaveProgress
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.results import ActionResult
from shared.pages.locate.by_recording import find_ref

SHIFTED_SHARE, SHIFTED_LEAST = 0.2, 3
"""If more than this share, and at least this many elements came or went, it counts as another page."""


class ExecutedAction(Protocol):
    """The part of an outcome that decides whether the next call follows."""

    @property
    def result(self) -> ActionResult | None: ...
    @property
    def refused(self) -> bool: ...


def stop_reason(action: AnyAction, outcome: ExecutedAction) -> str:
    """Return why no call after this action is executed; empty: the next one may be."""
    result = outcome.result
    if outcome.refused:
        return _dropped_calls("this one was refused")
    if facts_of_action(action).ends_answer:
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
    """Return the call with refs of the current observation, or None and the reason why it is dropped."""
    if before is None or now is None or before.url != now.url:
        return None, _dropped_calls("another page is shown")
    came_or_went = changed_elements(before, now)
    if facts_of_action(action).reports_page and came_or_went:
        return None, _dropped_calls("what is reported must be of the page as it is now; look at it first")
    if came_or_went > max(SHIFTED_SHARE * len(before.elements), SHIFTED_LEAST - 1):
        return None, _dropped_calls(f"{came_or_went} elements of the page came or went")
    return _with_current_refs(action, before, now)


def changed_elements(before: PageObserved, now: PageObserved) -> int:
    """Return how many elements came or went. A dialog that went is no change; one that came is."""
    stays = Counter(_same(element) for element in before.elements if not element.in_dialog)
    one, other = Counter(map(_same, before.elements)), Counter(map(_same, now.elements))
    return sum(((stays - other) + (other - one)).values())


def _with_current_refs(action: AnyAction, before: PageObserved, now: PageObserved) -> tuple[AnyAction | None, str]:
    """Refs are valid for one observation only: each is looked up again and must be unique."""
    changed: dict[str, Any] = {}
    for name in TARGET_FIELDS:
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

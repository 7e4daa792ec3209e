"""Whether a recorded step may change something on the site, so that it is not repeated without permission.

The log does not record HTTP methods, so a form that searches cannot be told from one that saves by its traffic. Only
plainly harmless steps pass.
"""

from __future__ import annotations

import re

from services.planner.page.text import OPENS_MORE, PRESSED_ROLES, find_dismissal, is_input
from shared.contracts.actions import AnswerDialog, Click, Drag, DragBy, Press, Upload
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.steps import StepTaken

HARMLESS_KEYS = re.compile(r"(?:Shift\+)?(?:Escape|Tab|Arrow\w+|Home|End|PageUp|PageDown)")
LOOKS_ONLY = re.compile(
    r"(?:search|find|look up|filter|sort|next|previous|back|first|last|page|show|hide|view|see|details?|expand|"
    r"collapse|more|less|load more|refresh|close|cancel|dismiss|clear|reset filters?|go to|menu|tabs?)\b"
    r"(?!.*\b(?:save|send|submit|delete|remove|create|approve|confirm|pay|order|book|sign)\b)",
    re.I,
)
SEARCHES = re.compile(r"\b(?:search|find|filter|look ?up|query)\b", re.I)
CHOOSES = frozenset({"tab", "checkbox", "radio", "option", "treeitem", "combobox", "textbox", "searchbox", "listbox"})


def may_change_site(recorded: StepTaken, now: Element | None, page: PageObserved | None) -> bool:
    """Return whether the step may change something. `now`: the element that it would act on, if any."""
    action, result = recorded.action, recorded.result
    if isinstance(action, Upload | Drag | DragBy):
        return True
    if isinstance(action, AnswerDialog):
        return action.answer == "accept"
    if isinstance(action, Press):
        return not _harmless_keys(action, now)
    if not isinstance(action, Click):
        return False
    asked = result is not None and bool(result.change.dialogs)
    return asked or now is None or not _harmless_click(now, page)


def _harmless_keys(action: Press, now: Element | None) -> bool:
    if HARMLESS_KEYS.fullmatch(action.keys):
        return True
    if now is None or action.keys != "Enter":
        return False
    return now.role == "searchbox" or (is_input(now) and SEARCHES.search(now.name) is not None)


def _harmless_click(now: Element, page: PageObserved | None) -> bool:
    if now.role == "link" and (now.url or "").startswith(("http://", "https://")):
        return True
    if now.role == "switch":  # it takes effect at once, without a form
        return False
    if now.role in CHOOSES or (is_input(now) and now.role not in PRESSED_ROLES) or OPENS_MORE & set(now.states):
        return True
    if page is not None and find_dismissal(page) is now:
        return True
    return LOOKS_ONLY.match(now.name.strip()) is not None

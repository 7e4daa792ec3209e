"""What a model need not try again: targets that failed, actions that led nowhere, and pages that gave what they have.

All of it follows from the whole history, so it stays known when the steps themselves are not shown any more.
"""

from __future__ import annotations

import json
from collections import Counter

from services.planner.state.attempt_state import AttemptState, Entry
from services.planner.state.limits import REPEATS_AT, repeat_key
from shared.contracts.actions import ByCss, ByText, Goto, SaveProgress
from shared.models.sanitize import clipped
from shared.text.normal import tidy

NAME_CHARS = 60
BLOCKED_AT = 2
"""A target that failed so often, without a success between, is blocked."""


def blocked_targets(state: AttemptState) -> list[str]:
    """Return the targets that failed at their address, each time that they were tried last."""
    failed: Counter[str] = Counter()
    last: dict[str, Entry] = {}
    for entry in state.history:
        if entry.refused or getattr(entry.action, "target", None) is None:
            continue
        key = repeat_key(entry)
        failed[key] = 0 if entry.ok else failed[key] + 1
        last[key] = entry
    return [_line(last[key], f"failed {times} times") for key, times in failed.items() if times >= BLOCKED_AT]


def dead_ends(state: AttemptState) -> list[str]:
    """Return the actions that were taken again and again at their address, and brought nothing."""
    last = {repeat_key(entry): entry for entry in state.history if entry.action is not None}
    repeats = state.progress.repeats
    return [_line(entry, f"{repeats[key]} times") for key, entry in last.items() if repeats.get(key, 0) >= REPEATS_AT]


def exhausted_pages(state: AttemptState) -> list[str]:
    """Return the pages of which values were saved, with the names of these."""
    saved: dict[str, list[str]] = {}
    for entry in state.history:
        if isinstance(entry.action, SaveProgress) and not entry.refused and entry.url:
            saved.setdefault(entry.url, []).extend((*entry.action.values, *entry.action.not_present))
    return [f"{url}: {', '.join(dict.fromkeys(names))}" for url, names in saved.items() if names]


def _line(entry: Entry, times: str) -> str:
    tag = "no valid call" if entry.action is None else entry.action.__struct_config__.tag
    return f"{tag}{_on(entry)} on {entry.url or 'no page'}: {times}"


def _on(entry: Entry) -> str:
    """Name what it acted on by its words: a ref of an earlier page means nothing any more."""
    found = entry.result.target if entry.result is not None else None
    target = getattr(entry.action, "target", None)
    if isinstance(entry.action, Goto):
        return f" {entry.action.url}"
    if found is not None:
        return f" {_quoted(found.name)}" if found.name else f" a {found.role}"
    if isinstance(target, ByText | ByCss):
        return f" {_quoted(target.text if isinstance(target, ByText) else target.css)}"
    return ""


def _quoted(text: str) -> str:
    return json.dumps(clipped(tidy(text), NAME_CHARS), ensure_ascii=False)

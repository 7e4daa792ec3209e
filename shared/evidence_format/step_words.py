"""Actions, targets, values, changes and heals of a step log as words, for the report and for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from shared.contracts.results import Change, TargetFound
from shared.contracts.workflows.heals import Heal

NAMED = ("text", "option", "keys", "answer", "field", "question", "file", "label", "url", "date", "code", "note")


def value_text(value: Any) -> str:
    """Return a value for people: a text as it is, a list with commas, rows with semicolons, anything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        if all(isinstance(part, str | int | float) for part in parts):
            return ", ".join(str(part) for part in parts)
        if parts and all(isinstance(part, dict) for part in parts):
            rows = "; ".join(", ".join(value_text(cell) for cell in part.values()) for part in parts)
            return f"{len(parts)} {'row' if len(parts) == 1 else 'rows'}: {rows}"
    return json.dumps(value, ensure_ascii=False)


def action_words(action: str, params: Mapping[str, Any], found: TargetFound | None) -> str:
    """Return an action with its target: ``click link “Sign in”``."""
    said = [action.replace("_", " ")]
    if target := target_words(params.get("target"), found):
        said.append(target)
    if onto := target_words(params.get("onto"), None):
        said.append(f"onto {onto}")
    said += [f"{name} “{params[name]}”" if name != "url" else str(params[name]) for name in NAMED if params.get(name)]
    if action == "scroll":
        said.append(f"{params.get('direction', 'down')} {params.get('amount_px', '')} px")
    return " ".join(said)


def target_words(target: Any, found: TargetFound | None) -> str:
    """Return the element as it was found, otherwise as it was requested."""
    if found is not None and found.role:
        return f"{found.role} “{found.name}”"
    if not isinstance(target, dict):
        return ""
    asked: dict[str, Any] = target  # pyright: ignore[reportUnknownVariableType]
    return f"[{asked['ref']}]" if "ref" in asked else f"“{asked.get('text') or asked.get('css') or ''}”"


def changes_of(change: Change) -> Iterator[str]:
    """Yield a line for each change of the page."""
    if change.url_after and change.url_after != change.url_before:
        status = f" ({change.http_status})" if change.http_status else ""
        yield f"address: {change.url_after}{status}"
    if change.new_tabs:
        yield f"new tabs: {change.new_tabs}"
    for name in ("dialogs", "appeared", "dismissed", "denied"):
        for text in getattr(change, name):
            yield f"{name}: {text}"


def heal_text(heal: Heal) -> str:
    """Return what was found in another way than recorded, and by what."""
    lost = "; ".join(one.text for one in (*heal.lost, *heal.moved))
    found = "; ".join(one.text for one in heal.matched)
    told = [f"{heal.kind} {heal.subject}", f"found by {found}" if found else "", f"no longer by {lost}" if lost else ""]
    return ", ".join(part for part in told if part)

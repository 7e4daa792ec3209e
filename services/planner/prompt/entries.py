"""One step of the history as one line, in full or as a stub. All of it is data from pages, files or a model."""

from __future__ import annotations

import json

import msgspec

from services.planner.state.attempt_state import Entry
from shared.contracts.actions import AnyAction, AskPicture, ByCss, ByRef, ByText, ReportItems, SaveProgress
from shared.contracts.results import Navigated, TextRead
from shared.models.fence import clipped
from shared.text.normal import tidy

FULL_CHARS, READ_CHARS, CALL_CHARS, REASON_CHARS = 600, 1500, 300, 200
STUB_CALL_CHARS, STUB_CHARS, STUB_FILES = 100, 160, 3


def full_entry(number: int, entry: Entry, share: float = 1.0) -> str:
    """Return the numbered line of a recent step. `share`: of its usual length."""
    return f"{number}. {entry_text(entry, share)}"


def entry_text(entry: Entry, share: float = 1.0) -> str:
    """Return what was called, why, and with what outcome."""
    call = _call(entry.action, int(CALL_CHARS * share))
    parts = [f"{call}: {_outcome(entry)}{_files(entry)}", *_told(entry, share)]
    why = tidy(entry.action.reason) if entry.action is not None else ""
    return " - ".join(parts) + (f" (why: {clipped(why, int(REASON_CHARS * share))})" if why else "")


def stub_entry(number: int, entry: Entry) -> str:
    """Return the numbered line of an older step, such as `screenshot -> [01_x.png]` or `extract -> [1432
    chars saved]`."""
    return f"{number}. {_named(entry)} -> {_came_of_it(entry)}"


def _told(entry: Entry, share: float) -> list[str]:
    if entry.refused:
        return []
    effect = entry.result.effect if entry.result is not None else None
    if isinstance(effect, TextRead) and effect.text.strip():
        return [f"read: {json.dumps(clipped(tidy(effect.text), int(READ_CHARS * share)), ensure_ascii=False)}"]
    text = tidy(entry.message)
    return [clipped(text, int(FULL_CHARS * share))] if text else []


def _outcome(entry: Entry) -> str:
    if entry.refused:
        return "refused"
    if entry.result is None or entry.ok:
        return "ok"
    return f"FAILED ({entry.result.code})"


def _files(entry: Entry) -> str:
    return f" -> {', '.join(filed.filename for filed in entry.filed)}" if entry.filed else ""


def _named(entry: Entry) -> str:
    """Return the action with its element's name, because a ref of an earlier page means nothing any more."""
    found = entry.result.target if entry.result is not None else None
    if entry.action is None or found is None or entry.filed:
        return "(no valid call)" if entry.action is None else _short(entry.action, with_target=not entry.filed)
    on = f" {json.dumps(clipped(tidy(found.name), 60), ensure_ascii=False)}" if found.name else f" a {found.role}"
    return _short(entry.action, with_target=False) + on


def _short(action: AnyAction, *, with_target: bool) -> str:
    tag = action.__struct_config__.tag
    if isinstance(action, SaveProgress | ReportItems | AskPicture):
        return str(tag)
    left_out = ("reason", "label", "full_page", *(() if with_target else ("target", "onto")))
    written = {f: getattr(action, f) for f in action.__struct_fields__ if f not in left_out}
    arguments = " ".join(str(_target(value)) for value in written.values() if value not in (None, "", {}, ()))
    return f"{tag} {clipped(tidy(arguments), STUB_CALL_CHARS)}".rstrip()


def _came_of_it(entry: Entry) -> str:
    action, effect = entry.action, entry.result.effect if entry.result is not None else None
    if entry.refused or not entry.ok:
        return _outcome(entry)
    if entry.filed:
        more = f" and {len(entry.filed) - STUB_FILES} more" if len(entry.filed) > STUB_FILES else ""
        return f"[{', '.join(one.filename for one in entry.filed[:STUB_FILES])}{more}]{_said(entry)}"
    if isinstance(effect, TextRead):
        return f"[{len(effect.text)} chars saved]"
    if isinstance(action, SaveProgress):
        return f"[saved: {clipped(', '.join((*action.values, *action.not_present)), STUB_CHARS)}]"
    if isinstance(effect, Navigated):
        return f"ok (HTTP {effect.http_status})" if effect.http_status is not None else "ok"
    return f"ok ({clipped(tidy(entry.message), STUB_CHARS)})" if isinstance(action, ReportItems) else "ok"


def _said(entry: Entry) -> str:
    return (
        f" {json.dumps(clipped(tidy(entry.picture_answer), STUB_CHARS), ensure_ascii=False)}"
        if entry.picture_answer
        else ""
    )


def _call(action: AnyAction | None, most: int) -> str:
    """Return the action as the model would write it; its refs are those of the page at that time."""
    if action is None:
        return "(no valid call)"
    written = {field: getattr(action, field) for field in action.__struct_fields__ if field != "reason"}
    arguments = {key: _target(value) for key, value in written.items() if value is not None}
    shown = clipped(json.dumps(msgspec.to_builtins(arguments), ensure_ascii=False), most)
    return f"{action.__struct_config__.tag} {shown}"


def _target(value: object) -> object:
    if isinstance(value, ByRef):
        return f"ref {value.ref} of the page at that time"
    if isinstance(value, ByCss):
        return f"css={value.css}"
    return value.text if isinstance(value, ByText) else value

"""The history that a model is shown: which steps, within a token budget, and each as one line.

The last five are shown in full. Of the older ones, the most relevant for their length are shown as stubs. Messages
about refused answers do not compete with them: only those of the last three steps are shown. A line is data from pages,
files or a model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from services.planner.prompt.message_parts import answer_notice
from services.planner.prompt.tokens import Ruler
from services.planner.prompt.tools import NOT_TOLD
from services.planner.state.attempt_state import AttemptState, Entry
from shared.actions.table import facts_of_action
from shared.contracts.actions import (
    TARGET_FIELDS,
    AnyAction,
    AskPicture,
    ByCss,
    ByRef,
    ByText,
    Done,
    Fail,
    ReportItems,
    SaveProgress,
)
from shared.contracts.results import Navigated, TextRead
from shared.contracts.steps import Summary
from shared.models.sanitize import clipped, fenced
from shared.text.normal import tidy

FULL_ENTRIES, MOST_ENTRIES = 5, 25
FULL_CHARS, READ_CHARS, CALL_CHARS, REASON_CHARS = 600, 1500, 300, 200
STUB_CALL_CHARS, STUB_CHARS, STUB_FILES = 100, 160, 3
META_ENTRIES = 3
SHARES = (1.0, 0.4, 0.15)
"""Shares of the usual length of the last five steps, tried in order until they fit."""
MOST_RECENCY = 3.0
TOKENS_PER_POINT = 100.0
"""A stub that is longer by this many tokens must be more important by one point."""
SUMMARY_CHARS = 1600

_UNUSABLE_ANSWER = 1
"""The importance of an answer without a valid action."""


@dataclass(frozen=True)
class HistoryLine:
    """One step as it is shown. `words`: our message about it, outside of the fence."""

    number: int
    text: str
    words: str = ""


def actions_so_far(state: AttemptState, ruler: Ruler, tokens: float) -> str:
    """Return the history part. `tokens`: for the steps; the last five are shown in any case."""
    condensed = _condensed(state.summaries)
    if not state.history:
        return f"{condensed}ACTIONS SO FAR\nNone."
    lines = shown_lines(state, ruler, tokens)
    hidden = len(state.history) - len(lines)
    hidden_note = f"\n({hidden} earlier actions are not shown)" if hidden else ""
    return f"{condensed}ACTIONS SO FAR{hidden_note}\n{_rendered(lines)}"


def shown_lines(state: AttemptState, ruler: Ruler, tokens: float) -> list[HistoryLine]:
    """Return the steps to show, in order."""
    first_full = max(0, len(state.history) - FULL_ENTRIES)
    kept, cost = _last(state.history, first_full, ruler, tokens)
    return [*_fitted(state, first_full, ruler, tokens - cost), *kept]


def _last(history: Sequence[Entry], first: int, ruler: Ruler, tokens: float) -> tuple[list[HistoryLine], float]:
    """Return the last steps, as long as there is room for, and their tokens."""
    kept: list[HistoryLine] = []
    cost = 0.0
    for share in SHARES:
        kept = [
            HistoryLine(n + 1, full_entry(n + 1, history[n], share), _words(history, n))
            for n in range(first, len(history))
        ]
        cost = sum(ruler.tokens(line.text, "\n") for line in kept)
        if cost <= tokens:
            break
    return kept, cost


def importance(entry: Entry) -> int:
    """Return from 0 to 3 how much of a step must be known later. A failed step counts less."""
    points = facts_of_action(entry.action).importance if entry.action is not None else _UNUSABLE_ANSWER
    return points if entry.ok else min(points, 1)


def is_meta(entry: Entry) -> bool:
    """Return whether nothing was done: the answer was unusable or refused."""
    return entry.action is None or (entry.refused and not isinstance(entry.action, Done | Fail))


def _fitted(state: AttemptState, end: int, ruler: Ruler, tokens: float) -> list[HistoryLine]:
    """Return the most relevant stubs of the first `end` steps that fit."""
    candidates = [n for n in range(end) if not is_meta(state.history[n]) and not _is_condensed(state, n)]
    scored = sorted(candidates, key=lambda n: -_score(state.history[n], n, end))[: 4 * MOST_ENTRIES]
    lines = {n: HistoryLine(n + 1, stub_entry(n + 1, state.history[n])) for n in scored}
    costs = {n: ruler.tokens(line.text, "\n") for n, line in lines.items()}
    scored.sort(key=lambda n: costs[n] / TOKENS_PER_POINT - _score(state.history[n], n, end))
    taken: list[int] = []
    for n in scored:
        if len(taken) < MOST_ENTRIES - FULL_ENTRIES and costs[n] <= tokens:
            taken.append(n)
            tokens -= costs[n]
    return [lines[n] for n in sorted(taken)]


def _score(entry: Entry, number: int, end: int) -> float:
    return importance(entry) + MOST_RECENCY * (number + 1) / end


def _is_condensed(state: AttemptState, number: int) -> bool:
    """Return whether a summary covers the step and nothing of it must be known verbatim."""
    covered = state.summaries[-1].steps if state.summaries else 0
    return number < covered and importance(state.history[number]) < 2


def _words(history: Sequence[Entry], number: int) -> str:
    """Return our message about one of the last three steps. That about the last one is in the notices."""
    return answer_notice(history[number]) if len(history) - META_ENTRIES <= number < len(history) - 1 else ""


def _condensed(summaries: Sequence[Summary]) -> str:
    """Return the summaries. A model wrote them after reading pages, so they are data too."""
    if not summaries:
        return ""
    lines = [f"Steps to {summary.steps}: {tidy(summary.text)[:SUMMARY_CHARS]}" for summary in summaries]
    return f"Earlier steps (condensed)\n{fenced(chr(10).join(lines))}\n\n"


def _rendered(lines: Sequence[HistoryLine]) -> str:
    """Return the lines in fences, interrupted by our own messages."""
    out: list[str] = []
    run: list[str] = []
    for line in lines:
        run.append(line.text)
        if line.words:
            out += [fenced("\n".join(run)), f"{line.number}. {line.words}"]
            run = []
    return "\n".join([*out, fenced("\n".join(run))] if run else out)


# --- one step as one line, in full or as a stub


def full_entry(number: int, entry: Entry, share: float = 1.0) -> str:
    """Return the numbered line of a recent step. `share`: of its usual length."""
    return f"{number}. {entry_text(entry, share)}"


def entry_text(entry: Entry, share: float = 1.0) -> str:
    """Return what was called, why, and with what outcome."""
    call = _call(entry.action, int(CALL_CHARS * share))
    parts = [f"{call}: {_outcome(entry)}{_files(entry)}", *_text_of_outcome(entry, share)]
    why = tidy(entry.action.reason) if entry.action is not None else ""
    told = f" (why: {clipped(why, int(REASON_CHARS * share))})" if why else ""
    return " - ".join(parts) + told + _reflected(entry, share)


def _reflected(entry: Entry, share: float) -> str:
    """Return what the model has said beside the call: what to remember, and what was to come."""
    said = entry.reflection
    pairs = () if said is None else (("noted", said.memory_update), ("next", said.next_goal))
    return "".join(f" ({name}: {clipped(text, int(REASON_CHARS * share))})" for name, text in pairs if text)


def stub_entry(number: int, entry: Entry) -> str:
    """Return the numbered line of an older step, such as `screenshot -> [01_x.png]` or `extract -> [1432
    chars saved]`."""
    return f"{number}. {_call_with_name(entry)} -> {_stub_outcome(entry)}"


def _text_of_outcome(entry: Entry, share: float) -> list[str]:
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


def _call_with_name(entry: Entry) -> str:
    """Return the action with its element's name, because a ref of an earlier page means nothing any more."""
    found = entry.result.target if entry.result is not None else None
    if entry.action is None or found is None or entry.filed:
        return "(no valid call)" if entry.action is None else _short_call(entry.action, with_target=not entry.filed)
    on = f" {json.dumps(clipped(tidy(found.name), 60), ensure_ascii=False)}" if found.name else f" a {found.role}"
    return _short_call(entry.action, with_target=False) + on


def _short_call(action: AnyAction, *, with_target: bool) -> str:
    tag = action.__struct_config__.tag
    if isinstance(action, SaveProgress | ReportItems | AskPicture):
        return str(tag)
    left_out = (*NOT_TOLD, "label", "full_page", *(() if with_target else TARGET_FIELDS))
    written = {f: getattr(action, f) for f in action.__struct_fields__ if f not in left_out}
    arguments = " ".join(str(_target(value)) for value in written.values() if value not in (None, "", {}, ()))
    return f"{tag} {clipped(tidy(arguments), STUB_CALL_CHARS)}".rstrip()


def _stub_outcome(entry: Entry) -> str:
    action, effect = entry.action, entry.result.effect if entry.result is not None else None
    if entry.refused or not entry.ok:
        return _outcome(entry)
    if entry.filed:
        more = f" and {len(entry.filed) - STUB_FILES} more" if len(entry.filed) > STUB_FILES else ""
        return f"[{', '.join(filed.filename for filed in entry.filed[:STUB_FILES])}{more}]{_picture_answer(entry)}"
    if isinstance(effect, TextRead):
        return f"[{len(effect.text)} chars saved]"
    if isinstance(action, SaveProgress):
        return f"[saved: {clipped(', '.join((*action.values, *action.not_present)), STUB_CHARS)}]"
    if isinstance(effect, Navigated):
        return f"ok (HTTP {effect.http_status})" if effect.http_status is not None else "ok"
    return f"ok ({clipped(tidy(entry.message), STUB_CHARS)})" if isinstance(action, ReportItems) else "ok"


def _picture_answer(entry: Entry) -> str:
    return (
        f" {json.dumps(clipped(tidy(entry.picture_answer), STUB_CHARS), ensure_ascii=False)}"
        if entry.picture_answer
        else ""
    )


def _call(action: AnyAction | None, most: int) -> str:
    """Return the action as the model would write it; its refs are those of the page at that time."""
    if action is None:
        return "(no valid call)"
    written = {field: getattr(action, field) for field in action.__struct_fields__ if field not in NOT_TOLD}
    arguments = {key: _target(value) for key, value in written.items() if value is not None}
    shown = clipped(json.dumps(msgspec.to_builtins(arguments), ensure_ascii=False), most)
    return f"{action.__struct_config__.tag} {shown}"


def _target(value: object) -> object:
    if isinstance(value, ByRef):
        return f"ref {value.ref} of the page at that time"
    if isinstance(value, ByCss):
        return f"css={value.css}"
    return value.text if isinstance(value, ByText) else value

"""Pure: which steps a model is shown, fitted to a budget, and in which form.

The last five stand in full. Of the older ones, as stubs, those that matter most for what they cost. What we said of
answers is no part of that choice: it would crowd out what was done. Only what was said of the last three is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.prompt.entries import full_entry, stub_entry
from services.planner.prompt.notices import answer_notice
from services.planner.prompt.tokens import Ruler
from services.planner.state.attempt_state import AttemptState, Entry
from shared.contracts.actions import (
    AskPicture,
    Done,
    Download,
    Extract,
    Fail,
    ReportItems,
    SaveProgress,
    Screenshot,
    ScreenshotElement,
    ScreenshotViews,
    Scroll,
    Wait,
)
from shared.contracts.steps import Summary
from shared.models.fence import fenced
from shared.text.normal import tidy

FULL_ENTRIES, MOST_ENTRIES = 5, 25
META_ENTRIES = 3
SHARES = (1.0, 0.4, 0.15)
"""Of its usual length, a step of the last five, where there is no room for more."""
MOST_RECENCY = 3.0
TOKENS_PER_POINT = 100.0
"""A stub that is longer by so many tokens must matter by one point more."""
SUMMARY_CHARS = 1600

_IMPORTANCE: dict[type[object], int] = {
    SaveProgress: 3, Done: 3, Fail: 3, Extract: 2, ReportItems: 2, AskPicture: 2, Download: 2, Screenshot: 2,
    ScreenshotElement: 2, ScreenshotViews: 2, Scroll: 0, Wait: 0,
}  # fmt: skip
_OTHERS = 1


@dataclass(frozen=True)
class HistoryLine:
    """One step, as it is shown. ``words``: what we said of it, outside of the fence."""

    number: int
    text: str
    words: str = ""


def actions_so_far(state: AttemptState, ruler: Ruler, tokens: float) -> str:
    """``tokens``: for the steps; the last five are shown in any case."""
    condensed = _condensed(state.summaries)
    if not state.history:
        return f"{condensed}ACTIONS SO FAR\nNone."
    lines = shown_lines(state, ruler, tokens)
    hidden = len(state.history) - len(lines)
    hidden_note = f"\n({hidden} earlier actions are not shown)" if hidden else ""
    return f"{condensed}ACTIONS SO FAR{hidden_note}\n{_rendered(lines)}"


def shown_lines(state: AttemptState, ruler: Ruler, tokens: float) -> list[HistoryLine]:
    """The steps that are shown, in their order."""
    first_full = max(0, len(state.history) - FULL_ENTRIES)
    kept, cost = _last(state.history, first_full, ruler, tokens)
    return [*_fitted(state, first_full, ruler, tokens - cost), *kept]


def _last(history: Sequence[Entry], first: int, ruler: Ruler, tokens: float) -> tuple[list[HistoryLine], float]:
    """The last steps, as whole as there is room for, and what they cost."""
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
    """0 to 3: what of a step must be known later on. One that failed matters less."""
    points = _IMPORTANCE.get(type(entry.action), _OTHERS)
    return points if entry.ok else min(points, 1)


def is_meta(entry: Entry) -> bool:
    """Nothing was done: an answer that made no sense, or that we did not carry out."""
    return entry.action is None or (entry.refused and not isinstance(entry.action, Done | Fail))


def _fitted(state: AttemptState, end: int, ruler: Ruler, tokens: float) -> list[HistoryLine]:
    """Of the first ``end`` steps, the stubs that are worth most, as many as fit."""
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
    """It stands in a summary, and nothing of it must be known word for word."""
    covered = state.summaries[-1].steps if state.summaries else 0
    return number < covered and importance(state.history[number]) < 2


def _words(history: Sequence[Entry], number: int) -> str:
    """What we said of one of the last three; what is said of the last one stands under NOTICES."""
    return answer_notice(history[number]) if len(history) - META_ENTRIES <= number < len(history) - 1 else ""


def _condensed(summaries: Sequence[Summary]) -> str:
    """Written by a model that has read pages, so it is data as well."""
    if not summaries:
        return ""
    lines = [f"Steps to {one.steps}: {tidy(one.text)[:SUMMARY_CHARS]}" for one in summaries]
    return f"Earlier steps (condensed)\n{fenced(chr(10).join(lines))}\n\n"


def _rendered(lines: Sequence[HistoryLine]) -> str:
    """In fences, each up to the next of our own words."""
    out: list[str] = []
    run: list[str] = []
    for line in lines:
        run.append(line.text)
        if line.words:
            out += [fenced("\n".join(run)), f"{line.number}. {line.words}"]
            run = []
    return "\n".join([*out, fenced("\n".join(run))] if run else out)

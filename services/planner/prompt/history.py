"""Which steps a model is shown, within a token budget, and in which form.

The last five are shown in full. Of the older ones, the most relevant for their length are shown as stubs. Messages
about refused answers do not compete with them: only those of the last three steps are shown.
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
"""Shares of the usual length of the last five steps, tried in order until they fit."""
MOST_RECENCY = 3.0
TOKENS_PER_POINT = 100.0
"""A stub that is longer by this many tokens must be more important by one point."""
SUMMARY_CHARS = 1600

_IMPORTANCE: dict[type[object], int] = {
    SaveProgress: 3, Done: 3, Fail: 3, Extract: 2, ReportItems: 2, AskPicture: 2, Download: 2, Screenshot: 2,
    ScreenshotElement: 2, ScreenshotViews: 2, Scroll: 0, Wait: 0,
}  # fmt: skip
_OTHERS = 1


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
    points = _IMPORTANCE.get(type(entry.action), _OTHERS)
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
    lines = [f"Steps to {one.steps}: {tidy(one.text)[:SUMMARY_CHARS]}" for one in summaries]
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

"""Limits of the work on a sample: steps, time, tokens and money, failures in a row, and lack of progress.

This module alone decides how much a sample may use and when that is used up, what counts as progress, and the notices
for a driver that makes none. What calls of models have cost in a whole run is counted in
:mod:`services.planner.budget`; what a task may spend on them is said by :mod:`shared.task.usage_limit`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import dataclass, replace

from services.planner.state.attempt_state import AttemptState, Entry, Progress, SampleView
from shared.contracts.actions import Done, Fail, Goto, SaveProgress
from shared.contracts.browser_pool import PageObserved
from shared.contracts.codes import Reason
from shared.task.spec import TaskSpec
from shared.task.usage_limit import sample_budget

MAX_FAILURES = 5
MAX_BAD_REPLIES = 3
STEPS_PER_PAGE, MAX_GRANTED = 3, 200
"""Steps granted for each page of a list that had new items, and the most that are granted in all."""
NUDGE_AT, CHANGE_AT, END_AT, STOP_AT = 3, 5, 8, 10
"""Steps in a row without progress: a hint; an order to change; only an ending is accepted; the sample ends."""
REPEATS_AT = 3
FAILURES_AT = 3
WARN_AT = (75, 90)
"""Percent of the step budget."""
CHECKPOINT_CHARS = 2000

_CLOCK = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?\b|\b\d+\s*(?:s|sec|secs|second|seconds|ms)\b(?:\s+ago)?", re.I)


@dataclass(frozen=True)
class ExceededLimit:
    """The limit that ends a sample. ``message`` is for people."""

    reason: Reason
    message: str


def granted_steps(state: AttemptState, *, pages: int) -> int:
    """Return the steps granted so far, after so many more pages of a list that had something new."""
    return min(state.granted + STEPS_PER_PAGE * pages, MAX_GRANTED)


def budgeted_steps(spec: TaskSpec, state: AttemptState) -> int:
    """Return the steps of the spec together with those that were granted for the pages of a list."""
    return spec.max_steps + state.granted


def allowed_steps(view: SampleView) -> int:
    """Return how many steps the attempt may have.

    One more is allowed if the last one was refused for being the last, so that the driver can still end the sample.
    """
    most = budgeted_steps(view.spec, view.state)
    last = view.state.history[most - 1] if len(view.state.history) >= most else None
    return most + (last is not None and last.refused and not isinstance(last.action, Done | Fail | None))


def steps_left(view: SampleView) -> int:
    """Return how many steps the attempt may still have."""
    return allowed_steps(view) - view.state.steps


def is_last_step(view: SampleView) -> bool:
    """Return whether the next step is the last one, so that only `Done` and `Fail` are accepted."""
    return view.state.steps + 1 >= allowed_steps(view)


def exceeded_limit(view: SampleView, elapsed_s: float) -> ExceededLimit | None:
    """Return the first limit that the attempt has reached, or None.

    The order is: unusable answers, network failures, other failures, no progress, budget, time, steps.
    """
    state, spec = view.state, view.spec
    last = state.last.message if state.last is not None else ""
    if state.bad_replies >= MAX_BAD_REPLIES:
        return ExceededLimit("bad_replies", f"{MAX_BAD_REPLIES} answers in a row could not be used: {last}")
    if state.network_failures >= spec.max_network_failures:
        return ExceededLimit("unreachable", f"{state.network_failures} tries in a row met no answer: {last}")
    if state.failures >= MAX_FAILURES:
        return ExceededLimit("too_many_failures", f"{MAX_FAILURES} actions in a row failed: {last}")
    if state.progress.stalled >= STOP_AT:
        return ExceededLimit("stagnated", f"{state.progress.stalled} steps in a row brought nothing new")
    used = sample_budget(spec.budget).exceeded_by(state.usage)
    if used:
        return ExceededLimit("budget_exceeded", f"the budget of a sample is used up: {used}")
    if spec.max_time_s and elapsed_s >= spec.max_time_s:
        return ExceededLimit("time_exceeded", f"not finished within {spec.max_time_s:g} s")
    if state.steps >= allowed_steps(view):
        return ExceededLimit("max_steps_exceeded", f"not finished within {spec.max_steps + state.granted} steps")
    return None


# --- progress
#
# A step is progress if it leads to a page that is new in this sample, or brings a value, a file, a text or an item.
# Going back and forth between known pages is not, and neither is a page whose clock ticks.


def page_signature(page: PageObserved) -> str:
    """Return a hash that is equal for two observations of an unchanged page. Clock times do not count."""
    parts = [page.url, page.dialog or "", f"{page.scroll_y_px:.0f}", *(tab.url for tab in page.tabs)]
    parts += [f"{one.y_px:.0f}" for one in page.scrollers]
    parts += [
        f"{e.frame}|{e.role}|{_CLOCK.sub('', e.name)}|{_CLOCK.sub('', e.value or '')}|{','.join(e.states)}"
        for e in page.elements
    ]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def updated_progress(progress: Progress, steps: int, last: Entry | None, signature: str) -> Progress:
    """Return the progress with the steps since the last update counted, now that the page they led to is known."""
    if steps == progress.counted_steps:
        return replace(progress, signatures=progress.signatures | {signature})
    moved = progress.gained or signature not in progress.signatures
    repeats = dict(progress.repeats)
    if not moved and last is not None:
        key = repeat_key(last)
        repeats[key] = repeats.get(key, 0) + 1
    return replace(
        progress,
        counted_steps=steps,
        stalled=0 if moved else progress.stalled + steps - progress.counted_steps,
        gained=False,
        repeats=repeats,
        signatures=progress.signatures | {signature},
        levels=frozenset() if moved else progress.levels,
    )


def repeat_key(entry: Entry) -> str:
    """Return a key that is equal for the same action on the same target of the same page."""
    if entry.action is None:
        return "|no call"
    found = entry.result.target if entry.result is not None else None
    written = getattr(entry.action, "target", None)
    target = f"{found.fingerprint}:{found.name}" if found is not None else str(written)
    to = entry.action.url if isinstance(entry.action, Goto) else ""
    return f"{entry.url}|{entry.action.__struct_config__.tag}|{target}|{to}"


# --- what the driver is told


Due = tuple[frozenset[int], frozenset[int]]


def progress_notices(state: AttemptState, progress: Progress, max_steps: int) -> tuple[tuple[str, ...], Due]:
    """Return the notices to show now, and the warnings and levels that they tell. Each is told once; telling resets
    nothing."""
    budget, warned = _budget(state.steps, max_steps, progress.warned)
    stall, levels = _stall(progress)
    notices = (*stall, *_repeat(state, progress), *_failures(state), *_saved_nothing(state), *budget)
    return notices, (warned, levels)


def with_notices_shown(progress: Progress) -> Progress:
    """Return the progress after a driver has decided and so has seen the pending notices."""
    warned, levels = progress.pending
    return replace(progress, warned=progress.warned | warned, levels=progress.levels | levels)


def must_end(progress: Progress) -> bool:
    """Return whether only `Done` and `Fail` are accepted from now on."""
    return progress.stalled >= END_AT


def _stall(progress: Progress) -> tuple[tuple[str, ...], frozenset[int]]:
    reached = frozenset(level for level in (NUDGE_AT, CHANGE_AT, END_AT) if progress.stalled >= level)
    nothing = f"the last {progress.stalled} steps brought nothing new"
    if END_AT in reached:
        return (f"You MUST call done or fail now: {nothing}. Any other call is refused.",), reached
    fresh = max(reached - progress.levels, default=0)
    if fresh == CHANGE_AT:
        return (f"CHANGE YOUR STRATEGY NOW: {nothing}. What is kept so far stands under KEPT SO FAR.",), reached
    if fresh == NUDGE_AT and CHANGE_AT not in reached:
        return (f"Notice that {nothing}. Look at what the page shows now, and try something else.",), reached
    return (), reached


def _saved_nothing(state: AttemptState) -> tuple[str, ...]:
    last = state.last
    if last is None or last.refused or not isinstance(last.action, SaveProgress) or state.settled_progress.gained:
        return ()
    return ("save_progress kept nothing that was not known already. Go on to what is still missing.",)


def _repeat(state: AttemptState, progress: Progress) -> tuple[str, ...]:
    last = state.last
    if last is None or last.action is None or progress.repeats.get(repeat_key(last), 0) < REPEATS_AT:
        return ()
    times = progress.repeats[repeat_key(last)]
    return (
        f"[NOTICE] You have taken the same action ({last.action.__struct_config__.tag}) on this page {times} times "
        "without progress. Try a different approach or call fail.",
    )


def _failures(state: AttemptState) -> tuple[str, ...]:
    if state.failures < FAILURES_AT or state.last is None or state.last.ok:
        return ()
    # Text of a page may be shown inside of the fence only, so the notice does not quote the list.
    return (
        f"The last {state.failures} actions failed. Choose from what can be acted on now, listed under "
        "WHAT CAN BE ACTED ON.",
    )


def _budget(steps: int, max_steps: int, warned: frozenset[int]) -> tuple[tuple[str, ...], frozenset[int]]:
    """Each warning comes once; if both come at the same time, only the later."""
    reached = frozenset(percent for percent in WARN_AT if steps >= math.ceil(max_steps * percent / 100))
    fresh = reached - warned
    if not fresh or steps >= max_steps:
        return (), reached
    advice = "Finish with what is still missing." if max(fresh) < WARN_AT[-1] else "Finish now."
    message = f"{max(fresh)} % of the steps are used: {max_steps - steps} of {max_steps} are left. {advice}"
    return (message,), reached


def known_values_json(state: AttemptState) -> str:
    """Return the known fields as JSON of bounded length."""
    known = {name: value.shown if value.value is None else value.value for name, value in state.seen.items()}
    text = json.dumps(known, ensure_ascii=False, default=str)
    return text if len(text) <= CHECKPOINT_CHARS else f"{text[:CHECKPOINT_CHARS]} ..."

"""Decisions of an earlier attempt, taken again where its step log has them: nobody is asked for them a second time.

Each is carried out anew in the new session, so that values, pictures and the proof of the record are those of the pages
as they are now. The page has to be at the same address, and what a decision refers to has to be found on it; from the
first step on that does not fit, decisions are made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any

import msgspec

from services.planner.state.attempt_state import Act, Decision, SampleView, UnusableAnswer
from services.planner.state.common_decisions import observe_later, observe_more
from services.planner.state.limits import page_signature
from shared.contracts.actions import AnyAction, AskPicture, ByRef, Done, Fail, SaveProgress
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.planner import BY_RULE
from shared.contracts.steps import StepTaken
from shared.pages.locate.by_recording import find_target

LOOKS = 2
"""Extra observations of a page that lacks what a decision refers to, because it may still be loading."""
CUT_OFF = frozenset(
    {
        "",
        "interrupted",
        "unreachable",
        "http_error",
        "blocked",
        "login_required",
        "still_loading",
        "time_exceeded",
        "run_budget_exceeded",
        "retries_exhausted",
    }
)
"""Ends that say nothing against the decisions before them. So do the codes of errors."""


def steps_to_recall(steps: Iterable[StepTaken]) -> tuple[StepTaken, ...]:
    """Return the steps that led to the end of an attempt, without those that ended it. What a person has done who took
    the sample over is never done again for him, nor what came after it."""
    return tuple(takewhile(lambda step: not _ends(step) and not step.taken_over, steps))


def _ends(step: StepTaken) -> bool:
    """An end that was accepted, and what was kept at a limit."""
    if isinstance(step.action, Fail | Done):
        return not step.refused
    return isinstance(step.action, SaveProgress) and step.decided_by == BY_RULE


def recalled_decision(view: SampleView, steps: Sequence[StepTaken]) -> Decision | None:
    """Return the next decision of the recorded steps; None: there is none that fits."""
    at = view.state.steps
    if at >= len(steps):
        return None
    step, page = steps[at], view.page
    if step.action is None:
        return UnusableAnswer(
            step.message, step.decided_by, step.usage, step.notes, step.remark, step.summary, step.prompt_chars,
            step.prompt_weight, decided_in=decided_in(step),
        )  # fmt: skip
    action = _fitting(step, step.action, page)
    if action is None:
        return None if page is None else observe_more(view, page) or observe_later(view, looks=LOOKS)
    return Act(
        action, step.decided_by, step.usage, remark=step.remark, route=step.route, summary=step.summary,
        prompt_chars=step.prompt_chars, prompt_weight=step.prompt_weight, decided_in=decided_in(step),
        answered=step.vision, reflection=step.reflection,
    )  # fmt: skip


def decided_in(step: StepTaken) -> int:
    """Return the attempt in which the decision was made."""
    return step.decided_in or step.attempt


def _fitting(step: StepTaken, action: AnyAction, page: PageObserved | None) -> AnyAction | None:
    """Return the action with refs of the present page; None: it does not fit."""
    then = step.observation
    if then is None or page is None:
        return action if then is None and page is None else None
    if then.url != page.url:
        return None
    same = then.signature == page_signature(page)
    if isinstance(action, AskPicture):  # the answer is that of the picture of then
        return action if same else None
    changed: dict[str, Any] = {}
    if isinstance(getattr(action, "onto", None), ByRef):
        return action if same and then.sha256 == page.sha256 else None
    target = getattr(action, "target", None)
    if isinstance(target, ByRef):
        ref = _present_target(step, target.ref, page)
        if ref is None:
            return None
        changed["target"] = ByRef(ref=ref, snapshot_id=page.snapshot_id)
    if isinstance(action, Done | SaveProgress) and action.refs:
        refs = {name: _present_source(step, name, ref, page, same=same) for name, ref in action.refs.items()}
        if None in refs.values():
            return None
        changed["refs"] = refs
    return msgspec.structs.replace(action, **changed) if changed else action


def _present_target(step: StepTaken, ref: int, page: PageObserved) -> int | None:
    wanted = step.result.target if step.result is not None else None
    if wanted is None:
        return None
    there = _by_ref(ref, page)
    if there is not None and (there.fingerprint, there.role, there.name) == (
        wanted.fingerprint, wanted.role, wanted.name,
    ):  # fmt: skip
        return ref
    found = find_target(wanted, page)
    return found.ref if isinstance(found, Element) else None


def _present_source(step: StepTaken, name: str, ref: int, page: PageObserved, *, same: bool) -> int | None:
    """Return the ref of the element that a value was taken from. What it shows now is read and checked as ever, so on
    the same page its number is enough."""
    sources = [value.source for value in step.values if value.field == name and value.source is not None]
    wanted = next((source.fingerprint for source in sources if source.ref == ref), "")
    there = _by_ref(ref, page)
    if there is not None and (there.fingerprint == wanted if wanted else same):
        return ref
    alike = [element.ref for element in page.elements if wanted and element.fingerprint == wanted]
    return alike[0] if len(alike) == 1 else None


def _by_ref(ref: int, page: PageObserved) -> Element | None:
    return next((element for element in page.elements if element.ref == ref), None)

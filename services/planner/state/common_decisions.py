"""Decisions that all drivers share: open the start page, read its status, wait, scroll, close dialogs, take evidence.

A start page that answers with an error, or not at all, ends the sample before any model is asked.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from services.planner.state.attempt_state import MAX_OBSERVE_TOKENS, Act, Entry, ObserveAgain, SampleView
from services.planner.state.limits import is_last_step
from shared.contracts.actions import AnyAction, ByRef, Click, Fail, Goto, Screenshot, Scroll
from shared.contracts.browser_pool import PageObserved
from shared.contracts.codes import facts_of, reason_of_fail
from shared.contracts.planner import BY_RULE
from shared.contracts.steps import RouteMark, plain_note
from shared.flows.waiting import ALL_LOOKS, next_pause_s, pause_while_changing_s
from shared.pages.effects.closing import find_dismissal
from shared.pages.identity.identity import identity_proof
from shared.task.row_values import missing_columns, start_url
from shared.text.normal import quoted

GONE = (404, 410)
LOGIN = (401, 403)


def start_page_decision(view: SampleView) -> Act | None:
    """Return the next action until the start page is open without an error; then None."""
    missing = missing_columns(view.spec, view.sample)
    if missing:
        return by_rule(Fail(code="missing_column", note=f"the row has no value for: {', '.join(missing)}"))
    visits = [entry for entry in view.state.history if isinstance(entry.action, Goto)]
    if not visits:
        return by_rule(Goto(url=start_url(view.spec, view.sample), reason="The task starts here."))
    if any(_is_past_start(entry.action, visits[0]) for entry in view.state.history):
        return _after_withheld_press(view)
    return _after_visit(view, visits)


def _after_withheld_press(view: SampleView) -> Act | None:
    """Rules know no other way than the one that was withheld; a model is told, and may find one."""
    last = next((one for one in reversed(view.state.history) if not isinstance(one.action, Screenshot)), None)
    if last is None or last.decided_by != BY_RULE or last.result is None or last.result.code != "press_withheld":
        return None
    return fail_with_screenshot(view, Fail(code="unnamed_press", note=last.message))


def _after_visit(view: SampleView, visits: list[Entry]) -> Act | None:
    visit = visits[-1]
    status = _status(view, visit)
    if status in GONE:
        return fail_with_screenshot(view, _gone(view, f"{_url(visit)} answers with HTTP {status}"))
    if status in LOGIN:
        return fail_with_screenshot(view, Fail(code="auth_required", note=f"{_url(visit)} answers with HTTP {status}"))
    if status is not None and status >= 500 and len(visits) == 1:
        again = Goto(url=start_url(view.spec, view.sample), reason=f"The site answered with HTTP {status}; once more.")
        return by_rule(again)
    if status is not None and status >= 400:
        return fail_with_screenshot(view, Fail(code="http_error", note=f"{_url(visit)} answers with HTTP {status}"))
    if not visit.ok and view.state.last is visit:
        code = "policy_denied" if visit.result is not None and visit.result.code == "policy_denied" else "unreachable"
        return by_rule(Fail(code=code, note=f"{_url(visit)}: {visit.message}"))
    return None


def _gone(view: SampleView, message: str) -> Fail:
    """Return the failure of an address that has nothing. An address of another record says nothing about this one."""
    proof = identity_proof(view.spec, view.sample, view.page) if view.page is not None else None
    if proof is not None and proof.state == "mismatch":
        return Fail(code="identity_mismatch", note=f"{message}, and {proof.wrong}")
    return Fail(code="not_found", note=message)


def fail_with_screenshot(view: SampleView, fail: Fail) -> Act:
    """Return a screenshot of the page as evidence of the failure, then the failure. The screenshot is tried once."""
    label = reason_of_fail(fail.code)
    tried = any(isinstance(e.action, Screenshot) and e.action.label == label for e in view.state.history)
    if tried or view.page is None or is_last_step(view):
        return by_rule(fail)
    return by_rule(Screenshot(label=label, reason="Evidence of why this sample cannot be done."))


def ends_by_page(act: Act) -> bool:
    """Return whether the sample ends because of what the page shows, or its picture is taken for that."""
    if isinstance(act.action, Fail):
        reason = reason_of_fail(act.action.code)
    else:
        reason = act.action.label if isinstance(act.action, Screenshot) else ""
    facts = facts_of(reason)
    return facts is not None and facts.by_page


def _status(view: SampleView, visit: Entry) -> int | None:
    """Return the HTTP status of the observed page, else that of the navigation."""
    if view.page is not None and view.page.http_status is not None:
        return view.page.http_status
    return visit.result.change.http_status if visit.result is not None else None


def _is_past_start(action: AnyAction | None, first: Entry) -> bool:
    """Return whether the action leads on from the start page, so that its status no longer counts."""
    if isinstance(action, Goto):
        return action.url != _url(first)
    return not isinstance(action, Screenshot | Fail)


def _url(visit: Entry) -> str:
    return visit.action.url if isinstance(visit.action, Goto) else ""


def by_rule(action: AnyAction, route: RouteMark | None = None) -> Act:
    """Return an action decided by a rule. The reason of a failure is its note."""
    if isinstance(action, Fail) and not action.reason:
        action = msgspec.structs.replace(action, reason=action.note)
    return Act(action, BY_RULE, route=route)


MAX_SCROLLS = 3
MAX_DISMISSALS = 3
MAX_TRIES = 2
SCROLL_PX = 4000


def observe_later(view: SampleView, *, looks: int = ALL_LOOKS) -> ObserveAgain | None:
    """Return another observation after a pause, or None after this many, or once nothing more can come."""
    pause_s = next_pause_s(view.page, view.state.looks, looks)
    return None if pause_s is None else ObserveAgain(pause_s, view.state.max_tokens)


def observe_while_changing(view: SampleView, page: PageObserved) -> ObserveAgain | None:
    """Return another observation of a page that shows all that is looked for, if it may change by itself."""
    pause_s = pause_while_changing_s(page, view.state.looks)
    return None if pause_s is None else ObserveAgain(pause_s, view.state.max_tokens)


def observe_more(view: SampleView, page: PageObserved) -> ObserveAgain | None:
    """Return an observation with a larger budget, if something was left out of the last one."""
    if page.left_out and view.state.max_tokens < MAX_OBSERVE_TOKENS:
        return ObserveAgain(0.0, view.state.max_tokens * 4)
    return None


def dismiss_dialog(view: SampleView, page: PageObserved, tried: int) -> Act | None:
    """Return a click that closes a dialog or banner over the page. `tried`: how often that was done already.

    What agrees to something is pressed only where the task names it."""
    button = find_dismissal(page, view.spec.may_press)
    if button is None or tried >= MAX_DISMISSALS:
        return None
    target = ByRef(ref=button.ref, snapshot_id=page.snapshot_id)
    act = by_rule(Click(target=target, reason=f"{button.name!r} sends away what lies over the page."))
    return replace(act, notes=(plain_note(f"{quoted(button.name)} was pressed to send away what lay over the page"),))


def scroll_down(view: SampleView, page: PageObserved) -> Act | None:
    """Return a scroll down, or None at the end of the page or after the last allowed scroll."""
    scrolls = sum(isinstance(entry.action, Scroll) for entry in view.state.history)
    if page.scroll_y_px >= page.scroll_max_y_px or scrolls >= MAX_SCROLLS:
        return None
    return by_rule(
        Scroll(direction="down", amount_px=SCROLL_PX, reason="Fields are missing and the page goes on below.")
    )

"""Pure: what every decider does first, and what needs no brain: go to the start page, and read its status.

A page that answers with an error, or not at all, ends the sample before any model is asked.
"""

from __future__ import annotations

import msgspec

from services.planner.page.identity import missing_columns, start_url
from services.planner.state.sample_state import Act, Entry, View
from shared.contracts.actions import AnyAction, Fail, Goto, Screenshot
from shared.contracts.codes import reason_of_fail
from shared.contracts.planner import BY_RULE
from shared.contracts.steps import RouteMark

GONE = (404, 410)
LOGIN = (401, 403)


def opening(view: View) -> Act | None:
    """The next action while the start page is not yet open and well; None once it is."""
    missing = missing_columns(view.spec, view.sample)
    if missing:
        return by_rule(Fail(code="missing_column", note=f"the row has no value for: {', '.join(missing)}"))
    visits = [entry for entry in view.state.history if isinstance(entry.action, Goto)]
    if not visits:
        return by_rule(Goto(url=start_url(view.spec, view.sample), reason="The task starts here."))
    if any(_goes_on(entry.action, visits[0]) for entry in view.state.history):
        return None
    return _after_visit(view, visits)


def _after_visit(view: View, visits: list[Entry]) -> Act | None:
    visit = visits[-1]
    status = _status(view, visit)
    if status in GONE:
        return after_evidence(view, Fail(code="not_found", note=f"{_url(visit)} answers with HTTP {status}"))
    if status in LOGIN:
        return after_evidence(view, Fail(code="auth_required", note=f"{_url(visit)} answers with HTTP {status}"))
    if status is not None and status >= 500 and len(visits) == 1:
        again = Goto(url=start_url(view.spec, view.sample), reason=f"The site answered with HTTP {status}; once more.")
        return by_rule(again)
    if status is not None and status >= 400:
        return after_evidence(view, Fail(code="http_error", note=f"{_url(visit)} answers with HTTP {status}"))
    if not visit.ok and view.state.last is visit:
        code = "policy_denied" if visit.result is not None and visit.result.code == "policy_denied" else "unreachable"
        return by_rule(Fail(code=code, note=f"{_url(visit)}: {visit.message}"))
    return None


def after_evidence(view: View, fail: Fail) -> Act:
    """A picture of the page first, so that a person can see why; it is tried once."""
    label = reason_of_fail(fail.code)
    tried = any(isinstance(e.action, Screenshot) and e.action.label == label for e in view.state.history)
    if tried or view.page is None or view.last_step:
        return by_rule(fail)
    return by_rule(Screenshot(label=label, reason="Evidence of why this sample cannot be done."))


def _status(view: View, visit: Entry) -> int | None:
    """Of the page as it is; where it was not looked at, of the navigation."""
    if view.page is not None and view.page.http_status is not None:
        return view.page.http_status
    return visit.result.change.http_status if visit.result is not None else None


def _goes_on(action: AnyAction | None, first: Entry) -> bool:
    """Once a decider has gone on from the start page, its status is no longer what counts."""
    if isinstance(action, Goto):
        return action.url != _url(first)
    return not isinstance(action, Screenshot | Fail)


def _url(visit: Entry) -> str:
    return visit.action.url if isinstance(visit.action, Goto) else ""


def by_rule(action: AnyAction, route: RouteMark | None = None) -> Act:
    """A step of ours; where it ends the sample, its note is its reason. ``route``: the step that it is taken for."""
    if isinstance(action, Fail) and not action.reason:
        action = msgspec.structs.replace(action, reason=action.note)
    return Act(action, BY_RULE, route=route)

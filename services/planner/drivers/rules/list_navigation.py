"""The way of a discovery task to its list, along its route: a login form, a filter, a search. The route ends where the
list is first read."""

from __future__ import annotations

from dataclasses import replace

from services.planner.drivers.rules import route
from services.planner.drivers.rules.collecting import UNPROVEN
from services.planner.state.attempt_state import Act, Decision, SampleView
from services.planner.state.common_decisions import dismiss_dialog, start_page_decision
from shared.contracts.actions import Click, ReportItems
from shared.pages.identity.identity import PageRead


def list_navigation(view: SampleView) -> Decision | None:
    """Return the next action on the way to the list; None once the list is to be read."""
    if not view.spec.route or any(isinstance(entry.action, ReportItems) for entry in view.state.history):
        return None
    first = start_page_decision(view) or route.missing_columns_decision(view)
    if first is not None or view.page is None:
        return first
    nothing_read = PageRead({}, UNPROVEN)
    if view.page.dialog is None and not route.needs_dialog(view, view.page, nothing_read):
        tried = sum(isinstance(entry.action, Click) and entry.route is None for entry in view.state.history)
        cleared = dismiss_dialog(view, view.page, tried)
        if cleared is not None:
            return cleared
    walked = route.route_decision(view, view.page, nothing_read)
    if isinstance(walked.decision, Act):
        return replace(walked.decision, notes=(*walked.decision.notes, *walked.notes))
    return walked.decision

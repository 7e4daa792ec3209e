"""The rules in the place of a flow that has stopped: they report what they read with certainty, or hand over. Pure but
for the driver's class.

They press nothing that may change the site, and do nothing at all where the task has a step that cannot be undone: what
the flow has done of it is not known to them.
"""

from __future__ import annotations

from dataclasses import replace

from services.planner.drivers.handing_over import Carried, HandedOver
from services.planner.drivers.rules.decide_rules import decide as decide_by_rules
from services.planner.judge.gates import judge_done
from services.planner.state.attempt_state import Act, Decision, Ending, ObserveAgain, SampleView
from services.planner.state.common_decisions import ends_by_page
from services.planner.state.irreversible_steps import flow_presses
from services.planner.state.transitions import with_readings
from shared.actions.table import facts_of_action
from shared.contracts.actions import AnyAction, ByRef, Click, Done, Fail, Screenshot
from shared.contracts.codes import facts_of
from shared.contracts.planner import BY_RULE
from shared.contracts.steps import FieldValue, plain_note
from shared.pages.effects.site_changes import belongs_to_search, click_only_looks
from shared.task.spec import has_irreversible_step


class StandInRules:
    """The rules, where the planner of the run is another one, or none goes on."""

    name = BY_RULE
    asks_model = False

    def check(self) -> None: ...

    async def decide(self, view: SampleView) -> Decision | HandedOver:
        return decide_in_place_of_flow(view)


def decide_in_place_of_flow(view: SampleView) -> Decision | HandedOver:
    """Return what the rules do next, or that the next driver is to decide."""
    if flow_presses(view) or has_irreversible_step(view.spec):
        return _handed_over("the task has a step that cannot be undone, so they do not go on after a flow")
    decided = decide_by_rules(view)
    if not isinstance(decided, Act):
        return decided if isinstance(decided, ObserveAgain) else _handed_over("they have nothing to do")
    action = decided.action
    if isinstance(action, Done):
        return decided if (doubt := _doubt_of(view, action, decided.seen)) == "" else _handed_over(doubt, decided.seen)
    if isinstance(action, Fail) or _is_evidence(action):
        why = action.note if isinstance(action, Fail) else _words_of(action)
        return decided if ends_by_page(decided) else _handed_over(why, decided.seen)
    if not _only_looks(view, action):
        return _handed_over("the route has a press that may change the site", decided.seen)
    return decided


def _doubt_of(view: SampleView, done: Done, seen: tuple[FieldValue, ...]) -> str:
    """Return why a person would have to look at what they have read; empty: it is certain."""
    told = replace(view, state=with_readings(view.state, seen))
    ruling, _ = judge_done(told, done, by_model=False, decided_by=BY_RULE)
    return "" if isinstance(ruling, Ending) and ruling.status == "done" else ruling.message


def _is_evidence(action: AnyAction) -> bool:
    """Return whether it is the picture that is taken before the sample fails."""
    return isinstance(action, Screenshot) and facts_of(action.label) is not None


def _words_of(action: AnyAction) -> str:
    facts = facts_of(action.label) if isinstance(action, Screenshot) else None
    return "" if facts is None else facts.words


def _only_looks(view: SampleView, action: AnyAction) -> bool:
    """Return whether the action leaves the site as it is."""
    if not facts_of_action(action).presses:
        return True
    target, page = getattr(action, "target", None), view.page
    if page is None or not isinstance(action, Click) or not isinstance(target, ByRef):
        return False
    element = next((one for one in page.elements if one.ref == target.ref), None)
    return element is not None and (click_only_looks(element, page.elements) or belongs_to_search(element))


def _handed_over(why: str, seen: tuple[FieldValue, ...] = ()) -> HandedOver:
    return HandedOver(plain_note(f"the rules do not finish it: {why}"), Carried(seen=seen))

"""A list of texts over several pages: nothing that was saved is lost, and only what a page shows has to stand there."""

from __future__ import annotations

from typing import Any

from services.planner.judge.field_values import values_to_save
from services.planner.judge.gates import Ending, Rejection, judge_done
from services.planner.state.attempt_state import AttemptState
from services.planner.state.transitions import with_readings
from shared.contracts.actions import Done, SaveProgress
from shared.contracts.browser_pool import PageObserved
from tests.cases import cases
from tests.unit.planner.planner_pages import heading, page, row, spec, text, view

FIELDS = {"ticket_number": "string", "approvers": "array"}
TASK = spec(output_schema=FIELDS, required_fields=["approvers"], required_artifacts=[])


def shows(*names: str) -> PageObserved:
    return page(heading("TCK-1001"), text("Approved by"), *map(text, names))


def after_saving(*names: str, seen: PageObserved, state: AttemptState | None = None) -> AttemptState:
    state = state or AttemptState(proven=True)
    values, _, unconfirmed = values_to_save(
        view(seen, state, spec=TASK), SaveProgress(values={"approvers": list(names)})
    )
    assert unconfirmed == frozenset()
    return with_readings(state, values)


def ended(names: list[str] | None, seen: PageObserved, state: AttemptState) -> Any:
    values = {"ticket_number": "TCK-1001", **({} if names is None else {"approvers": names})}
    return judge_done(view(seen, state, spec=TASK), Done(values=values, refs={"ticket_number": 1}))[0]


def approvers(ending: Any) -> Any:
    assert isinstance(ending, Ending), ending
    return next(one.value for one in ending.values if one.field == "approvers")


@cases("names", [None, ["cid"], ["ann", "bob", "cid"], ["cid", "bob"], ["ann", "cid"]])
def test_what_other_pages_gave_stays_whatever_is_reported_of_the_last_one(names: list[str] | None):
    state = after_saving("ann", "bob", seen=shows("ann", "bob"))
    last = shows("cid")
    state = after_saving("cid", seen=last, state=state)
    assert approvers(ended(names, last, state)) == ["ann", "bob", "cid"]


def test_an_item_of_this_page_that_is_not_reported_again_is_taken_back():
    seen = shows("ann", "bob", "the deputy of carl")
    state = after_saving("ann", "bob", "carl", seen=seen)
    assert approvers(ended(["ann", "bob"], seen, state)) == ["ann", "bob"]


def test_an_item_that_no_page_has_shown_is_refused():
    state = after_saving("ann", seen=shows("ann"))
    assert isinstance(ended(["ann", "cid", "dora"], shows("cid"), state), Rejection)


def test_a_label_speaks_only_of_the_items_of_its_own_page():
    first = page(heading("TCK-1001"), *row("Approvers", "ann, bob"))
    second = page(heading("TCK-1001"), *row("Approvers", "cid, dan"))
    state = after_saving("ann", "bob", seen=first)
    assert approvers(ended(["ann", "bob", "cid", "dan"], second, state)) == ["ann", "bob", "cid", "dan"]
    assert isinstance(ended(["ann", "bob", "cid"], second, state), Rejection)

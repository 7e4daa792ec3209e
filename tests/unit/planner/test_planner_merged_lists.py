"""A list of texts over several pages: nothing that was saved is lost, and only what a page shows has to stand there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.planner.judge.field_values import values_to_save
from services.planner.judge.gates import Ending, Rejection, judge_done
from services.planner.judge.merged_lists import lists_here
from services.planner.model_tasks.summaries import StepsToCondense, summary_request
from services.planner.state.attempt_state import AttemptState
from services.planner.state.transitions import after_step, with_readings
from shared.contracts.actions import Done, SaveProgress
from shared.contracts.browser_pool import PageObserved
from shared.contracts.steps import ObservationRef
from tests.cases import cases
from tests.unit.planner.planner_pages import URL, bounced, el, heading, page, row, spec, step, text, view

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


def ended(names: Sequence[str] | None, seen: PageObserved, state: AttemptState) -> Any:
    values = {"ticket_number": "TCK-1001", **({} if names is None else {"approvers": list(names)})}
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


# --- a page that is left out

ALL = ("ann", "bob", "cid", "dan", "eve", "fay")


def turned(
    number: int, *, pages: int = 3, linked: bool = True, counted: bool = False, apart: bool = False
) -> PageObserved:
    """Return a page of two approvers with its pager; ``apart``: the pager is that of another list below."""
    names = map(text, ALL[2 * number - 2 : 2 * number])
    other = (heading("Comments"), *map(text, ("yes", "no", "done"))) if apart else ()
    count = (text(f"{2 * number - 1} to {2 * number} of 6 approvers"),) if counted else ()
    address = {"url": f"?page={number + 1}"} if linked else {}
    on = (el("link" if linked else "button", "Next", **address),) if number < 3 and not counted else ()
    url = f"{URL}?page={number}" if linked else URL
    return page(heading("TCK-1001"), text("Approved by"), *names, *other, *count, *on, url=url)


def saved(state: AttemptState, seen: PageObserved, names: Sequence[str]) -> AttemptState:
    action, here = SaveProgress(values={"approvers": list(names)}), view(seen, state, spec=TASK)
    values, _, _ = values_to_save(here, action)
    ref, pages = ObservationRef.of(seen), lists_here(here, values)
    return after_step(state, step(state, action, values=values, observation=ref, list_pages=pages))


def all_saved(pages: Sequence[PageObserved], *, without: int = 0) -> AttemptState:
    state = AttemptState(proven=True)
    for number, seen in enumerate(pages, 1):
        if number != without:
            state = saved(state, seen, ALL[2 * number - 2 : 2 * number])
    return state


LINKED, PRESSED, COUNTED = {}, {"linked": False}, {"counted": True}


@cases("kind", [LINKED, PRESSED, COUNTED])
def test_a_list_of_which_every_page_was_saved_is_done(kind: dict[str, bool]):
    pages = [turned(number, **kind) for number in (1, 2, 3)]
    assert approvers(ended(None, pages[2], all_saved(pages))) == list(ALL)
    assert approvers(ended(None, shows("somebody"), all_saved(pages))) == list(ALL)
    assert approvers(ended(list(ALL), pages[2], all_saved(pages[:2]))) == list(ALL)


@cases("kind", [LINKED, PRESSED, COUNTED])
def test_a_list_that_goes_on_is_not_done(kind: dict[str, bool]):
    pages = [turned(number, **kind) for number in (1, 2, 3)]
    for state, seen, names in (
        (all_saved(pages[:2]), pages[1], None),
        (all_saved(pages[:1]), pages[1], list(ALL[:4])),
        (all_saved(pages[:2]), shows("somebody"), None),
        (AttemptState(proven=True), pages[0], list(ALL[:2])),
    ):
        assert isinstance(ended(names, seen, state), Rejection)
        again = ended(names, seen, bounced(state, Done(values={}), "no"))
        assert (again.status, again.reason) == ("needs_review", "incomplete_list")


def test_a_page_in_the_middle_that_was_not_saved_is_missed():
    pages = [turned(number) for number in (1, 2, 3)]
    refused = ended(None, pages[2], all_saved(pages, without=2))
    assert isinstance(refused, Rejection)
    assert "?page=2" in refused.message


def test_the_pager_of_another_list_of_the_record_is_none_of_this_one():
    seen = turned(1, apart=True)
    assert approvers(ended(None, seen, all_saved([seen]))) == ["ann", "bob"]


def test_whoever_condenses_the_log_is_told_that_the_list_goes_on():
    """A list is read, so that no field is missing: the next step would be called done."""
    pages = [turned(number) for number in (1, 2, 3)]
    for count, said in ((1, "approvers (the list goes on)"), (3, "none")):
        known = view(pages[count - 1], all_saved(pages[:count]), spec=TASK)
        assert summary_request(known, StepsToCondense(1, 1, ())).endswith(f"FIELDS STILL MISSING: {said}")

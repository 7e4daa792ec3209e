"""Several calls in one answer: which are still executed, and on which page."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.state.batching import changed_elements, next_batched_call, stop_reason
from shared.contracts.actions import ByRef, ByText, Click, Done, Drag, Goto, SaveProgress, TypeText
from shared.contracts.results import ActionResult, Change
from tests.cases import cases
from tests.unit.planner.planner_pages import URL, done_result, el, page, text

NAME, TOWN, SAVE = el("textbox", "Name"), el("textbox", "Town"), el("button", "Save")


@dataclass
class Came:
    result: ActionResult | None = None
    refused: bool = False


def stayed(**changes):
    return done_result(**{"change": Change(url_before=URL, url_after=URL), **changes})


def on(ref: int, snapshot: str = "s1"):
    return ByRef(ref=ref, snapshot_id=snapshot)


def test_a_field_that_was_filled_is_the_same_field_and_the_next_ref_is_looked_up_again():
    before = page(NAME, TOWN, SAVE)
    now = page(text("Saved as draft"), el("textbox", "Name", value="Ann"), TOWN, SAVE, snapshot_id="s2")
    action, why = next_batched_call(TypeText(target=on(2), text="Bern", reason="r"), before, now)
    assert (action, why) == (TypeText(target=on(3, "s2"), text="Bern", reason="r"), "")


def test_both_ends_of_a_drag_are_looked_up():
    before, now = page(NAME, TOWN), page(text("x"), NAME, TOWN, snapshot_id="s2")
    action, _ = next_batched_call(Drag(target=on(1), onto=on(2)), before, now)
    assert action == Drag(target=on(2, "s2"), onto=on(3, "s2"))


def test_of_twins_the_same_one_is_meant_and_where_their_number_changed_none():
    twins = page(el("button", "Delete"), el("button", "Delete"))
    same = page(text("hello"), el("button", "Delete"), el("button", "Delete"), snapshot_id="s2")
    assert next_batched_call(Click(target=on(2)), twins, same)[0] == Click(target=on(3, "s2"))
    fewer = page(el("button", "Delete"), snapshot_id="s2")
    action, why = next_batched_call(Click(target=on(2)), twins, fewer)
    assert action is None
    assert "[2] is not the same any more" in why


def test_a_target_that_is_gone_or_was_renamed_stops_it():
    action, why = next_batched_call(Click(target=on(3)), page(NAME, TOWN, SAVE), page(NAME, TOWN, el("button", "Send")))
    assert action is None
    assert "not carried out" in why


def test_a_page_of_which_a_fifth_came_or_went_is_another_page():
    rows = [text(f"row {at}") for at in range(20)]
    action, why = next_batched_call(Click(target=ByText(text="row 1")), page(*rows), page(*rows[:16]))
    assert (action is not None, why) == (True, "")
    action, why = next_batched_call(Click(target=ByText(text="row 1")), page(*rows), page(*rows[:15]))
    assert action is None
    assert "5 elements of the page came or went" in why
    small = page(NAME, TOWN)
    assert (
        next_batched_call(Click(target=ByText(text="Name")), small, page(NAME, TOWN, text("a"), text("b")))[0]
        is not None
    )
    assert next_batched_call(Click(target=ByText(text="Name")), small, page(NAME, TOWN, *rows[:3]))[0] is None
    assert changed_elements(page(*rows), page(*rows[1:], text("new"))) == 2


def test_a_dialog_that_was_closed_is_no_other_page_and_one_that_opened_is():
    rows = [text(f"row {at}") for at in range(6)]
    banner = [el("button", f"choice {at}", in_dialog=True) for at in range(6)]
    closed, opened = (page(*rows, *banner), page(*rows)), (page(*rows), page(*rows, *banner))
    assert next_batched_call(Click(target=ByText(text="row 1")), *closed)[0] is not None
    assert next_batched_call(Click(target=ByText(text="row 1")), *opened)[0] is None


def test_what_reports_of_a_page_needs_the_page_it_was_chosen_on():
    for action in (Done(values={}), SaveProgress(values={})):
        assert next_batched_call(action, page(NAME), page(NAME, text("new"), snapshot_id="s2"))[0] is None
        assert next_batched_call(action, page(NAME), page(NAME, snapshot_id="s2"))[0] == action


def test_where_only_a_dialog_went_what_is_reported_names_the_same_elements():
    banner = [el("button", "Reject", in_dialog=True)]
    done = Done(values={"name": "Ann"}, refs={"name": 2})
    action, _ = next_batched_call(done, page(*banner, NAME), page(NAME, snapshot_id="s2"))
    assert action == Done(values={"name": "Ann"}, refs={"name": 1})


def test_another_address_is_another_page():
    assert next_batched_call(Click(target=on(1)), page(NAME), page(NAME, url=URL + "#x"))[0] is None
    assert next_batched_call(Click(target=on(1)), None, page(NAME))[0] is None


@cases(
    ("came", "why"),
    [
        (Came(refused=True), "was refused"),
        (Came(stayed(ok=False, code="not_found")), "failed"),
        (Came(stayed(change=Change(url_before=URL, url_after=URL + "/2"))), "address changed"),
        (Came(stayed(change=Change(url_before=URL, url_after=URL, new_tabs=1))), "a tab or a dialog"),
        (Came(stayed(change=Change(url_before=URL, url_after=URL, dialogs=("Sure?",)))), "a tab or a dialog"),
    ],
)
def test_what_stops_the_calls_behind_it(came, why):
    assert why in stop_reason(Click(target=ByText(text="x")), came)


def test_nothing_follows_a_goto_or_what_was_saved():
    assert "goto ends" in stop_reason(Goto(url=URL), Came(stayed()))
    assert "save_progress ends" in stop_reason(SaveProgress(values={}), Came())
    assert stop_reason(Click(target=ByText(text="x")), Came(stayed())) == ""

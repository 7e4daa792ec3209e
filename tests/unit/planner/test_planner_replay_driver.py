"""Replay on hand-written pages: finding elements again, withheld steps, values read again."""

from __future__ import annotations

from typing import Any

import msgspec

from services.planner.drivers.recording.comparison import reread_value
from services.planner.drivers.recording.decide_replay import decide, may_change_site
from services.planner.state.attempt_state import Act, AttemptState, SampleView
from services.planner.state.transitions import replayed_state
from shared.contracts.actions import (
    Action,
    AnswerDialog,
    AskPicture,
    ByRef,
    Click,
    Done,
    Drag,
    Extract,
    Fail,
    Goto,
    JudgmentGiven,
    Press,
    SaveProgress,
    Scroll,
    TypeText,
    Upload,
)
from shared.contracts.results import Locator, TargetFound
from shared.contracts.steps import FieldValue, ObservationRef, RouteMark, StepTaken, ValueSource, note_text
from shared.pages.locate.by_recording import find_target
from shared.pages.locate.findings import Ambiguous, NotFound
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import NOW, URL, done_result, el, page, row, sample, spec, text, ticket

REF = ByRef(ref=1, snapshot_id="s0")
SEEN = ObservationRef(
    snapshot_id="s0", sha256="x", url=URL, title="", http_status=200, dom_confidence=1.0, proof="proven"
)


def by(kind: Any, value: str, matches: int = 1) -> Locator:
    return Locator(kind=kind, value=value, matches=matches)


def wanted(**changes: Any) -> TargetFound:
    given = {"role": "button", "name": "Next", "tag": "button", "fingerprint": "f1", "locators": (by("id", "#n"),)}
    return TargetFound(**{**given, **changes})


def button(name: str = "Next", fingerprint: str = "f1", **rest: Any) -> Any:
    return el("button", name, **{"tag": "button", "fingerprint": fingerprint, **rest})


def refs(found: Any) -> Any:
    return found if isinstance(found, NotFound) else found.ref


def a_step(number: int, action: Action | None, **changes: Any) -> StepTaken:
    step = StepTaken(
        run_id="r", sample_id="TCK-1001", attempt=1, step=number, started_at=NOW, ended_at=NOW, observation=SEEN,
        decided_by="a-model", action=None,
    )  # fmt: skip
    return msgspec.structs.replace(step, action=action, **changes)


# --- elements


def test_the_number_of_another_snapshot_means_nothing():
    assert refs(find_target(wanted(), page(text("new"), text("more"), button()))) == 3


def test_of_two_with_one_fingerprint_the_recorded_locator_decides():
    two = page(button(), button(locators=(by("id", "#n"),)))
    assert refs(find_target(wanted(), two)) == 2


def test_of_two_that_nothing_tells_apart_none_is_taken():
    found = expect(find_target(wanted(), page(button(), button())), Ambiguous)
    assert "2 elements are like it" in found.message


def test_a_place_that_moved_is_found_by_its_locator():
    assert refs(find_target(wanted(), page(button(fingerprint="f2", locators=(by("id", "#n"),))))) == 1


def test_another_name_needs_two_locators():
    target = wanted(locators=(by("id", "#n"), by("testid", "#t")))
    renamed = button("Onward", "f2", locators=(by("id", "#n"),))
    assert isinstance(find_target(target, page(renamed)), NotFound)
    both = button("Onward", "f2", locators=(by("id", "#n"), by("testid", "#t")))
    assert refs(find_target(target, page(both))) == 1


def test_locators_that_lead_to_two_elements_agree_on_none():
    target = wanted(locators=(by("id", "#n"), by("testid", "#t")))
    apart = page(
        button(fingerprint="f2", locators=(by("id", "#n"),)), button(fingerprint="f3", locators=(by("testid", "#t"),))
    )
    found = expect(find_target(target, apart), Ambiguous)
    assert "its locators lead to" in found.message


@cases(
    "element",
    [
        button(fingerprint="f2", frame="main/1", locators=(by("id", "#n"),)),
        el("link", "Next", tag="a", locators=(by("id", "#n"),)),
        button(fingerprint="f2", locators=(by("id", "#n", matches=2),)),
    ],
)
def test_what_only_looks_like_it_is_not_taken(element: Any):
    assert isinstance(find_target(wanted(), page(element)), NotFound)


def test_a_locator_that_found_several_then_says_nothing_now():
    target = wanted(locators=(by("css", "button", matches=3),))
    assert isinstance(find_target(target, page(button(fingerprint="f2", locators=(by("css", "button"),)))), NotFound)


# --- what may change something


@cases(
    ("action", "element"),
    [
        (Click(target=REF), button("Save")),
        (Click(target=REF), button("View and delete")),
        (Click(target=REF), el("link", "Delete", tag="a", url="javascript:del()")),
        (Click(target=REF), el("switch", "Active")),
        (Click(target=REF), el("generic", "Row 7", tag="div")),
        (Press(keys="Enter"), None),
        (Press(keys="Enter", target=REF), el("textbox", "Comment", value="x")),
        (Press(keys="Delete", target=REF), el("searchbox", "Search", value="x")),
        (AnswerDialog(answer="accept"), None),
        (Upload(target=REF, file="a.pdf"), el("textbox", "File")),
        (Drag(target=REF, onto=REF), el("generic", "card")),
    ],
)
def test_what_may_change_something_is_held_back(action: Action, element: Any):
    now = page(element) if element is not None else None
    assert may_change_site(a_step(1, action), now.elements[0] if now else None, now)


@cases(
    ("action", "element"),
    [
        (Goto(url=URL), None),
        (Scroll(), None),
        (Extract(target=REF), text("x")),
        (TypeText(target=REF, text="x"), el("textbox", "Name", value="")),
        (Click(target=REF), el("link", "Save", tag="a", url="http://127.0.0.1/save")),
        (Click(target=REF), button("Search people")),
        (Click(target=REF), button("Actions", states=("collapsed",))),
        (Click(target=REF), el("tab", "History")),
        (Click(target=REF), button("Accept all", in_dialog=True)),
        (Press(keys="Escape"), None),
        (Press(keys="Enter", target=REF), el("searchbox", "", value="x")),
        (Press(keys="Enter", target=REF), el("textbox", "Search for a person", value="x")),
        (AnswerDialog(answer="dismiss"), None),
    ],
)
def test_what_plainly_only_looks_passes(action: Action, element: Any):
    now = page(element) if element is not None else None
    assert not may_change_site(a_step(1, action), now.elements[0] if now else None, now)


@cases(
    "label",
    ["Weiter", "Weiter ›", "Nächste Seite", "Page suivante", "Siguiente", "次へ", "Mehr laden", "Afficher plus",
     "Next", "Next 20 rows", "More", "Load more", "Older posts", "Previous"],
)  # fmt: skip
def test_a_label_that_turns_a_list_in_a_run_passes_in_its_replay(label: str):
    now = page(button(label))
    assert not may_change_site(a_step(1, Click(target=REF)), now.elements[0], now)


@cases("label", ["Weiter zur Kasse", "Weiterleiten", "Siguiente paso: pagar", "Next: send", "Show more and delete"])
def test_a_label_that_only_begins_like_a_paging_label_of_another_language_is_held_back(label: str):
    now = page(button(label))
    assert may_change_site(a_step(1, Click(target=REF)), now.elements[0], now)


def test_a_click_that_the_browser_asked_about_is_held_back_whatever_it_is_called():
    asked = done_result()
    change = msgspec.structs.replace(asked.change, dialogs=("Really?",))
    step = a_step(1, Click(target=REF), result=msgspec.structs.replace(asked, change=change))
    shown = page(el("link", "Details", tag="a", url="http://127.0.0.1/x"))
    assert may_change_site(step, shown.elements[0], shown)


# --- values


def value(field: str = "assignee", shown: str = "Ann Lee", label: str | None = "Assignee", **rest: Any) -> FieldValue:
    source = ValueSource(
        snapshot_id="s0", observation_sha256="x", url=URL, ref=9, role=rest.pop("role", "definition"), label=label,
        box=None, frame="main",
    )  # fmt: skip
    return FieldValue(**{"field": field, "state": "value", "value": shown, "shown": shown, "source": source, **rest})


def again(one: FieldValue, *elements: Any) -> FieldValue:
    seen = page(*elements)
    return reread_value(one, SampleView(spec(), sample(), AttemptState(), seen), seen)


def test_a_label_that_only_the_recording_knows_is_read():
    now = again(value(label="Owner"), *row("Owner", "Bob Ray"))
    assert (now.state, now.value) == ("value", "Bob Ray")


def test_a_text_that_has_not_changed_is_the_value_it_was():
    dated = value("due_date", "03/04/26", "Due", value="2026-04-03")
    assert again(dated, *row("Due", "03/04/26")).value == "2026-04-03"


def test_a_value_without_a_label_is_found_where_its_kind_still_says_so():
    lone = value(shown="Ann Lee", label=None, role="note")
    now = again(lone, el("note", "opened by Ann Lee"), el("note", "closed"))
    assert now.source is not None
    assert (now.value, now.source.ref) == ("Ann Lee", 1)
    assert again(lone, el("note", "opened by Bob"), el("note", "closed")).state == "not_found"


@cases("origin", ["derived", "vision"])
def test_what_was_worked_out_is_carried_over_without_the_files_of_the_other_run(origin: str):
    carried = value(origin=origin)
    assert again(carried, *row("Assignee", "Bob")) == msgspec.structs.replace(carried, source=None)


# --- the next step


def view_of(log: list[StepTaken], taken: int, seen: Any, **changes: Any) -> SampleView:
    task = spec(required_artifacts=[], **changes)
    return SampleView(task, sample(), replayed_state(task, log[:taken]), seen, log=tuple(log))


def test_a_picture_is_not_asked_about_again_and_nothing_is_saved_twice():
    end = Done(values={"ticket_number": "TCK-1001"})
    log = [
        a_step(1, Goto(url=URL), result=done_result(), observation=None),
        a_step(2, AskPicture(question="?", field="assignee")),
        a_step(3, SaveProgress(values={"assignee": "x"})),
        a_step(4, end, values=(value("ticket_number", "TCK-1001", None), value(origin="vision"))),
    ]
    decided = expect(decide(view_of(log, 1, page(*ticket(assignee=""), sha256="x"))), Act)
    assert isinstance(decided.action, Done)
    assert decided.action.values["assignee"] == "Ann Lee"
    assert "carried over, not read again: assignee (from vision)" in map(note_text, decided.notes)


def test_a_judgment_is_carried_over_and_said_to_be():
    given = JudgmentGiven(
        answer="yes", confidence=0.9, reasoning="It is written there.", evidence_refs=("01_ticket.png",)
    )
    log = [
        a_step(1, Goto(url=URL), result=done_result(), observation=None),
        a_step(2, Done(values={}, judgment=given), values=(value("ticket_number", "TCK-1001", None),)),
    ]
    asked = {"judgment_required": True, "judgment_question": "Is it so?"}
    decided = expect(decide(view_of(log, 1, page(*ticket(), sha256="x"), **asked)), Act)
    assert isinstance(decided.action, Done)
    assert decided.action.judgment == given
    assert "carried over, not judged again: the judgment, as given by a-model" in map(note_text, decided.notes)


def test_what_the_route_calls_irreversible_is_held_back_whatever_the_button_is_called():
    route = [{"press": "Next", "irreversible": True}]
    found = TargetFound(role="button", name="Next", tag="button", fingerprint="f1")
    pressed = a_step(2, Click(target=REF), result=done_result(target=found))
    log = [a_step(1, Goto(url=URL), result=done_result(), observation=None), pressed, a_step(3, Done(values={}))]
    shown = page(*ticket(), button(), sha256="x")
    decided = expect(decide(view_of(log, 1, shown, route=route)), Act)
    assert isinstance(decided.action, Fail)
    assert decided.action.code == "replay_withheld"
    plain = expect(decide(view_of(log, 1, shown)), Act)
    assert isinstance(plain.action, Click)


def test_a_replay_knows_what_a_press_was_for_by_its_mark_and_takes_the_mark_over():
    mark, found = RouteMark(step=1), TargetFound(role="button", name="Show more", tag="button", fingerprint="f1")
    pressed = a_step(2, Click(target=REF), result=done_result(target=found), decided_by="rules", route=mark)
    log = [a_step(1, Goto(url=URL), result=done_result(), observation=None), pressed, a_step(3, Done(values={}))]
    shown = page(*ticket(), button("Show more"), sha256="x")
    for_good = expect(decide(view_of(log, 1, shown, route=[{"press": "Send", "irreversible": True}])), Act)
    assert isinstance(for_good.action, Fail)
    assert for_good.action.code == "replay_withheld"
    again = expect(decide(view_of(log, 1, shown, route=[{"press": "Send"}])), Act)
    assert (type(again.action), again.route) == (Click, mark)

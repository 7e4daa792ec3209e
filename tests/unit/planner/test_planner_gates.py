"""When a sample is done, and how it ends when it is not."""

from __future__ import annotations

from dataclasses import replace as replaced
from typing import Any

from msgspec.structs import replace

from services.planner.judge.field_values import values_to_save
from services.planner.judge.gates import (
    Rejection,
    is_tried_again,
    judge_done,
    judge_fail,
    limit_reached,
    login_wall,
    to_finished,
)
from services.planner.judge.record_checks import missing_artifacts
from services.planner.judge.reported_values import value_problems
from services.planner.state.attempt_state import AttemptState, Ending, ObserveAgain, ending_of
from services.planner.state.limits import MAX_BAD_REPLIES, MAX_FAILURES
from services.planner.state.transitions import after_look, after_observation, after_step, with_notes, with_readings
from shared.contracts.actions import (
    AnyAction,
    ByText,
    Click,
    Done,
    Extract,
    Fail,
    Goto,
    SaveProgress,
    Screenshot,
    Scroll,
)
from shared.contracts.base import Usage
from shared.contracts.browser_pool import Element, cut_marker
from shared.contracts.codes import Reason
from shared.contracts.planner import WorkSample
from shared.contracts.results import TextRead
from shared.contracts.steps import FieldValue, Note, ObservationRef, ValueSource, note_text, plain_note
from shared.evidence_format.layout import artifact_filename
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import (
    NOW,
    URL,
    acted,
    artifact,
    bounced,
    done_result,
    el,
    heading,
    kept,
    misunderstood,
    page,
    picture,
    row,
    sample,
    shot,
    shown_record,
    spec,
    spent,
    step,
    text,
    ticket,
    view,
)

VALUES = {"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": "Mar 3, 2026"}


def proven(*results):
    """The right record is shown, and these were the results of screenshots taken of it."""
    state = shown_record(AttemptState(), "proven")
    for result in results or (shot(),):
        state = acted(state, picture(), result, "")
    return state


def judge(done, state=None, seen=None, **changes) -> tuple[Any, tuple[FieldValue, ...]]:
    """The ending or the rejection, with the values."""
    return judge_done(view(seen or page(*ticket()), state or proven(), **changes), done)


def by_name(values):
    return {value.field: value for value in values}


def test_a_sample_with_everything_is_done():
    ending, values = judge(Done(values=VALUES, refs={"assignee": 3, "due_date": 5}))
    assert (ending.status, ending.reason, ending.flagged, ending.notes) == ("done", "", False, ())
    found = by_name(values)
    assert found["due_date"].value == "2026-03-03"
    assert found["due_date"].shown == "Mar 3, 2026"
    assert expect(found["due_date"].source, ValueSource).ref == 5
    assert found["assignee"].value == "Ann Lee"


def test_a_missing_field_is_sent_back_once_with_the_exact_words_and_then_reviewed():
    done = Done(values={"ticket_number": "TCK-1001", "assignee": None})
    bounce, _ = judge(done)
    assert bounce == Rejection("You called done but these required fields are missing: assignee, due_date")
    ending, values = judge(done, bounced(proven(), done, bounce.message))
    assert (ending.status, ending.reason) == ("needs_review", "missing_fields")
    assert ending.flagged
    assert by_name(values)["assignee"].state == "not_found"
    assert by_name(ending.values)["ticket_number"].value == "TCK-1001"


def test_a_required_field_that_the_page_shows_empty_is_told_apart_from_one_that_it_lacks():
    seen = page(*ticket(assignee=""))
    bounce, _ = judge(Done(values={**VALUES, "assignee": None}), seen=seen)
    assert bounce.message == "You called done but these required fields are missing: assignee (the page shows it empty)"


@cases("lacking", [{"required_artifacts": ["screenshot:none"]}, {"judgment_required": True}, {}])
def test_neither_rules_nor_the_result_of_a_sample_say_that_somebody_called_done(lacking):
    done = Done(values={"ticket_number": "TCK-1001", "assignee": None})
    task = spec(**{"judgment_question": "Was it late?", **lacking})
    bounce, _ = judge_done(view(page(*ticket()), proven(), spec=task), done, by_model=False, decided_by="rules")
    ending, _ = judge(done, bounced(proven(), done, expect(bounce, Rejection).message), spec=task)
    for told in (expect(bounce, Rejection).message, expect(ending, Ending).message):
        assert "missing" in told
        assert "You" not in told


def test_none_is_missing_and_zero_false_and_the_empty_text_are_values():
    fields = {"count": "number", "open": "boolean", "note": "string", "other": "string"}
    values = {"count": 0, "open": False, "note": "", "other": None}
    task = {"spec": spec(output_schema=fields, required_fields=list(fields), identity={}, required_artifacts=[])}
    seen = page(el("checkbox", "Open", tag="input"), text("0"))
    bounce, judged = judge(Done(values=values, refs={"open": 1}), seen=seen, **task)
    assert bounce.message == "You called done but these required fields are missing: other"
    assert [by_name(judged)[name].value for name in ("count", "open", "note")] == [0, False, ""]


def test_a_field_that_is_not_required_may_be_missing_but_not_all_of_them():
    task = {"spec": spec(required_fields=[], identity={}, required_artifacts=[])}
    ending, _ = judge(Done(values={"assignee": "Ann Lee"}), **task)
    assert ending.status == "done"
    bounce, _ = judge(Done(values={}), **task)
    assert "missing: ticket_number, assignee, due_date" in bounce.message


def test_not_present_is_accepted_where_the_task_allows_it():
    seen = page(*ticket(assignee="Unassigned", due=""))
    ending, values = judge(
        Done(values={"ticket_number": "TCK-1001", "assignee": "unassigned "}, not_present={"due_date": ""}), seen=seen
    )
    assert ending.status == "done"
    found = by_name(values)
    assert (found["assignee"].state, found["assignee"].value) == ("not_present", None)
    assert (found["due_date"].state, found["due_date"].shown) == ("not_present", "")


def test_not_present_is_refused_where_the_field_may_not_be_absent():
    fields = {"ticket_number": "string", "assignee": {"type": "string", "not_present": ["Unassigned"]}}
    task = {"spec": spec(output_schema=fields, required_fields=[])}
    done = Done(values={"ticket_number": "TCK-1001"}, not_present={"assignee": "Unassigned"})
    bounce, _ = judge(done, **task)
    assert "does not allow" in bounce.message
    ending, _ = judge(done, bounced(proven(), done, ""), **task)
    assert (ending.status, ending.reason) == ("needs_review", "invalid_values")


def test_a_value_of_the_wrong_type_is_sent_back_then_reviewed_and_its_text_kept():
    done = Done(values={**VALUES, "due_date": "03/10/24"})
    seen = page(*ticket(due="03/10/24"))
    bounce, _ = judge(done, seen=seen)
    assert "due_date: '03/10/24' could be day/month or month/day" in bounce.message
    ending, values = judge(done, bounced(proven(), done, ""), seen=seen)
    assert (ending.status, ending.reason) == ("needs_review", "invalid_values")
    assert (by_name(values)["due_date"].value, by_name(values)["due_date"].shown) == (None, "03/10/24")


def test_a_date_that_is_none_in_the_order_of_the_task_is_kept_as_the_page_writes_it():
    """So that the order can be held against the other samples of the run, whatever a model has made of the date."""
    due = {"type": "date | null", "labels": ["Due"], "date_order": "dmy"}
    task = spec(output_schema={"ticket_number": "string", "due_date": due}, required_fields=[])
    done = Done(values={"ticket_number": "TCK-1001", "due_date": "2024-03-25"}, refs={"due_date": 5})
    seen = page(*ticket(due="03/25/2024"))
    ending, values = judge(done, bounced(proven(), done, ""), seen=seen, spec=task)
    assert (ending.status, ending.reason) == ("needs_review", "contradicted_values")
    assert by_name(values)["due_date"].shown == "03/25/2024"


# --- artifacts


@cases(
    ("wanted", "results", "missing"),
    [
        (["screenshot"], (shot("anything"),), ()),
        (["screenshot:ticket"], (shot("ticket"),), ()),
        (["screenshot:ticket"], (shot("tickets"),), ("screenshot:ticket",)),
        (["screenshot:ticket"], (done_result(),), ("screenshot:ticket",)),
        (["download"], (shot("ticket"),), ("download",)),
        (["download:bill"], (done_result(artifacts=(artifact("bill", ".pdf", "download"),)),), ()),
    ],
)
def test_artifacts_are_required_by_kind_and_exact_label(wanted, results, missing):
    assert missing_artifacts(view(None, proven(*results), spec=spec(required_artifacts=wanted))) == missing


def test_a_missing_artifact_is_sent_back_then_reviewed():
    state = shown_record(AttemptState(), "proven")
    bounce, _ = judge(Done(values=VALUES), state)
    assert bounce.message == "You called done but these artifacts are missing: screenshot:ticket"
    ending, _ = judge(Done(values=VALUES), bounced(state, Done(values={}), ""))
    assert (ending.status, ending.reason) == ("needs_review", "missing_artifacts")


def seen_at(url: str, proof: str) -> ObservationRef:
    given = {"snapshot_id": "s1", "sha256": "o", "title": "T", "http_status": 200, "dom_confidence": 1.0}
    return ObservationRef(url=url, proof=proof, **given)  # type: ignore[arg-type]


def walked(*looks: tuple[str, str, AnyAction]) -> AttemptState:
    """Return the state after these looks, each an address, a proof and what was done then."""
    state = AttemptState()
    for url, proof, action in looks:
        ref = seen_at(url, proof)
        state = after_observation(state, spec(), ref)
        result = shot() if isinstance(action, Screenshot) else done_result()
        state = after_step(state, step(state, action, result, observation=ref))
    return state


LOOK, PRESS = Scroll(), Click(target=ByText(text="Next"))


@cases(
    ("looks", "counts"),
    [
        # the page had not shown yet whose it is
        ([("/7", "unproven", picture()), ("/7", "unproven", LOOK), ("/7", "proven", LOOK)], True),
        ([("/7", "unproven", picture()), ("/8", "proven", LOOK)], False),
        ([("/7", "unproven", picture()), ("/8", "proven", LOOK), ("/7", "proven", LOOK)], False),
        # an application with one address shows another record after a press
        ([("/", "unproven", picture()), ("/", "unproven", PRESS), ("/", "proven", LOOK)], False),
        ([("/", "mismatch", picture()), ("/", "proven", LOOK)], False),
        ([("/7", "unproven", picture()), ("/7", "unproven", LOOK)], False),
    ],
)
def test_a_picture_counts_once_the_record_is_proven_at_its_address(
    looks: list[tuple[str, str, AnyAction]], counts: bool
):
    missing = () if counts else ("screenshot:ticket",)
    assert missing_artifacts(view(None, walked(*looks))) == missing


def test_a_picture_taken_before_the_record_was_proven_does_not_count():
    state = shown_record(acted(AttemptState(), picture(), shot(), ""), "proven")
    assert missing_artifacts(view(None, state)) == ("screenshot:ticket",)


# --- identity


@cases("number", ["TCK-1002", "TCK-10011", "1001", ""])
def test_another_record_is_sent_back_once_and_never_done(number):
    done = Done(values={**VALUES, "ticket_number": number}, refs={"ticket_number": 2})
    bounce, _ = judge(done)
    assert f"{number!r} was reported where 'TCK-1001' was asked for" in bounce.message
    ending, _ = judge(done, bounced(proven(), done, bounce.message))
    assert (ending.status, ending.reason, ending.values) == ("failed", "identity_mismatch", ())
    assert ending.fault == "us"  # the page shows the right one


def test_the_page_of_another_record_is_said_and_is_the_fault_of_the_site():
    done, seen = Done(values={**VALUES, "ticket_number": "TCK-1002"}), page(*ticket("TCK-1002"))
    state = shown_record(acted(AttemptState(), picture(), shot(), ""), "mismatch")
    bounce, _ = judge(done, state, seen)
    assert "the page shows ticket_number 'TCK-1002' where 'TCK-1001' was asked for" in bounce.message
    assert "If the record does not exist, call fail with the code not_found" in bounce.message
    ending, _ = judge(done, bounced(state, done, bounce.message), seen)
    assert (ending.reason, ending.fault) == ("identity_mismatch", "site")


def test_what_the_rules_report_of_another_record_is_final_at_once():
    done = Done(values={**VALUES, "ticket_number": "TCK-1002"})
    ending = expect(judge_done(view(page(*ticket("TCK-1002")), AttemptState()), done, by_model=False)[0], Ending)
    assert (ending.reason, ending.fault) == ("identity_mismatch", "site")


def test_identity_is_compared_without_case_and_ends():
    ending, _ = judge(Done(values={**VALUES, "ticket_number": " tck-1001 "}))
    assert ending.status == "done"


def test_a_driver_that_only_says_the_right_number_proves_nothing():
    state = acted(AttemptState(), picture(), shot(), "")
    bounce, _ = judge(Done(values=VALUES), state)
    ending, _ = judge(Done(values=VALUES), bounced(state, Done(values=VALUES), bounce.message))
    assert (ending.status, ending.reason) == ("failed", "identity_mismatch")


def test_every_identity_field_must_agree():
    both = {"ticket_number": "{ticket_number}", "assignee": "{owner}"}
    row_ = sample(fields={"ticket_number": "TCK-1001", "owner": "Bob"})
    state = bounced(proven(), Done(values=VALUES), "")
    ending, _ = judge(Done(values=VALUES), state, spec=spec(identity=both), sample=row_)
    assert ending.reason == "identity_mismatch"


# --- can the value be believed


def twice(done, seen, state=None, **changes) -> tuple[str, Any]:
    """What is said of a done, and the ending when it is said again."""
    state = state or proven()
    bounce, _ = judge(done, state, seen, **changes)
    ending, _ = judge(done, bounced(state, done, bounce.message), seen, **changes)
    return bounce.message, ending


def unlabelled(*more):
    """The right record, with its assignee in prose only."""
    return page(heading("TCK-1001: Printer on fire"), *row("Due date", "Mar 3, 2026"), *more)


def test_a_value_that_stands_nowhere_is_sent_back_once_and_then_reviewed():
    told, ending = twice(Done(values={**VALUES, "assignee": "Bob"}), unlabelled())
    assert told == "assignee: 'Bob' is not shown by the page"
    assert (ending.status, ending.reason, ending.flagged) == ("needs_review", "unconfirmed_values", True)
    assert told in map(note_text, ending.notes)


@cases("said", ["Ann", "Annual report", "a report"])
def test_a_value_must_stand_there_as_whole_words(said):
    seen = unlabelled(text("Annual reports"))
    told, _ = twice(Done(values={**VALUES, "assignee": said}), seen)
    assert f"assignee: {said!r} is not shown" in told


def test_words_for_nothing_must_stand_on_the_page_as_well():
    done = Done(values={"ticket_number": "TCK-1001", "due_date": "Mar 3, 2026"}, not_present={"assignee": "Nobody"})
    told, ending = twice(done, unlabelled())
    assert (told, ending.reason) == ("assignee: 'Nobody' is not shown by the page", "unconfirmed_values")


def test_what_was_saved_without_standing_anywhere_is_not_believed_later():
    seen = unlabelled()
    values, notes, unconfirmed = values_to_save(view(seen, proven()), SaveProgress(values={"assignee": "Bob"}))
    assert [note_text(note) for note in notes] == ["assignee: 'Bob' is not shown by the page"]
    for said in (VALUES | {"assignee": "Bob"}, {"ticket_number": "TCK-1001", "due_date": "Mar 3, 2026"}):
        told, ending = twice(Done(values=said), seen, kept(proven(), values, unconfirmed))
        assert (told, ending.reason) == (note_text(notes[0]), "unconfirmed_values")


def test_what_was_extracted_and_what_spans_elements_stands_on_the_page():
    whole = "Ann Lee of the second floor"
    read_ = acted(proven(), Extract(target=ByText(text="x")), done_result(effect=TextRead(text=whole)), "")
    assert judge(Done(values={**VALUES, "assignee": whole}), read_, unlabelled())[0].status == "done"
    spans = unlabelled(text("Ann"), text("Lee"))
    assert judge(Done(values=VALUES, refs={"assignee": 4}), seen=spans)[0].status == "done"


def test_a_number_is_found_in_any_of_its_forms_but_not_inside_another():
    task = {"spec": spec(output_schema={"total": "decimal"}, required_fields=[], identity={}, required_artifacts=[])}
    seen = page(text("All in all 1,234.50 are due"), text("Items 217"))
    assert judge(Done(values={"total": 1234.5}, refs={"total": 1}), seen=seen, **task)[0].status == "done"
    told, _ = twice(Done(values={"total": 17}), seen, **task)
    assert "'17' is not shown" in told


# --- the wrong element


def activity(assignee="Unassigned"):
    return page(*ticket(assignee=assignee), el("listitem", "Hana Kobayashi was the assignee", tag="li"))


def test_a_value_from_elsewhere_than_under_its_label_is_sent_back_with_both_and_then_reviewed():
    told, ending = twice(Done(values={**VALUES, "assignee": "Hana Kobayashi"}, refs={"assignee": 6}), activity())
    assert told == "assignee: you reported 'Hana Kobayashi' (from [6]), but [3] Assignee shows 'Unassigned'"
    assert (ending.status, ending.reason, ending.flagged) == ("needs_review", "contradicted_values", True)


@cases(("stands", "said"), [("Unassigned", "Hana Kobayashi"), ("Ann Lee", "Unassigned")])
def test_there_is_and_there_is_none_contradict_each_other(stands, said):
    seen = page(*ticket(assignee=stands), text("Unassigned"), text("Hana Kobayashi"))
    words = said == "Unassigned"
    values = {key: value for key, value in VALUES.items() if key != "assignee"}
    done = Done(
        values=values if words else {**values, "assignee": said}, not_present={"assignee": said} if words else {}
    )
    _, ending = twice(done, seen)
    assert ending.reason == "contradicted_values"


@cases("ref", [2, 3])
def test_a_ref_that_does_not_show_the_value_is_sent_back_and_overrides_nothing(ref):
    done = Done(values={**VALUES, "assignee": "John Smith"}, refs={"assignee": ref})
    _, values = judge(done, seen=activity())
    assert (by_name(values)["assignee"].state, by_name(values)["assignee"].shown) == ("value", "John Smith")
    _, ending = twice(done, activity())
    assert ending.reason == "contradicted_values" if ref == 3 else ending.status == "needs_review"


def test_a_ref_to_the_label_is_sent_back():
    told, ending = twice(Done(values=VALUES, refs={"assignee": 2}), page(*ticket()))
    assert told == "assignee: 'Ann Lee' is not shown by element 2, which shows 'Assignee'"
    assert ending.reason == "contradicted_values"


def test_two_labelled_values_contradict_nobody():
    seen = page(*ticket(assignee="Unassigned"), *row("Assignee", "Ann Lee"))
    assert judge(Done(values=VALUES), seen=seen)[0].status == "done"


def test_what_a_page_says_is_quoted_short():
    long = "x" * 500
    told, _ = twice(Done(values=VALUES), page(*ticket(assignee=long), text("Ann Lee")))
    assert "x" * 80 in told
    assert "x" * 81 not in told


def test_a_value_in_another_form_must_mean_the_same():
    told, ending = twice(Done(values={**VALUES, "due_date": "2026-03-04"}, refs={"due_date": 5}), page(*ticket()))
    assert "due_date: you reported '2026-03-04' (from [5]), but [5] Due date shows 'Mar 3, 2026'" in told
    assert ending.reason == "contradicted_values"


def test_another_form_of_the_same_value_is_believed():
    ending, values = judge(Done(values={**VALUES, "due_date": "2026-03-03"}, refs={"due_date": 5}))
    assert (ending.flagged, by_name(values)["due_date"].shown) == (False, "Mar 3, 2026")


def test_a_ref_that_is_not_on_the_page_is_no_source():
    _, values = judge(Done(values=VALUES, refs={"assignee": 999}))
    assert by_name(values)["assignee"].source is None


def cut_off(beginning: str, chars: int = 900) -> Element:
    """A definition of which the observation shows only the beginning."""
    return el("definition", beginning + cut_marker(chars), tag="dd", header="Assignee", cut_chars=chars)


def test_a_text_that_was_cut_off_is_flagged():
    long = "word ... (+900 characters: extract)"
    seen = page(*(cut_off("word") if one.header == "Assignee" else one for one in ticket()))
    ending, values = judge(Done(values={**VALUES, "assignee": long}), seen=seen)
    assert (ending.flagged, by_name(values)["assignee"].cut_chars) == (True, 900)


def test_a_cut_text_that_was_saved_is_still_flagged_on_another_page():
    seen = page(*(cut_off("word") if one.header == "Assignee" else one for one in ticket()))
    saved, notes, _ = values_to_save(view(seen, proven()), SaveProgress(values={"assignee": seen.elements[2].name}))
    assert [value.cut_chars for value in saved] == [900]
    assert [note.field for note in notes] == ["assignee"]
    elsewhere = page(heading("TCK-1001"), *row("Due date", "Mar 3, 2026"))
    ending, _ = judge(Done(values={**VALUES, "assignee": saved[0].value}), with_readings(proven(), saved), elsewhere)
    assert ending.flagged


def test_a_page_that_writes_the_marker_itself_has_no_cut_text():
    long = "word ... (+900 characters: extract)"
    ending, _ = judge(Done(values={**VALUES, "assignee": long}), seen=page(*ticket(assignee=long)))
    assert not ending.flagged


@cases(("cut", "problems"), [(True, ["unconfirmed_values"]), (False, ["contradicted_values"])])
def test_only_a_cut_text_leaves_open_whether_the_value_continues(cut, problems):
    one = cut_off("Ann") if cut else replace(cut_off("Ann"), cut_chars=0)
    value = FieldValue(field="assignee", state="value", value="Ann Lee of Oslo", shown="Ann Lee of Oslo")
    seen = view(page(heading("TCK-1001"), one), proven())
    found = value_problems(value, seen.spec.output_schema["assignee"], seen, 2)
    assert sorted({problem.reason for problem in found}) == problems


def test_what_was_saved_before_is_kept_with_its_source():
    at_first = view(page(*row("Assignee", "Ann Lee")), proven())
    values, notes, unconfirmed = values_to_save(
        at_first, SaveProgress(values={"assignee": "Ann Lee", "nonsense": "x", "due_date": None})
    )
    assert [value.field for value in values] == ["assignee"]
    assert (notes, unconfirmed) == ((), frozenset())
    state = with_readings(proven(), values)
    ending, judged = judge(
        Done(values={"ticket_number": "TCK-1001", "due_date": "Mar 3, 2026"}),
        state,
        page(*row("Due", "Mar 3, 2026"), el("text", "TCK-1001")),
    )
    assert ending.status == "done"
    assert by_name(judged)["assignee"].value == "Ann Lee"


# --- fail, and bounds


@cases(
    ("code", "status", "reason", "fault"),
    [
        ("not_found", "failed", "not_found", "record"),
        ("auth_required", "auth_required", "login_required", "site"),
        ("blocked", "failed", "blocked", "site"),
        ("http_error", "failed", "http_error", "site"),
        ("unreachable", "failed", "unreachable", "site"),
        ("ambiguous", "needs_review", "ambiguous_value", "us"),
        ("other", "failed", "gave_up", "us"),
        ("made up", "failed", "gave_up", "us"),
    ],
)
def test_each_failure_has_its_status(code, status, reason, fault):
    state = acted(AttemptState(), picture("not_found"), shot("not_found"), "")
    ending = expect(judge_fail(view(page(), state), Fail(code=code, note="because")), Ending)
    assert (ending.status, ending.reason, ending.fault, ending.message) == (status, reason, fault, "because")


GONE = Fail(code="not_found", note="nothing there")


def test_not_found_without_its_picture_is_sent_back_once():
    bounce = judge_fail(view(page(heading("Not found"))), GONE)
    assert bounce.message.endswith("this screenshot is missing: screenshot:not_found")
    again = expect(
        judge_fail(view(page(heading("Not found")), bounced(AttemptState(), GONE, bounce.message)), GONE), Ending
    )
    assert (again.status, again.reason, again.fault) == ("failed", "not_found", "record")


def test_not_found_while_the_record_is_shown_is_sent_back_and_then_reviewed():
    state = acted(AttemptState(), picture("not_found"), shot("not_found"), "")
    bounce = judge_fail(view(page(*ticket()), state), GONE)
    assert "the page shows the record that was asked for: ticket_number 'TCK-1001'" in bounce.message
    ending = expect(judge_fail(view(page(*ticket()), bounced(state, GONE, bounce.message)), GONE), Ending)
    assert (ending.status, ending.reason, ending.flagged) == ("needs_review", "disputed_not_found", True)


@cases("said", ["TCK-1001 not found", "There is no such ticket: TCK-1001"])
def test_a_page_that_repeats_the_id_does_not_show_the_record(said):
    state = acted(AttemptState(), picture("not_found"), shot("not_found"), "")
    for element in (heading(said), text(said)):
        assert expect(judge_fail(view(page(element, text("TCK-1001")), state), GONE), Ending).reason == "not_found"


def test_not_found_of_the_rules_and_on_the_last_step_is_taken_as_it_is():
    assert expect(judge_fail(view(page()), GONE, by_model=False), Ending).reason == "not_found"
    assert expect(judge_fail(view(page(), spec=spec(max_steps=1)), GONE), Ending).reason == "not_found"


def stepped(count, state=None, result=None):
    state = state or AttemptState()
    for _ in range(count):
        state = acted(state, Goto(url="http://x/"), result or done_result(), "it went wrong")
    return state


def test_max_steps():
    task = {"spec": spec(max_steps=3)}
    assert limit_reached(view(None, stepped(2), **task), 0.0) is None
    ending = expect(limit_reached(view(None, stepped(3), **task), 0.0), Ending)
    assert (ending.status, ending.reason, ending.fault) == ("failed", "max_steps_exceeded", "us")


def test_what_was_read_of_the_right_record_makes_a_partial_success():
    values = (FieldValue(field="due_date", state="value", value="Mar 3, 2026", shown="Mar 3, 2026"),)
    task = {"spec": spec(max_steps=3)}
    right = with_readings(stepped(3, shown_record(AttemptState(), "proven")), values)
    ending = expect(limit_reached(view(None, right, **task), 0.0), Ending)
    assert ending.status == "partial_success"
    assert by_name(ending.values)["due_date"].value == "2026-03-03"
    assert by_name(ending.values)["assignee"].state == "not_found"
    of_whom = expect(limit_reached(view(None, with_readings(stepped(3), values), **task), 0.0), Ending)
    assert (of_whom.status, of_whom.values) == ("failed", ())


def test_max_time():
    assert limit_reached(view(None, spec=spec(max_time_s=10.0)), 9.9) is None
    assert expect(limit_reached(view(None, spec=spec(max_time_s=10.0)), 10.0), Ending).reason == "time_exceeded"
    assert limit_reached(view(None, spec=spec(max_time_s=0.0)), 1e9) is None


def test_failures_in_a_row_end_the_sample_and_one_success_starts_anew():
    failed = done_result(ok=False, code="not_found")
    assert limit_reached(view(None, stepped(MAX_FAILURES - 1, result=failed)), 0.0) is None
    assert (
        expect(limit_reached(view(None, stepped(MAX_FAILURES, result=failed)), 0.0), Ending).reason
        == "too_many_failures"
    )
    mended = stepped(MAX_FAILURES - 1, stepped(1, stepped(MAX_FAILURES - 1, result=failed)), failed)
    assert limit_reached(view(None, mended), 0.0) is None


def test_answers_that_cannot_be_used_end_the_sample():
    state = AttemptState()
    for _ in range(MAX_BAD_REPLIES):
        assert limit_reached(view(None, state), 0.0) is None
        state = misunderstood(state, "no tool call")
    ending = expect(limit_reached(view(None, state), 0.0), Ending)
    assert (ending.reason, ending.fault) == ("bad_replies", "us")
    assert "no tool call" in ending.message


# --- what an ending comes to


def test_a_page_that_still_loads_is_called_that_where_a_field_is_missing():
    done = Done(values={"ticket_number": "TCK-1001", "assignee": None})
    state = bounced(proven(), done, "")
    assert judge(done, state, page(*ticket(), busy=True))[0].reason == "still_loading"
    assert judge(done, state, page(*ticket()))[0].reason == "missing_fields"
    assert judge_done(view(None, state), done)[0].reason == "missing_fields"  # type: ignore[union-attr]
    without = bounced(shown_record(AttemptState(), "proven"), done, "")
    assert judge(Done(values=VALUES), without, page(*ticket(), busy=True))[0].reason == "missing_artifacts"


def finished(reason: Reason, *notes: Note, flagged: bool = False):
    work = WorkSample(run_id="r", sample_id="s", sample=sample())
    return to_finished(work, 1, "p", replaced(ending_of(reason), notes=notes, flagged=flagged), NOW, NOW)


def test_a_page_that_still_loads_is_tried_again_unless_something_may_have_been_sent():
    sends = spec(route=[{"press": "Send", "irreversible": True}])
    assert is_tried_again(finished("still_loading"), view(None))
    assert is_tried_again(finished("still_loading"), view(None, spec=spec(route=[{"press": "Send"}])))
    assert not is_tried_again(finished("missing_fields"), view(None))
    assert not is_tried_again(finished("still_loading"), view(None, spec=sends))


@cases("kind", ["not_as_read", "not_kept"])
def test_a_value_whose_page_was_not_stored_as_it_was_read_is_flagged(kind):
    note = replace(plain_note("a page"), kind=kind)
    assert finished("not_found", note).flagged
    assert not finished("not_found", plain_note("a page")).flagged
    assert finished("not_found", flagged=True).flagged


def test_a_login_state_is_paused_for_all_only_where_the_page_itself_asks_to_sign_in():
    asks = page(heading("Sign in"), el("textbox", "Password", tag="input", value="", secret=True), url=f"{URL}?t=s#x")
    ended = finished("login_required")
    assert login_wall(ended, replace(page(), http_status=401, url=f"{URL}?t=s")) == f"{URL} answered HTTP 401"
    assert login_wall(ended, asks).startswith(f"{URL} asks ")
    for other in (None, page(*ticket()), replace(page(*ticket()), http_status=403)):
        assert login_wall(ended, other) == ""
    assert login_wall(finished("not_found"), asks) == ""


def test_only_values_beside_the_identity_make_a_partial_success():
    values = {name: FieldValue(field=name, state="value", value="x", shown="TCK-1001") for name in VALUES}
    right = stepped(3, shown_record(AttemptState(), "proven"))
    task = {"spec": spec(max_steps=3, required_fields=[])}

    def ended(*names: str) -> str:
        state = with_readings(right, tuple(values[name] for name in names))
        return expect(limit_reached(view(None, state, **task), 0.0), Ending).status

    assert (ended(), ended("ticket_number"), ended("assignee")) == ("failed", "failed", "partial_success")


# --- the state


def test_artifacts_are_numbered_in_the_order_they_came():
    state = acted(acted(AttemptState(), picture(), shot("The Ticket"), ""), picture("x"), shot("x", "png"), "")
    assert [filed.filename for filed in state.artifacts] == ["01_the_ticket.png", "02_x.png"]


@cases(("suffix", "name"), [("", "07_a"), (".PDF", "07_a.pdf"), ("/../x", "07_a.x"), (".tar.gz", "07_a.targz")])
def test_a_suffix_from_a_site_cannot_leave_the_folder(suffix, name):
    assert artifact_filename(7, artifact("a", suffix)) == name


def test_only_what_may_change_the_page_makes_looks_worthless():
    state = after_look(AttemptState(), ObserveAgain(0.3, 24_000))
    for action in (picture(), Extract(target=ByText(text="x")), Scroll()):
        assert (acted(state, action, done_result(), "").looks, acted(state, action, done_result(), "").max_tokens) == (
            1,
            24_000,
        )
    assert acted(state, Click(target=ByText(text="x")), done_result(), "").looks == 0


def test_usage_adds_up_and_a_note_is_kept_once():
    one = Usage(llm_calls=1, input_tokens=10, output_tokens=2, cache_read_tokens=3, cache_write_tokens=4, cost_usd=0.5)
    twice = spent(spent(AttemptState(), one), one).usage
    assert (twice.llm_calls, twice.input_tokens, twice.output_tokens) == (2, 20, 4)
    assert (twice.cache_read_tokens, twice.cache_write_tokens, twice.cost_usd) == (6, 8, 1.0)
    a, b = plain_note("a"), plain_note("b")
    assert with_notes(with_notes(AttemptState(), (a, a)), (a, b)).notes == (a, b)


def test_a_page_that_says_nothing_leaves_the_proof_and_another_record_takes_it_away():
    right = shown_record(AttemptState(), "proven")
    assert shown_record(right, "unproven").proven
    assert not shown_record(right, "mismatch").proven


def test_a_page_that_is_not_proven_says_nothing_against_what_was_saved():
    values, _, _ = values_to_save(view(page(*ticket()), proven()), SaveProgress(values={"assignee": "Ann Lee"}))
    elsewhere = page(*row("Assignee", "Anyone"), *row("Due date", "Mar 3, 2026"), text("It is TCK-1001."))
    said = Done(values={"ticket_number": "TCK-1001", "due_date": "Mar 3, 2026"})
    assert judge(said, with_readings(proven(), values), elsewhere)[0].status == "done"


def test_what_is_read_anew_is_no_longer_unconfirmed():
    value = FieldValue(field="assignee", state="value", value="Bob", shown="Bob")
    state = kept(AttemptState(), (value,), frozenset({"assignee"}))
    assert state.unconfirmed == {"assignee"}
    assert with_readings(state, (value,)).unconfirmed == frozenset()


# --- what a page says beside a text


DATED = {
    "output_schema": {"ticket_number": "string", "due_date": "date | null"},
    "required_fields": ["due_date"],
    "required_artifacts": [],
}


def due(shown, *others, **element):
    return page(heading("TCK-1001"), el("term", "Due date", tag="dt"), due_cell(shown, **element), *others)


def due_cell(shown, **element):
    return el("definition", shown, tag="dd", header="Due date", **element)


def done_with(said, seen, **changes) -> Any:
    task = spec(**{**DATED, **changes})
    done = Done(values={"ticket_number": "TCK-1001", "due_date": said}, refs={"ticket_number": 1, "due_date": 3})
    return judge_done(view(seen, proven(), spec=task), done)[0]


def test_a_relative_date_counts_by_its_title_and_is_kept_as_shown():
    ending = done_with("3 days ago", due("3 days ago", title="2026-11-18T09:00:00Z"))
    value = by_name(ending.values)["due_date"]
    assert (ending.status, value.value, value.shown) == ("done", "2026-11-18", "3 days ago")
    assert isinstance(value.source, ValueSource)
    assert value.source.title == "2026-11-18T09:00:00Z"
    assert isinstance(done_with("3 days ago", due("3 days ago")), Rejection)


def test_the_page_or_the_task_settles_day_and_month_and_nothing_else_does():
    assert isinstance(done_with("03/10/2024", due("03/10/2024")), Rejection)
    settled = by_name(done_with("03/10/2024", due("03/10/2024", text("25/12/2024"))).values)["due_date"]
    assert isinstance(settled.source, ValueSource)
    assert (settled.value, settled.source.date_order) == ("2024-10-03", "dmy")
    fields = {"ticket_number": "string", "due_date": {"type": "date", "date_order": "mdy"}}
    assert by_name(done_with("03/10/2024", due("03/10/2024"), output_schema=fields).values)["due_date"].value == (
        "2024-03-10"
    )


def test_the_page_settles_the_language_of_a_month_and_it_is_kept_beside_the_value():
    assert isinstance(done_with("3 listopada 2024", due("3 listopada 2024")), Rejection)
    seen = due("3 listopada 2024", text("4. srpnja 2024."))
    settled = by_name(done_with("3 listopada 2024", seen).values)["due_date"]
    assert isinstance(settled.source, ValueSource)
    assert (settled.value, settled.source.date_order, settled.source.date_language) == ("2024-10-03", None, "hr")


@cases(
    ("shown", "beside", "day"),
    [("03/10/2024", "25/12/2024", "2024-10-03"), ("3 listopada 2024", "4. srpnja 2024.", "2024-10-03")],
)
def test_what_the_page_settled_still_counts_when_the_page_is_gone(shown, beside, day):
    seen = due(shown, text(beside))
    task = spec(**DATED)
    saves = SaveProgress(values={"due_date": shown}, refs={"due_date": 3})
    values, _, unconfirmed = values_to_save(view(seen, proven(), spec=task), saves)
    assert unconfirmed == frozenset()
    later = with_readings(proven(), values)
    done = Done(values={"ticket_number": "TCK-1001"})
    ending = expect(judge_done(view(page(heading("TCK-1001")), later, spec=task), done)[0], Ending)
    assert by_name(ending.values)["due_date"].value == day


def test_an_enum_is_written_as_the_task_spells_it():
    fields = {"ticket_number": "string", "due_date": {"type": "enum", "values": ["Open", "Closed"]}}
    assert by_name(done_with("open", due("open"), output_schema=fields).values)["due_date"].value == "Open"
    assert isinstance(done_with("odd", due("odd"), output_schema=fields), Rejection)


def test_the_items_of_a_list_may_stand_each_in_an_element_of_its_own():
    fields = {"ticket_number": "string", "approvers": "array"}
    seen = page(heading("TCK-1001"), text("Approved by"), text("ann"), text("bob"), text("carl asked for changes"))
    task = spec(output_schema=fields, required_fields=["approvers"], required_artifacts=[])

    def reported(*names) -> Any:
        values = {"ticket_number": "TCK-1001", "approvers": list(names)}
        done = Done(values=values, refs={"ticket_number": 1, "approvers": 3})
        return judge_done(view(seen, proven(), spec=task), done)[0]

    assert by_name(reported("ann", "bob").values)["approvers"].value == ["ann", "bob"]
    assert isinstance(reported("ann", "dora"), Rejection)


def test_what_was_worked_out_need_not_stand_on_the_page_where_the_task_says_so():
    derived = {"ticket_number": "string", "failed": {"type": "number", "derived": True}}
    task = spec(output_schema=derived, required_fields=["failed"], required_artifacts=[])
    done = Done(values={"ticket_number": "TCK-1001", "failed": 2}, refs={"ticket_number": 1})
    ending = expect(judge_done(view(page(heading("TCK-1001")), proven(), spec=task), done)[0], Ending)
    assert (ending.status, by_name(ending.values)["failed"].origin) == ("done", "derived")
    plain = spec(output_schema={**derived, "failed": "number"}, required_fields=["failed"], required_artifacts=[])
    assert isinstance(judge_done(view(page(heading("TCK-1001")), proven(), spec=plain), done)[0], Rejection)


@cases(
    ("names", "good"),
    [
        (["Ann Lee", "Bob Ray"], True), (["Bob Ray", "Ann Lee"], True), (["Ann Lee"], False),
        (["Ann Lee", "Ann Lee"], False), (["Ann Lee", "Bob"], False), (["Ann Lee", "Bob Ray", "Cid"], False),
    ],
)  # fmt: skip
def test_a_list_under_its_label_is_whole_or_it_is_contradicted(names, good):
    fields = {"ticket_number": "string", "approvers": "array"}
    seen = page(heading("TCK-1001"), *row("Approvers", "Ann Lee and Bob Ray"))
    task = spec(output_schema=fields, required_fields=["approvers"], required_artifacts=[])
    done = Done(values={"ticket_number": "TCK-1001", "approvers": names}, refs={"ticket_number": 1, "approvers": 3})
    judged = judge_done(view(seen, proven(), spec=task), done)[0]
    assert isinstance(judged, Ending) == good


def test_a_named_value_is_the_whole_text_and_no_word_of_a_sentence():
    fields = {"ticket_number": "string", "checks": {"type": "enum", "values": ["passed", "failed"]}}
    task = spec(output_schema=fields, required_fields=["checks"], required_artifacts=[])

    def reported(shown: str) -> Any:
        seen = page(heading("TCK-1001"), text(shown))
        done = Done(values={"ticket_number": "TCK-1001", "checks": "passed"}, refs={"ticket_number": 1, "checks": 2})
        return judge_done(view(seen, proven(), spec=task), done)[0]

    assert reported("Passed").status == "done"
    assert isinstance(reported("Checks have not passed yet"), Rejection)


def test_a_value_that_does_not_fit_its_pattern_goes_to_a_person():
    schema = {"ticket_number": "string", "assignee": {"type": "string | null", "pattern": "[A-Z][a-z]+ [A-Z][a-z]+"}}
    changes = {"output_schema": schema, "required_fields": ["ticket_number", "assignee"]}
    right = {"ticket_number": "TCK-1001", "assignee": "Ann Lee"}
    whole = view(page(*ticket()), proven(), spec=spec(**changes))
    ending, _ = judge_done(whole, Done(values=right))
    assert expect(ending, Ending).status == "done"
    narrow = {**schema, "assignee": {"type": "string | null", "pattern": "[A-Z][a-z]+"}}
    ending, values = judge_done(
        view(page(*ticket()), proven(), spec=spec(**{**changes, "output_schema": narrow})), Done(values=right)
    )
    assert "does not fit the pattern" in str(ending)
    assert by_name(values)["assignee"].value is None


def test_a_value_that_is_reported_anew_replaces_the_one_that_was_saved():
    saved = FieldValue(field="assignee", state="value", value="Bob", shown="Bob")
    _, values = judge(Done(values=VALUES), kept(proven(), (saved,), frozenset()))
    assert by_name(values)["assignee"].value == "Ann Lee"


def test_an_item_that_the_page_shows_twice_is_not_reported_once():
    task = spec(output_schema={"ticket_number": "string", "tags": "array"}, required_fields=["tags"])
    seen = page(heading("TCK-1001: Printer on fire"), *row("Tags", "red, red"))
    told, ending = twice(Done(values={"ticket_number": "TCK-1001", "tags": ["red"]}), seen, spec=task)
    assert "you reported 'red', but" in told
    assert isinstance(ending, Ending)
    assert (ending.status, ending.reason) == ("needs_review", "contradicted_values")


def test_the_end_of_a_longer_word_does_not_show_a_value():
    told, _ = twice(Done(values=VALUES), unlabelled(text("Joann Lee")))
    assert told == "assignee: 'Ann Lee' is not shown by the page"


@cases("route", [[], [{"headline": "assignee"}]])
def test_a_field_that_the_task_finds_in_a_heading_may_stand_in_the_header_of_the_site(route: list[dict[str, str]]):
    head = el("heading", "Bo Ray", tag="h1", level=1, area="banner")
    seen = page(head, el("heading", "TCK-1001", tag="h2", level=2, area="main"), *row("Due", "Mar 3, 2026"))
    claim = FieldValue(field="assignee", state="value", value="Bo Ray", shown="Bo Ray")
    task = spec(route=route)
    found = value_problems(claim, task.output_schema["assignee"], view(seen, proven(), spec=task), 1)
    assert ["belongs to the site" in one.text for one in found] == [True] * (not route)


def test_a_model_may_not_take_a_value_from_the_footer_of_the_page():
    own = (heading("TCK-1001"), *row("Due", "Mar 3, 2026"))
    seen = page(*own, el("text", "Run by Bo Ray", tag="p", area="contentinfo"))
    claim = FieldValue(field="assignee", state="value", value="Bo Ray", shown="Bo Ray")
    (problem, *_) = value_problems(claim, spec().output_schema["assignee"], view(seen, proven()), len(own) + 1)
    assert "belongs to the site" in problem.text

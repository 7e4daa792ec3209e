"""When a sample is done, and how it ends when it is not."""

from __future__ import annotations

import pytest
from planner_pages import artifact, done_result, el, page, picture, row, sample, shot, spec, ticket, view

from services.planner.gates import Bounce, judge_done, judge_fail, limit_reached, missing_artifacts, saved
from services.planner.sample_state import (
    MAX_BAD_REPLIES,
    MAX_FAILURES,
    Ending,
    Look,
    SampleState,
    acted,
    bounced,
    filename,
    looked,
    misunderstood,
    noted,
    read,
    shown_record,
    spent,
)
from shared.contracts.actions import ByText, Click, Extract, Goto, Scroll
from shared.contracts.planner import Done, Fail, FieldValue, SaveProgress, Usage

VALUES = {"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": "Mar 3, 2026"}


def proven(*results):
    """The right record is shown, and these were the results of screenshots taken of it."""
    state = shown_record(SampleState(), "proven")
    for result in results or (shot(),):
        state = acted(state, picture(), result, "")
    return state


def judge(done, state=None, seen=None, **changes):
    return judge_done(view(seen or page(*ticket()), state or proven(), **changes), done)


def by_name(values):
    return {value.field: value for value in values}


def test_a_sample_with_everything_is_done():
    ending, values = judge(Done(values=VALUES, refs={"assignee": 3, "due_date": 5}))
    assert (ending.status, ending.reason, ending.flagged, ending.notes) == ("done", "", False, ())
    found = by_name(values)
    assert found["due_date"].value == "2026-03-03"
    assert found["due_date"].shown == "Mar 3, 2026"
    assert found["due_date"].source.ref == 5
    assert found["assignee"].value == "Ann Lee"


def test_a_missing_field_is_sent_back_once_with_the_exact_words_and_then_reviewed():
    done = Done(values={"ticket_number": "TCK-1001", "assignee": None})
    bounce, _ = judge(done)
    assert bounce == Bounce("You called done but these required fields are missing: assignee, due_date")
    ending, values = judge(done, bounced(proven(), done, bounce.message))
    assert (ending.status, ending.reason) == ("needs_review", "missing_fields")
    assert ending.flagged
    assert by_name(values)["assignee"].state == "not_found"
    assert by_name(ending.values)["ticket_number"].value == "TCK-1001"


def test_none_is_missing_and_zero_false_and_the_empty_text_are_values():
    fields = {"count": "number", "open": "boolean", "note": "string", "other": "string"}
    values = {"count": 0, "open": False, "note": "", "other": None}
    task = {"spec": spec(output_schema=fields, required_fields=list(fields), identity={}, required_artifacts=[])}
    bounce, judged = judge(Done(values=values), **task)
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


# --- artifacts


@pytest.mark.parametrize(
    ("wanted", "results", "missing"),
    [
        (["screenshot"], (shot("anything"),), ()),
        (["screenshot:ticket"], (shot("ticket"),), ()),
        (["screenshot:ticket"], (shot("tickets"),), ("screenshot:ticket",)),
        (["screenshot:ticket"], (done_result(),), ("screenshot:ticket",)),
        (["download"], (shot("ticket"),), ("download",)),
        (["download:bill"], (done_result(artifact=artifact("bill", ".pdf", "download")),), ()),
    ],
)
def test_artifacts_are_required_by_kind_and_exact_label(wanted, results, missing):
    assert missing_artifacts(view(None, proven(*results), spec=spec(required_artifacts=wanted))) == missing


def test_a_missing_artifact_is_sent_back_then_reviewed():
    state = shown_record(SampleState(), "proven")
    bounce, _ = judge(Done(values=VALUES), state)
    assert bounce.message == "You called done but these artifacts are missing: screenshot:ticket"
    ending, _ = judge(Done(values=VALUES), bounced(state, Done(values={}), ""))
    assert (ending.status, ending.reason) == ("needs_review", "missing_artifacts")


def test_a_picture_taken_before_the_record_was_proven_does_not_count():
    state = shown_record(acted(SampleState(), picture(), shot(), ""), "proven")
    assert missing_artifacts(view(None, state)) == ("screenshot:ticket",)


# --- identity


@pytest.mark.parametrize("number", ["TCK-1002", "TCK-10011", "1001", ""])
def test_another_record_is_never_done(number):
    ending, _ = judge(Done(values={**VALUES, "ticket_number": number}))
    assert isinstance(ending, Ending)
    assert (ending.status, ending.reason, ending.fault) == ("failed", "identity_mismatch", "site")
    assert ending.values == ()


def test_identity_is_compared_without_case_and_ends():
    ending, _ = judge(Done(values={**VALUES, "ticket_number": " tck-1001 "}))
    assert ending.status == "done"


def test_a_decider_that_only_says_the_right_number_proves_nothing():
    ending, _ = judge(Done(values=VALUES), acted(SampleState(), picture(), shot(), ""))
    assert (ending.status, ending.reason) == ("failed", "identity_mismatch")


def test_every_identity_field_must_agree():
    both = {"ticket_number": "{ticket_number}", "assignee": "{owner}"}
    row_ = sample(fields={"ticket_number": "TCK-1001", "owner": "Bob"})
    ending, _ = judge(Done(values=VALUES), spec=spec(identity=both), sample=row_)
    assert ending.reason == "identity_mismatch"


# --- can the value be believed


def test_a_value_its_element_does_not_show_is_flagged_and_said():
    ending, _ = judge(Done(values={**VALUES, "assignee": "Bob"}, refs={"assignee": 3}))
    assert ending.status == "done"
    assert ending.flagged
    assert ending.notes == ("assignee: 'Bob' is not shown by element 3, which shows 'Ann Lee'",)


def test_a_value_without_a_ref_must_stand_on_the_page():
    assert judge(Done(values=VALUES))[0].flagged is False
    assert judge(Done(values={**VALUES, "assignee": "Bob"}))[0].notes == ("assignee: 'Bob' is not shown by the page",)


def test_a_value_in_another_form_is_flagged_and_the_shown_text_is_that_of_the_element():
    ending, values = judge(Done(values={**VALUES, "due_date": "2026-03-04"}, refs={"due_date": 5}))
    assert by_name(values)["due_date"].shown == "Mar 3, 2026"
    assert ending.flagged


def test_another_form_of_the_same_value_is_believed():
    ending, values = judge(Done(values={**VALUES, "due_date": "2026-03-03"}, refs={"due_date": 5}))
    assert (ending.flagged, by_name(values)["due_date"].shown) == (False, "Mar 3, 2026")


def test_a_ref_that_is_not_on_the_page_is_no_source():
    _, values = judge(Done(values=VALUES, refs={"assignee": 999}))
    assert by_name(values)["assignee"].source is None


def test_a_text_that_was_cut_off_is_flagged():
    long = "word ... (+900 characters: extract)"
    ending, _ = judge(Done(values={**VALUES, "assignee": long}), seen=page(*ticket(assignee=long)))
    assert ending.flagged


def test_what_was_saved_before_is_kept_with_its_source():
    at_first = view(page(*row("Assignee", "Ann Lee")), proven())
    values, notes = saved(at_first, SaveProgress(values={"assignee": "Ann Lee", "nonsense": "x", "due_date": None}))
    assert [value.field for value in values] == ["assignee"]
    assert notes == ()
    state = read(proven(), values)
    ending, judged = judge(
        Done(values={"ticket_number": "TCK-1001", "due_date": "Mar 3, 2026"}),
        state,
        page(*row("Due", "Mar 3, 2026"), el("text", "TCK-1001")),
    )
    assert ending.status == "done"
    assert by_name(judged)["assignee"].value == "Ann Lee"


# --- fail, and bounds


@pytest.mark.parametrize(
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
    ending = judge_fail(view(page()), Fail(code=code, note="because"))
    assert (ending.status, ending.reason, ending.fault, ending.message) == (status, reason, fault, "because")


def stepped(count, state=None, result=None):
    state = state or SampleState()
    for _ in range(count):
        state = acted(state, Goto(url="http://x/"), result or done_result(), "it went wrong")
    return state


def test_max_steps():
    task = {"spec": spec(max_steps=3)}
    assert limit_reached(view(None, stepped(2), **task), 0.0) is None
    ending = limit_reached(view(None, stepped(3), **task), 0.0)
    assert (ending.status, ending.reason, ending.fault) == ("failed", "max_steps_exceeded", "us")


def test_what_was_read_of_the_right_record_makes_a_partial_success():
    values = (FieldValue(field="due_date", state="value", value="Mar 3, 2026", shown="Mar 3, 2026"),)
    task = {"spec": spec(max_steps=3)}
    right = read(stepped(3, shown_record(SampleState(), "proven")), values)
    ending = limit_reached(view(None, right, **task), 0.0)
    assert ending.status == "partial_success"
    assert by_name(ending.values)["due_date"].value == "2026-03-03"
    assert by_name(ending.values)["assignee"].state == "not_found"
    of_whom = limit_reached(view(None, read(stepped(3), values), **task), 0.0)
    assert (of_whom.status, of_whom.values) == ("failed", ())


def test_max_time():
    assert limit_reached(view(None, spec=spec(max_time_s=10.0)), 9.9) is None
    assert limit_reached(view(None, spec=spec(max_time_s=10.0)), 10.0).reason == "time_exceeded"
    assert limit_reached(view(None, spec=spec(max_time_s=0.0)), 1e9) is None


def test_failures_in_a_row_end_the_sample_and_one_success_starts_anew():
    failed = done_result(ok=False, code="not_found")
    assert limit_reached(view(None, stepped(MAX_FAILURES - 1, result=failed)), 0.0) is None
    assert limit_reached(view(None, stepped(MAX_FAILURES, result=failed)), 0.0).reason == "too_many_failures"
    mended = stepped(MAX_FAILURES - 1, stepped(1, stepped(MAX_FAILURES - 1, result=failed)), failed)
    assert limit_reached(view(None, mended), 0.0) is None


def test_answers_that_cannot_be_used_end_the_sample():
    state = SampleState()
    for _ in range(MAX_BAD_REPLIES):
        assert limit_reached(view(None, state), 0.0) is None
        state = misunderstood(state, SaveProgress(values={}), "no tool call")
    ending = limit_reached(view(None, state), 0.0)
    assert (ending.reason, ending.fault) == ("bad_replies", "us")
    assert "no tool call" in ending.message


# --- the state


def test_artifacts_are_numbered_in_the_order_they_came():
    state = acted(acted(SampleState(), picture(), shot("The Ticket"), ""), picture("x"), shot("x", "png"), "")
    assert [filed.filename for filed in state.artifacts] == ["01_the_ticket.png", "02_x.png"]


@pytest.mark.parametrize(
    ("suffix", "name"), [("", "07_a"), (".PDF", "07_a.pdf"), ("/../x", "07_a.x"), (".tar.gz", "07_a.targz")]
)
def test_a_suffix_from_a_site_cannot_leave_the_folder(suffix, name):
    assert filename(7, artifact("a", suffix)) == name


def test_only_what_may_change_the_page_makes_looks_worthless():
    state = looked(SampleState(), Look(0.3, 24_000))
    for action in (picture(), Extract(target=ByText(text="x")), Scroll()):
        assert (acted(state, action, done_result(), "").looks, acted(state, action, done_result(), "").max_tokens) == (
            1,
            24_000,
        )
    assert acted(state, Click(target=ByText(text="x")), done_result(), "").looks == 0


def test_usage_adds_up_and_a_note_is_kept_once():
    one = Usage(llm_calls=1, input_tokens=10, output_tokens=2, cache_read_tokens=3, cache_write_tokens=4, cost_usd=0.5)
    twice = spent(spent(SampleState(), one), one).usage
    assert (twice.llm_calls, twice.input_tokens, twice.output_tokens) == (2, 20, 4)
    assert (twice.cache_read_tokens, twice.cache_write_tokens, twice.cost_usd) == (6, 8, 1.0)
    assert noted(noted(SampleState(), ("a", "a")), ("a", "b")).notes == ("a", "b")


def test_a_page_that_says_nothing_leaves_the_proof_and_another_record_takes_it_away():
    right = shown_record(SampleState(), "proven")
    assert shown_record(right, "unproven").proven
    assert not shown_record(right, "mismatch").proven

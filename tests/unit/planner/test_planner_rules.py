"""The rules driver: its next action on each kind of page."""

from __future__ import annotations

from services.planner.drivers.rules.decide_rules import decide
from services.planner.judge.gates import judge_done
from services.planner.judge.record_checks import consent_notes
from services.planner.state.attempt_state import Act, AttemptState, Ending, ObserveAgain
from services.planner.state.transitions import after_look, with_readings
from shared.contracts.actions import ByRef, ByText, Click, Done, Download, Fail, Goto, Screenshot, Scroll
from shared.contracts.results import Change, Navigated, TargetFound
from shared.contracts.steps import note_text
from shared.flows.waiting import ALL_LOOKS, PAUSES_S
from shared.login_walls import is_password
from shared.pages.identity.identity import read_page
from shared.pages.read.fields import field_values
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import (
    URL,
    acted,
    bounced,
    done_result,
    el,
    heading,
    page,
    picture,
    row,
    sample,
    shot,
    shown_record,
    spec,
    text,
    ticket,
    view,
)


def opened(seen=None, *, looks=0, result=None):
    """The start page has been opened; this page was seen; so many extra looks were taken at it."""
    state = acted(AttemptState(), Goto(url=URL), result or done_result(effect=Navigated(url=URL, http_status=200)), "")
    for _ in range(looks):
        state = after_look(state, ObserveAgain(0.3, 6000))
    return state


def patient(seen, **changes):
    """The decision once looking again has not helped."""
    return action(seen, looks=len(PAUSES_S), **changes)


def action(seen, *, looks=0, state=None, **changes):
    decision = decide(view(seen, state or opened(looks=looks), **changes))
    assert isinstance(decision, Act), decision
    return decision.action


def captured(seen_state=None):
    return acted(shown_record(seen_state or opened(looks=4), "proven"), picture(), shot(), "")


def test_it_starts_at_the_filled_start_url():
    assert expect(action(None, state=AttemptState()), Goto).url == URL
    task = spec(start_url="http://host/tickets/{ticket_number}")
    assert expect(action(None, state=AttemptState(), spec=task), Goto).url == "http://host/tickets/TCK-1001"


def test_a_row_without_the_column_it_needs_fails_before_anything_is_opened():
    failed = expect(action(None, state=AttemptState(), sample=sample(url=None, fields={})), Fail)
    assert (failed.code, "url" in failed.note) == ("missing_column", True)


def test_the_short_way_is_open_picture_done():
    seen = page(*ticket())
    assert action(seen) == Screenshot(label="ticket", reason="The task asks for a picture of the record.")
    done = expect(action(seen, state=captured(opened())), Done)
    assert done.values == {"ticket_number": "TCK-1001", "assignee": "Ann Lee", "due_date": "Mar 3, 2026"}
    assert (done.not_present, done.refs) == ({}, {"ticket_number": 1, "assignee": 3, "due_date": 5})


def test_an_absent_value_is_reported_with_the_words_of_the_page():
    done = expect(action(page(*ticket(assignee="Unassigned", due="-")), state=captured(opened())), Done)
    assert done.not_present == {"assignee": "Unassigned", "due_date": "-"}
    assert done.values == {"ticket_number": "TCK-1001"}


def test_a_picture_without_a_label_bears_the_name_of_the_task():
    task = spec(required_artifacts=["screenshot"])
    assert expect(action(page(*ticket()), spec=task), Screenshot).label == "tickets"


def test_a_download_goes_by_the_one_link_that_is_called_so():
    task = spec(required_artifacts=["download:invoice"])
    link = el("link", "Invoice (PDF)", tag="a")
    wanted = expect(action(page(*ticket(), link), spec=task), Download)
    assert isinstance(wanted.target, ByRef)
    assert (wanted.target.ref, wanted.label) == (6, "invoice")
    assert isinstance(action(page(*ticket(), link, link), spec=task), Done)


# --- what lies over the page


def banner(*names):
    return [el("button", name, tag="button", in_dialog=True) for name in names]


@cases(
    ("names", "pressed"),
    [
        (("Accept all", "Reject all"), "Reject all"),
        (("Accept", "Manage", "Only necessary"), "Only necessary"),
        (("Accept cookies", "Close"), "Close"),
        (("OK",), "OK"),
    ],
)
def test_a_banner_is_sent_away_in_the_least_committing_way(names, pressed):
    seen = page(*banner(*names), *ticket())
    click = expect(action(seen), Click)
    assert isinstance(click.target, ByRef)
    assert seen.elements[click.target.ref - 1].name == pressed
    assert click.target.snapshot_id == seen.snapshot_id


def test_what_agrees_to_something_is_pressed_only_where_the_task_names_it():
    seen = page(*banner("Accept all", "Settings"), text("We use cookies", in_dialog=True), *ticket())
    assert isinstance(action(seen), Screenshot)
    named = spec(may_press=["Accept all"])
    assert expect(action(seen, spec=named), Click).target == ByRef(ref=1, snapshot_id=seen.snapshot_id)
    (note,) = consent_notes(view(seen, spec=spec()))
    assert "'Accept all', 'Settings'" in note_text(note)
    assert consent_notes(view(seen, spec=named)) == ()
    assert consent_notes(view(page(*ticket()))) == ()


@cases("names", [("Close ticket",), ("Delete",), ("Accept invitation",), ("Manage",)])
def test_buttons_that_do_something_are_left_alone(names):
    assert isinstance(action(page(*banner(*names), *ticket())), Screenshot)


def test_buttons_outside_of_dialogs_are_left_alone():
    assert isinstance(action(page(el("button", "Close"), *ticket())), Screenshot)


def test_a_record_shown_in_a_dialog_is_not_closed():
    term, value = row("Assignee", "Ann Lee")
    inside = el("definition", value.name, tag="dd", header="Assignee", in_dialog=True)
    seen = page(*banner("Close"), heading("TCK-1001"), term, inside, *row("Due", "2026-03-03"))
    assert isinstance(action(seen), Screenshot)


def test_a_banner_that_stays_is_not_fought_for_ever():
    state = opened()
    for _ in range(3):
        state = acted(state, Click(target=expect(action(page(*banner("Close"))), Click).target), done_result(), "")
    assert isinstance(action(page(*banner("Close"), *ticket()), state=state), Screenshot)


# --- not there yet


def test_a_page_that_is_still_rendering_is_looked_at_again_a_bounded_number_of_times():
    skeleton = page(heading("Tickets"), text("Loading…"), idle=False)
    pauses = []
    state = opened()
    while isinstance(decision := decide(view(skeleton, state)), ObserveAgain):
        pauses.append(decision.after_s)
        state = after_look(state, decision)
    assert tuple(pauses) == PAUSES_S[:ALL_LOOKS]


def test_what_does_not_fit_the_budget_is_asked_for():
    look = expect(decide(view(page(heading("TCK-1001"), left_out=40), opened())), ObserveAgain)
    assert (look.after_s, look.max_tokens) == (0.0, 24_000)


def test_the_page_below_is_scrolled_to_a_bounded_number_of_times():
    seen = page(heading("TCK-1001"), scroll_max_y_px=9000.0)
    state, scrolls = opened(looks=4), 0
    while isinstance(expect(decide(view(seen, state)), Act).action, Scroll):
        state, scrolls = acted(state, expect(decide(view(seen, state)), Act).action, done_result(), ""), scrolls + 1
    assert scrolls == 3


def test_an_empty_value_is_looked_at_twice():
    seen = page(*ticket(assignee=""))
    assert expect(decide(view(seen, opened())), ObserveAgain).after_s == PAUSES_S[0]
    assert isinstance(action(seen, looks=1), Screenshot)


def test_a_page_that_never_settles_is_read_all_the_same():
    assert isinstance(action(page(*ticket(), settled=False)), Screenshot)


def test_what_is_missing_in_the_end_is_left_out_of_done():
    done = expect(action(page(heading("TCK-1001"), *row("Assignee", "Ann")), state=captured()), Done)
    assert "due_date" not in done.values | done.not_present


# --- no such record


@cases("status", [404, 410])
def test_a_record_that_does_not_exist_fails_with_a_picture_of_the_page(status):
    seen = page(heading("Oops"), http_status=status)
    assert expect(action(seen), Screenshot).label == "not_found"
    failed = expect(action(seen, state=acted(opened(), picture("not_found"), shot("not_found"), "")), Fail)
    assert (failed.code, str(status) in failed.note) == ("not_found", True)


def test_a_navigation_that_was_answered_with_404_counts_even_as_a_failed_action():
    result = done_result(ok=False, code="http_error")
    seen = page(heading("Oops"), http_status=404)
    assert expect(action(seen, state=opened(result=result)), Screenshot).label == "not_found"


@cases(
    "elements",
    [
        (heading("Page not found"),),
        (heading("TCK-1001 not found"),),
        (el("alert", "Ticket TCK-1001 does not exist.", tag="div"),),
        (text("No such issue"),),
        (heading("404"),),
        (heading("Not found"), el("combobox", "Assignee", tag="select", value="anyone")),
    ],
)
def test_a_page_that_says_so_in_words_counts_as_not_found(elements):
    failed = expect(
        patient(page(*elements), state=acted(opened(looks=4), picture("not_found"), shot("not_found"), "")), Fail
    )
    assert failed.code == "not_found"


IN_PLACE = Change(url_before=URL, url_after=URL)


def pressed(name: str, act: Act | None = None, change: Change = IN_PLACE):
    """The state after a press of a button, and after as many further looks as are taken."""
    found = TargetFound(role="button", name=name, tag="button", fingerprint="f")
    state = acted(opened(), act or Click(target=ByText(text=name)), done_result(target=found, change=change), "")
    for _ in PAUSES_S:
        state = after_look(state, ObserveAgain(0.3, 6000))
    return state


@cases("names", [("Accept all", "Reject all"), ("OK",), ("Accept cookies", "Close")])
def test_they_count_once_a_banner_was_sent_away(names):
    covered = decide(view(page(*banner(*names), heading("Page not found")), opened()))
    state = pressed(names[-1], expect(covered, Act))
    assert expect(action(page(heading("Page not found")), state=state), Screenshot).label == "not_found"


@cases("names", [("Accept all", "Reject all"), ("Accept cookies", "Close")])
@cases(
    "change",
    [
        Change(url_before=URL, url_after=URL, http_status=200),
        Change(url_before=URL, url_after=f"{URL}/welcome"),
    ],
)
def test_they_do_not_count_on_another_page_to_which_a_banner_has_led(names, change):
    covered = decide(view(page(*banner(*names), heading("Page not found")), opened()))
    state = pressed(names[-1], expect(covered, Act), change)
    assert isinstance(action(page(heading("Page not found")), state=state), Done)


def test_after_a_press_on_the_page_they_tell_of_what_it_led_to():
    shown = page(heading("Page not found"))
    assert expect(action(shown, state=opened(looks=4)), Screenshot).label == "not_found"
    assert isinstance(action(shown, state=pressed("Show related")), Done)


def test_such_words_are_not_believed_at_first_sight():
    assert isinstance(decide(view(page(heading("Page not found")), opened())), ObserveAgain)


def test_a_start_page_that_was_not_asked_for_the_record_says_nothing_of_it():
    home = "http://127.0.0.1:8000/tickets"
    task = spec(start_url=home, not_found_texts=["No tickets"])
    state = acted(AttemptState(), Goto(url=home), done_result(effect=Navigated(url=home, http_status=200)), "")
    for _ in PAUSES_S:
        state = after_look(state, ObserveAgain(0.3, 6000))
    assert isinstance(action(page(heading("No tickets yet"), url=home), state=state, spec=task), Done)


def test_a_page_that_awaits_an_answer_of_its_own_says_nothing_yet():
    seen = page(heading("TCK-1001 not found"), idle=False, awaited=("GET /api/tickets/TCK-1001",))
    assert expect(patient(seen), Screenshot).label == "still_loading"


@cases(
    "elements",
    [
        ticket(assignee="No such person"),
        (heading("TCK-1001: Page not found after login"), *row("Assignee", "Ann"), *row("Due", "-")),
        (*ticket(), text("Attachment not found")),
    ],
)
def test_a_record_that_speaks_of_not_found_is_a_record(elements):
    assert isinstance(patient(page(*elements)), Screenshot)


def test_the_words_of_the_site_replace_the_general_ones():
    task = spec(not_found_texts=["Nix da"])
    assert expect(patient(page(heading("Leider nix da")), spec=task), Screenshot).label == "not_found"
    other = expect(
        decide(view(page(heading("Not found")), acted(opened(looks=4), picture(), shot(), ""), spec=task)), Act
    )
    assert isinstance(other.action, Done)


# --- other pages than the record


@cases("status", [401, 403])
def test_a_refusal_asks_for_a_login(status):
    seen = page(http_status=status)
    assert expect(action(seen), Screenshot).label == "login_required"
    assert (
        expect(action(seen, state=acted(opened(), picture("login_required"), shot(), "")), Fail).code == "auth_required"
    )


def password():
    return el("textbox", "Password", tag="input", value="(hidden)")


def test_a_login_page_is_a_status_of_its_own():
    seen = page(heading("Sign in"), el("textbox", "User", tag="input", value=""), password())
    state = acted(opened(looks=2), picture("login_required"), shot(), "")
    assert expect(action(seen, state=state), Fail).code == "auth_required"


@cases("secret", [True, False])
def test_a_password_field_is_known_by_its_flag_not_by_its_text(secret):
    assert is_password(el("textbox", "PIN", tag="input", value="(hidden)", secret=secret)) is secret


def test_a_login_box_beside_the_record_does_not_matter():
    assert isinstance(action(page(password(), *ticket())), Screenshot)


def test_a_server_error_is_tried_once_more():
    seen = page(heading("Sorry"), http_status=503)
    assert isinstance(action(seen), Goto)
    twice = acted(opened(), Goto(url=URL), done_result(), "")
    assert expect(action(seen, state=twice), Screenshot).label == "http_error"
    failed = expect(action(seen, state=acted(twice, picture("http_error"), shot(), "")), Fail)
    assert (failed.code, "503" in failed.note) == ("http_error", True)


@cases(
    ("code", "ends"), [("unreachable", "unreachable"), ("timeout", "unreachable"), ("policy_denied", "policy_denied")]
)
def test_a_page_that_cannot_be_opened(code, ends):
    result = done_result(ok=False, code=code, change=Change(url_before="", url_after=""))
    state = acted(AttemptState(), Goto(url=URL), result, "connection refused")
    failed = expect(action(None, state=state), Fail)
    assert (failed.code, "connection refused" in failed.note) == (ends, True)


def test_another_record_is_never_captured_as_this_one():
    seen = page(*ticket("TCK-1002"))
    assert expect(patient(seen), Screenshot).label == "identity_mismatch"
    failed = expect(action(seen, state=acted(opened(looks=4), picture("identity_mismatch"), shot(), "")), Fail)
    assert (failed.code, "TCK-1002" in failed.note) == ("identity_mismatch", True)


def test_what_another_record_shows_is_not_remembered():
    assert expect(decide(view(page(*ticket("TCK-1002")), opened())), ObserveAgain).seen == ()
    seen = {value.field for value in expect(decide(view(page(*ticket()), opened())), Act).seen}
    assert seen == {"ticket_number", "assignee", "due_date"}


def test_two_values_for_one_field_go_to_a_person_with_all_else_that_was_read():
    seen = page(*ticket(), *row("Assignee", "Bob"))
    assert isinstance(decide(view(seen, opened())), ObserveAgain)
    assert expect(patient(seen), Screenshot).label == "ticket"
    state = captured()
    last = expect(decide(view(seen, state)), Act)
    judged = view(seen, with_readings(bounced(state, last.action, "?"), last.seen))
    ending = expect(judge_done(judged, expect(last.action, Done), by_model=False)[0], Ending)
    assert (ending.status, ending.reason) == ("needs_review", "ambiguous_value")
    assert "'Ann Lee', 'Bob'" in ending.message
    found = {value.field: value for value in ending.values}
    assert (found["ticket_number"].value, found["due_date"].value) == ("TCK-1001", "2026-03-03")
    assert [one.shown for one in found["assignee"].candidates] == ["Ann Lee", "Bob"]


def test_a_field_that_the_page_leaves_open_later_is_known_no_more():
    first, later = page(*ticket()), page(*ticket(), *row("Assignee", "Bob"))
    state = with_readings(captured(), expect(decide(view(first, captured())), Act).seen)
    assert "assignee" in state.seen
    state = with_readings(state, field_values(spec(), read_page(spec(), sample(), later).readings, later))
    assert ("assignee" in state.seen, "assignee" in state.doubts) == (False, True)
    state = with_readings(state, field_values(spec(), read_page(spec(), sample(), first).readings, first))
    assert ("assignee" in state.seen, "assignee" in state.doubts) == (True, False)


def test_without_proof_nothing_is_captured():
    seen = page(heading("Ticket"), *row("Assignee", "Ann"), *row("Due", "2026-03-03"))
    assert isinstance(patient(seen), Done)


def test_a_question_of_the_browser_that_nobody_foresaw_is_named():
    asking = page(dialog="confirm: Leave this page?")
    state = acted(opened(), picture("off_route"), shot("off_route"), "")
    failed = expect(action(asking, state=state), Fail)
    assert (failed.code, "Leave this page?" in failed.note) == ("off_route", True)

"""Another record: a page that names another id of the asked kind as its own is never this record's, nor "not found"."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.planner.drivers.rules.decide_rules import decide
from services.planner.judge.gates import judge_done
from services.planner.state.attempt_state import Act, AttemptState, Ending, ObserveAgain
from services.planner.state.transitions import after_look
from shared.contracts.actions import Done, Fail, Goto
from shared.contracts.results import Navigated
from shared.contracts.steps import RouteMark
from shared.flows.waiting import PAUSES_S
from shared.pages.identity.identity import identity_proof, read_page
from shared.pages.identity.other_records import id_kind
from shared.pages.read.fields import FieldFound
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import (
    acted,
    cell,
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
    view,
)

HOST = "http://127.0.0.1:8000"
SHA, OTHER_SHA = "3f2a9c1d7be04411a0c2", "9be1c2d4403f2a9c1d7b"


def task(field, start_url="{url}", **changes):
    """A record known by this field, with a note beside it."""
    return spec(
        output_schema={field: "string", "note": "string | null"},
        required_fields=[field],
        required_artifacts=[],
        identity={field: f"{{{field}}}"},
        start_url=start_url,
        **changes,
    )


def asked(field, value, start_url="{url}", **changes):
    at = start_url.replace(f"{{{field}}}", value) if start_url != "{url}" else f"{HOST}/x"
    return {
        "spec": task(field, start_url, **changes),
        "sample": sample(key=value, url=at, fields={field: value, "url": at}),
    }


TICKET = asked("ticket_number", "TCK-1001")
ISSUE = asked("issue", "1001", HOST + "/issue{issue}")
ORDER = asked("order_no", "1001", HOST + "/orders/{order_no}")
COMMIT = asked("commit", SHA, HOST + "/commits/{commit}")
NOTE = row("Note", "hello")

OTHERS = {
    "heading": (TICKET, page(heading("TCK-1002: Printer"), *NOTE, url=HOST + "/x")),
    "number behind the word for it": (ISSUE, page(heading("Issue 1002: Printer"), *NOTE, url=HOST + "/x")),
    "number glued to the word": (ISSUE, page(heading("issue1002"), *NOTE, url=HOST + "/x")),
    "shorter number": (ORDER, page(heading("Order #7"), *NOTE, url=HOST + "/x")),
    "title alone": (TICKET, page(heading("Printer"), *NOTE, title="TCK-1002 - Tracker", url=HOST + "/x")),
    "address alone": (ORDER, page(heading("Printer"), *NOTE, url=HOST + "/orders/1002")),
    "address with a name behind": (ORDER, page(heading("Printer"), *NOTE, url=HOST + "/orders/1002-printer")),
    "address of an id": (TICKET, page(heading("Printer"), *NOTE, url=HOST + "/browse/TCK-1002")),
    "link to itself": (
        TICKET,
        page(heading("Printer"), el("link", "TCK-1002", tag="a", url=HOST + "/t/9"), *NOTE, url=HOST + "/t/9"),
    ),
    "hash": (COMMIT, page(heading(f"Commit {OTHER_SHA}"), *NOTE, url=HOST + "/x")),
    "short hash": (COMMIT, page(heading(f"Commit {OTHER_SHA[:8]}"), *NOTE, url=HOST + "/x")),
    "heading that mentions ours behind": (TICKET, page(heading("TCK-7 (follows TCK-1001)"), url=HOST + "/x")),
    "number that mentions ours behind": (ORDER, page(heading("Order 7, replaces 1001"), *NOTE, url=HOST + "/x")),
    "ours under its label in another panel": (
        TICKET,
        page(heading("TCK-1002: Printer"), *NOTE, heading("Duplicate", 2), *row("Ticket number", "TCK-1001")),
    ),
}


@cases(("asked_for", "seen"), OTHERS.values())
def test_another_id_of_the_asked_kind_is_another_record(asked_for, seen):
    assert read_page(**asked_for, page=seen).proof.state == "mismatch"
    assert identity_proof(**asked_for, page=seen).state == "mismatch"


OWN = {
    "related record in a lower heading": (
        TICKET,
        page(heading("TCK-1001: Printer"), *NOTE, heading("Blocks TCK-7", 2), url=HOST + "/x"),
    ),
    "label, and a related id in the middle of the heading": (
        TICKET,
        page(heading("Follow-up of TCK-900"), *row("Ticket number", "TCK-1001"), url=HOST + "/x"),
    ),
    "short hash of ours": (COMMIT, page(heading(f"Commit {SHA[:8]}"), *row("Commit", SHA), url=HOST + "/x")),
    "lone id at its own address, related one below": (
        TICKET,
        page(heading("Printer"), text("TCK-1001"), heading("Related: TCK-7", 2), url=HOST + "/t/TCK-1001"),
    ),
    "label, at an address with a number of its own": (
        ORDER,
        page(heading("Printer"), *row("Order no", "1001"), url=HOST + "/orders/88213"),
    ),
    "year in the heading": (ORDER, page(heading("Sales of 2026"), *row("Order no", "1001"), url=HOST + "/x")),
}


@cases(("asked_for", "seen"), OWN.values())
def test_a_related_id_does_not_make_it_another_record(asked_for, seen):
    assert read_page(**asked_for, page=seen).proof.state == "proven"


UNSURE = {
    "a list of records": (TICKET, page(heading("TCK-7", 3), heading("TCK-8", 3), url=HOST + "/list")),
    "a page of something else": (ISSUE, page(heading("Fix the printer #7"), *NOTE, url=HOST + "/pull/7")),
    "a part of the record": (ORDER, page(heading("Item 3"), url=HOST + "/orders/1001/items/3")),
    "words that are no id": (asked("name", "Ann Lee"), page(heading("Bob Ray"), *NOTE, url=HOST + "/x")),
    "many of them": (ISSUE, page(heading("Issues 2026"), url=HOST + "/x")),
}


@cases(("asked_for", "seen"), UNSURE.values())
def test_what_names_no_record_is_no_other_record(asked_for, seen):
    assert identity_proof(**asked_for, page=seen).state == "unproven"


def opened():
    state = acted(AttemptState(), Goto(url=HOST), done_result(effect=Navigated(url=HOST, http_status=200)), "")
    for _ in PAUSES_S:
        state = after_look(state, ObserveAgain(0.3, 6000))
    return acted(state, picture("identity_mismatch"), shot("identity_mismatch"), "")


@cases(
    "seen",
    [
        page(heading("TCK-1002: Printer"), *NOTE, text("Attachment not found"), url=HOST + "/x"),
        page(heading("Not found"), title="TCK-1002 - Tracker", http_status=404, url=HOST + "/x"),
        page(heading("Ticket not found"), url=HOST + "/browse/TCK-1002"),
    ],
)
@cases("words", [[], ["not found"]])
def test_a_row_that_leads_to_another_record_is_never_not_found(seen, words):
    asked_for = asked("ticket_number", "TCK-1001", not_found_texts=words)
    state = acted(AttemptState(), Goto(url=HOST), done_result(), "") if seen.http_status == 404 else opened()
    state = acted(state, picture("identity_mismatch"), shot("identity_mismatch"), "")
    decision = expect(decide(view(seen, state, **asked_for)), Act)
    assert expect(decision.action, Fail).code == "identity_mismatch"
    assert decision.seen == ()


@cases(("value", "there"), [("1001", True), ("TCK-1", True), (SHA, True), ("Ann Lee", False)])
def test_only_ids_have_a_kind(value, there):
    assert (id_kind("order", value, task("order")) is not None) is there


@cases(
    ("words", "pending"),
    [
        ("Wird geladen …", True), ("Chargement...", True), ("読み込み中...", True), ("Processing", False),
        ("Elaborazione", False),
    ],
)  # fmt: skip
def test_a_word_for_loading_with_dots_is_no_value_in_any_language(words, pending):
    read = read_page(**TICKET, page=page(heading("TCK-1001"), *row("Note", words)))
    assert isinstance(read.readings["note"], FieldFound) is not pending


# --- an empty form


def control(name, value="", **rest):
    return el("textbox", name, tag="input", value=value, **rest)


@cases("value", ["", "hello"])
def test_an_empty_form_is_no_record_and_proves_no_absence(value):
    read = read_page(**TICKET, page=page(heading("Edit TCK-1001"), control("Note", value)))
    assert (read.proof.state == "proven", isinstance(read.readings["note"], FieldFound)) == (bool(value), bool(value))


def test_an_empty_field_beside_the_id_in_its_own_field_is_an_empty_value():
    seen = page(heading("Edit"), control("Ticket number", "TCK-1001"), control("Note"))
    read = read_page(**TICKET, page=seen)
    assert read.proof.state == "proven"
    assert expect(read.readings["note"], FieldFound).candidate.shown == ""


def test_the_words_of_the_site_count_at_each_page_of_a_route():
    ways = [{"search": {"into": "Name", "text": "x", "pick": {"Name": "x"}}}, {"read": ["note"]}]
    nothing = page(heading("Search"), text("Nobody of that name"))
    for route, words, code in ((ways, ["Nobody of"], "not_found"), (ways[1:], ["Nobody of"], "not_found")):
        asked_for = asked("ticket_number", "TCK-1001", not_found_texts=words, route=route)
        state = acted(opened(), Act(Goto(url=HOST), "rules", route=RouteMark(step=1)), done_result(), "")
        for _ in PAUSES_S:
            state = after_look(state, ObserveAgain(0.3, 6000))
        state = acted(state, picture("not_found"), shot("not_found"), "")
        assert expect(expect(decide(view(nothing, state, **asked_for)), Act).action, Fail).code == code


def test_beside_a_row_of_a_list_nothing_is_read_where_a_lower_heading_only_mentions_the_record():
    listed = (heading("x"), cell("Ticket number", "TCK-1001", 2), cell("Age", "7", 2))
    for name, reads in (("Blocked by TCK-1001", False), ("TCK-1001: x", True)):
        seen = page(*listed, heading(name, 2), *row("Note", "of another"), url=f"{HOST}/t/1")
        read = read_page(**TICKET, page=seen)
        assert read.proof.state == "proven"
        assert isinstance(read.readings["note"], FieldFound) is reads


# --- random pages

numbers = st.integers(1, 99_999)


@st.composite
def twins(draw):
    """A page of one record with panels of others: its own number in heading, label, both or neither."""
    own, other = draw(st.lists(numbers, min_size=2, max_size=2, unique=True))
    own_id, other_id = f"TCK-{own}", f"TCK-{other}"
    parts = []
    head = draw(st.sampled_from(["id first", "id last", "none"]))
    parts.append(heading({"id first": f"{own_id}: x", "id last": f"x ({own_id})", "none": "x"}[head]))
    if draw(st.booleans()):
        parts += row("Ticket number", own_id)
    parts += row("Note", "own")
    panels = {
        "label": lambda: [heading("Related", 2), *row("Duplicate of", other_id)],
        "heading": lambda: [heading(f"Blocked by {other_id}", 2)],
        "link": lambda: [el("link", other_id, tag="a", url=f"{HOST}/t/{other}")],
        "row": lambda: [cell("Ticket number", other_id, 1), cell("Note", "other", 1)],
        "row without a note": lambda: [cell("Ticket number", other_id, 2), cell("Age", "7", 2)],
        "filter": lambda: [el("combobox", "Ticket number", tag="select", value=other_id, area="search")],
        "text": lambda: [text(f"See {other_id}")],
    }
    for name in draw(st.lists(st.sampled_from(sorted(panels)), max_size=4)):
        between = draw(
            st.sampled_from([at for at, one in enumerate(parts) if at and one.header is None] + [len(parts)])
        )
        parts[between:between] = panels[name]()
    at = draw(st.sampled_from([f"{HOST}/t/{own_id}", f"{HOST}/t/1"]))
    return other_id, page(*parts, url=at)


@given(twins())
def test_a_page_of_another_record_is_never_done_with_its_values(made):
    other_id, seen = made
    asked_for = asked("ticket_number", other_id)
    proof = read_page(**asked_for, page=seen).proof
    if proof.state == "proven":  # a row of a list is the record that it shows, and only what is in that row is its own
        reading = read_page(**asked_for, page=seen).readings["note"]
        assert not isinstance(reading, FieldFound) or reading.candidate.shown == "other", (seen.text, seen.url)
        return
    seen_by = view(seen, shown_record(opened(), proof.state), **asked_for)
    decision = expect(decide(seen_by), Act)
    if isinstance(decision.action, Done):
        ruling, _ = judge_done(seen_by, decision.action, by_model=False)
        assert not isinstance(ruling, Ending) or ruling.status != "done"
    assert decision.seen == ()

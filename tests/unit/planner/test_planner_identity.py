"""Identity: mentions of our record on another record's page prove nothing."""

from typing import Any

import pytest

from shared.pages.identity.identity import identity_proof, read_page, shows_record
from shared.pages.lists.lists import last_segment
from shared.pages.read.fields import FieldFound, FieldMissing
from shared.task.row_values import expected_identity, start_url
from shared.text.record_words import find_mention, is_equal_text, is_same_id
from tests.cases import cases
from tests.typed import expect
from tests.unit.planner.planner_pages import cell, heading, page, row, sample, spec, text

NUMBERS = {
    "spec": spec(
        output_schema={"order": "string", "note": "string"}, required_fields=["order"], identity={"order": "{order}"}
    ),
    "sample": sample(key="1001", fields={"order": "1001"}),
}
PEOPLE = {
    "spec": spec(
        output_schema={"name": "string", "team": "string"}, required_fields=["name"], identity={"name": "{name}"}
    ),
    "sample": sample(key="Ann Lee", fields={"name": "Ann Lee"}),
}
TICKETS = {"spec": spec(), "sample": sample()}
ISSUES = {
    "spec": spec(
        output_schema={"issue": "string", "team": "string"}, required_fields=["issue"], identity={"issue": "{issue}"}
    ),
    "sample": sample(key="Issue2", fields={"issue": "Issue2"}),
}

OTHERS = {
    "under another label": (TICKETS, page(heading("Printer on fire"), *row("Duplicate of", "TCK-1001"))),
    "somebody's manager": (PEOPLE, page(heading("Bob Ray"), *row("Manager", "Ann Lee"), *row("Team", "Sales"))),
    "another number in the heading": (NUMBERS, page(heading("Order 1002"), text("Replaces order 1001"))),
    "another number in the title": (NUMBERS, page(text("Replaces order 1001"), title="Order 1002 - Shop")),
    "another id in the title": (TICKETS, page(text("See TCK-1001"), title="TCK-1002 - Tracker")),
    "another id with a blank in the heading": (ISSUES, page(heading("Issue 3"), heading("Issue 2", 2))),
    "an id that begins like it": (ISSUES, page(heading("Issue 21"), *row("Team", "Sales"))),
    "an id with one more blank": (ISSUES, page(heading("Issue 2 1"), *row("Team", "Sales"))),
    "another word before the number": (ISSUES, page(heading("Subissue 2"), *row("Team", "Sales"))),
    "a row of a table": (TICKETS, page(cell("Number", "TCK-1001", 1), cell("Number", "TCK-1002", 2))),
}


@cases(("asked", "seen"), OTHERS.values())
def test_a_page_of_another_record_that_names_ours_proves_nothing(asked, seen):
    assert identity_proof(**asked, page=seen).state != "proven"
    assert read_page(**asked, page=seen).proof.state != "proven"


OWN = {
    "an id with a blank in it": (ISSUES, page(heading("Issue 2"), *row("Team", "Sales"))),
    "a number in the text": (NUMBERS, page(heading("Your order"), text("Order 1001 was sent on 2026-03-03"))),
    "a year in the heading beside it": (NUMBERS, page(heading("Order 1001 of 2026"), text("1001"))),
    "an id in the text, and in the title": (TICKETS, page(text("Ticket TCK-1001 is open"), title="TCK-1001 (TCK-1)")),
    "a lone name": (PEOPLE, page(heading("Profile"), text("Ann Lee"), *row("Team", "Sales"))),
}


@cases(("asked", "seen"), OWN.values())
def test_a_page_of_the_record_itself_proves_it(asked, seen):
    assert identity_proof(**asked, page=seen).state == "proven"


def test_a_page_is_read_once_for_a_sample_and_anew_for_another_one():
    seen = page(heading("Order 1001"), *row("Order", "1001"))
    other = {**NUMBERS, "sample": sample(key="1002", fields={"order": "1002"})}
    assert read_page(**NUMBERS, page=seen) is read_page(**NUMBERS, page=seen)
    assert read_page(**NUMBERS, page=seen).proof.state == "proven"
    assert read_page(**other, page=seen).proof.state == "mismatch"


def test_an_equal_page_that_was_looked_at_later_is_another_page():
    first, later = page(heading("Order 1001")), page(heading("Order 1001"))
    assert first == later
    assert read_page(**NUMBERS, page=first) is not read_page(**NUMBERS, page=later)


@cases(
    ("listed", "path"),
    [("#3", "3"), ("@ann", "ann"), ("C#", "C%23"), ("a/b", "a%2Fb"), ("50%", "50%25"), ("ü", "%C3%BC")],
)
def test_an_id_is_opened_as_it_was_listed(listed: str, path: str):
    task = spec(start_url="http://127.0.0.1/i/{ticket_number}")
    asked = sample(fields={"ticket_number": listed})
    assert start_url(task, asked) == f"http://127.0.0.1/i/{path}"
    assert is_equal_text(expected_identity(task, asked)["ticket_number"], listed)
    assert last_segment(start_url(task, asked)) == listed.lstrip("#@")


def test_a_row_of_a_table_of_fields_and_values_is_no_row_of_a_list():
    seen = page(
        heading("Person"),
        *(cell("Column", "name", 1, 0), cell("Value", "Ann Lee", 1, 1)),
        *(cell("Column", "team", 2, 0), cell("Value", "Sales", 2, 1)),
        url="http://127.0.0.1/person/details/2",
    )
    read = read_page(**PEOPLE, page=seen)
    assert read.proof.state == "proven"
    found = [one for one in read.readings.values() if isinstance(one, FieldFound)]
    assert [one.candidate.shown for one in found] == ["Ann Lee", "Sales"]


@cases(
    ("one", "other", "equal"),
    [
        ("Issue2", "issue 2", True), ("Issue2", "Issue\u00a02", True), ("#3", "3", True),
        ("Issue2", "Issue 02", False), ("Issue21", "Issue 2 1", False), ("Issue2", "Issue 3", False),
        ("A1", "A 1", False), ("Issue-2", "Issue 2", False), ("Issue2b", "Issue 2b", False), ("v1.2", "v 1.2", False),
    ],
)  # fmt: skip
def test_a_blank_between_a_word_and_its_number_makes_no_other_text(one: str, other: str, equal: bool):
    assert is_equal_text(one, other) is is_equal_text(other, one) is equal


def test_a_number_of_as_many_digits_in_the_heading_casts_doubt_on_a_mention():
    seen = page(heading("Invoice 2002"), text("1001"))
    assert read_page(**NUMBERS, page=seen).proof.state == "unproven"
    assert read_page(**NUMBERS, page=page(heading("Invoice 22"), text("1001"))).proof.state == "proven"


def test_where_a_row_of_a_list_alone_shows_the_record_what_stands_elsewhere_is_not_its():
    rows = [
        one
        for number, (ticket, status) in enumerate((("TCK-1001", "open"), ("TCK-1002", "closed")), 1)
        for one in (cell("Ticket number", ticket, number, 0), cell("Status", status, number, 1))
    ]
    seen = page(*rows, *row("Assignee", "Bob"), url="http://127.0.0.1:8000/tickets")
    read = read_page(**TICKETS, page=seen)
    assert read.proof.state == "proven"
    assert isinstance(read.readings["assignee"], FieldMissing)


def test_one_identity_field_of_another_record_is_a_mismatch_whatever_the_others_prove():
    both = spec(identity={"ticket_number": "{ticket_number}", "assignee": "{owner}"})
    who = sample(fields={"ticket_number": "TCK-1001", "owner": "Ann Lee"})
    assert read_page(both, who, page(*row("Assignee", "Bob"))).proof.state == "mismatch"


@pytest.mark.parametrize(
    "related",
    [
        (heading("TCK-1002: Cable", 2), *row("Assignee", "Bob")),
        (cell("Ticket", "TCK-1002", 1, 0), cell("Assignee", "Bob", 1, 1)),
    ],
    ids=["under its heading", "in a row of a list"],
)
def test_a_value_of_a_related_record_is_not_this_records(related):
    read = read_page(**TICKETS, page=page(heading("TCK-1001: Printer on fire"), *related))
    assert read.proof.state == "proven"
    assert isinstance(read.readings["assignee"], FieldMissing)


def test_a_page_that_says_not_found_shows_no_record_by_repeating_its_id():
    gone = (heading("TCK-1001"), text("Ticket not found"))
    assert not shows_record(**TICKETS, page=page(*gone))
    assert shows_record(**TICKETS, page=page(*gone, *row("Assignee", "Ann Lee")))


COMMIT = "3f2a9c1d7be04411a0c2"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (COMMIT[:7], COMMIT, True),
        (COMMIT[:6], COMMIT, False),
        (COMMIT[1:9], COMMIT, False),
        ("1234567", "1234567abcdef", False),  # it may be a number
        ("1234567", "1234567abcdef" + 20 * "0", True),
    ],
)
def test_the_beginning_of_a_hash_is_that_hash_from_seven_digits_on(one: str, other: str, same: bool):
    assert is_same_id(one, other) is is_same_id(other, one) is same


@pytest.mark.parametrize("text", ["TCK-1001-2", "OLD-TCK-1001", "TCK-10012", "XTCK-1001"])
def test_an_id_within_a_longer_one_is_no_mention(text: str):
    assert find_mention(text, "TCK-1001") is None
    assert find_mention(f"see tck-1001, not {text}", "TCK-1001") == "tck-1001"


@pytest.mark.parametrize(
    ("lower", "title", "state"),
    [
        ("Details of TCK-1001", "Tickets", "unproven"),
        ("TCK-1001: details", "Tickets", "proven"),
        ("Details of TCK-1001", "TCK-1001 - Tracker", "proven"),
    ],
)
def test_a_lower_heading_that_only_mentions_the_record_proves_nothing_by_itself(lower, title, state):
    seen = page(heading("Welcome"), heading(lower, 2), title=title, url="http://127.0.0.1:8000/x")
    assert read_page(**TICKETS, page=seen).proof.state == state


def marked(pattern: str = "#[0-9]+") -> dict[str, Any]:
    """Return a task that asks for record 1, whose key a heading has before other words than here."""
    field = {"type": "string", "shown_in": "heading", "pattern": pattern, "followed_by": "closed defect"}
    schema = {"ticket": field, "team": "string"}
    return {
        "spec": spec(output_schema=schema, required_fields=["ticket"], identity={"ticket": "{ticket}"}),
        "sample": sample(key="1", fields={"ticket": "1"}),
    }


@cases(
    ("pattern", "name", "shown"),
    [
        ("#[0-9]+", "#1 new task", "#1"),
        ("#[0-9]+", "#1: Crane stops", "#1"),
        ("#[0-9]+", "#1: Crane stops, see #12", "1"),
        ("#[0-9]+", "#2 new task, after #1", "1"),
        ("#[0-9]+", "Duplicate of #1", "1"),
        ("[0-9]+", "#1 new task", "1"),
        ("#[0-9]{4}", "#1 new task", "1"),
    ],
)  # fmt: skip
def test_a_key_is_read_with_the_mark_that_the_pattern_of_its_field_asks_for(pattern, name, shown):
    read = read_page(**marked(pattern), page=page(heading(name), *row("Team", "Sales")))
    found = expect(read.readings["ticket"], FieldFound)
    assert (found.candidate.shown, read.proof.state) == (shown, "proven")


@cases("name", ["#2 new task", "#11 new task"])
def test_a_mark_before_a_key_proves_no_other_record(name):
    read = read_page(**marked(), page=page(heading(name), *row("Team", "Sales")))
    assert read.proof.state != "proven"

"""Which presses are withheld: what may change the site and the task does not name, and never a step of reading."""

from __future__ import annotations

import pytest

from shared.pages.effects.unnamed_presses import PressFacts, message_about, withheld_answer, withheld_press
from shared.task.presses import RoutePresses, named_presses
from shared.task.spec import TaskSpec
from tests.cases import cases

POST = {"submits": True, "method": "post", "addressed": True}
GET = {"submits": True, "method": "get", "addressed": True}
SCRIPT = {"submits": True, "method": "get"}
DELETING = "Delete this contract for good?"


def button(name: str, **facts) -> PressFacts:
    return PressFacts(role="button", name=name, **facts)


@cases(
    ("facts", "by"),
    [
        (button("Approve all", **POST), "form"),
        (button("→", **POST, fields=1), "form"),
        (button("Next", **POST, fields=4), "form"),
        (button("Save", submits=True, method="put"), "form"),
        (button("Approve", **POST, searches=True, fields=1), "form"),
        (button("Delete", **POST, passwords=1), "form"),
        (PressFacts(role="button", name="", field="Comment", **POST, fields=1), "form"),
        (button("Remove", sends="delete"), "attribute"),
        (PressFacts(role="link", name="Sign out", sends="post", leads=True), "attribute"),
        (button("Delete"), "words"),
        (button("Yes, delete it"), "words"),
        (button("Pay now"), "words"),
        (button("Jetzt bezahlen"), "words"),
        (button("Supprimer le dossier"), "words"),
        (button("删除记录"), "words"),
        (button("Send message"), "words"),
        (button("Submit", **SCRIPT, fields=3), "words"),
        (button("Delete all", **GET), "words"),
        (PressFacts(role="menuitem", name="Archive"), "words"),
        (PressFacts(role="link", name="Delete", leads=True), "words"),
        (PressFacts(role="link", name="Delete this record"), "words"),
        (button("Delete cookies", consent=True), "words"),
        (button("Send to Ann", consent=True), "words"),
        (button("OK", question=DELETING), "question"),
        (button("Yes, continue", question="Pay 100 EUR now"), "question"),
        (button("OK", question=DELETING, **POST), "question"),
    ],
)
def test_what_may_change_the_site_is_withheld(facts, by):
    assert withheld_press(facts, ()) == by
    assert "unnamed_press" in message_about(by, facts.name)


@cases(
    "facts",
    [
        button("Search", **GET, fields=3),
        button("Submit", **GET, fields=3),
        button("Search", **POST, fields=5),
        button("Suchen", **POST, fields=5),
        button("", **POST, searches=True, fields=1),
        button("Submit", **POST, searches=True, fields=1),
        button("Sign in", **POST, passwords=1, fields=1),
        button("Next", **POST, signs_in=True, fields=1),
        button("Submit", **SCRIPT, searches=True, fields=1),
        button("2", **POST),
        button("Next page", **POST, pages=True),
        button("Export to Excel", **POST, fields=3),
        button("Accept all", **POST, consent=True),
        button("Reject all", consent=True),
        button("Save preferences", consent=True),
        button("Cancel", question=DELETING),
        button("OK", question="Your session was renewed"),
        button("Show more"),
        button("Remove filter"),
        button("Payments"),
        button("Deleted items"),
        button("Delete the temporary files of the importer before its next run"),
        PressFacts(role="tab", name="Send"),
        PressFacts(role="columnheader", name="Paid"),
        PressFacts(role="link", name="Remove deprecated API", leads=True),
        PressFacts(role="link", name="Submit a request", leads=True),
        PressFacts(role="searchbox", field="Search", name="", **GET, fields=1),
        PressFacts(),
    ],
)
def test_a_step_of_reading_is_never_withheld(facts):
    assert withheld_press(facts, ()) is None


def test_what_the_task_names_is_pressed():
    assert withheld_press(button("Submit request", **POST), ("submit request",)) is None
    assert withheld_press(button("Submit request now", **POST), ("Submit request",)) is None
    assert withheld_press(button("Submit", **POST), ("Submit request",)) == "form"
    assert withheld_press(PressFacts(role="textbox", field="Name", name="Go on", **POST), ("Name",)) is None
    assert withheld_press(PressFacts(role="link", name="Delete", leads=True), ("Delete",)) is None
    assert withheld_press(button("OK", question=DELETING), ("OK",)) is None


def test_a_question_of_the_browser_about_a_change_is_agreed_to_only_where_the_task_says_so():
    assert withheld_answer("The contract is deleted. Go on?", ()) == "question"
    assert withheld_answer("Send the order now?", ()) == "question"
    assert withheld_answer("Leave this page?", ()) is None
    assert withheld_answer("Send the order now?", ("Send the order",)) is None


def test_what_a_task_names_comes_from_its_route_and_its_key_with_the_values_of_the_row():
    spec = TaskSpec.model_validate(
        {
            "task_id": "t",
            "goal": "g",
            "output_schema": {"a": "string"},
            "input_schema": {"id": "string"},
            "may_press": ["Acknowledge {id}"],
            "route": [
                {"search": {"into": "Name", "text": "{id}", "press": "Look"}},
                {"follow": "Details"},
                {"press": ["Submit", "Send in"], "irreversible": True, "confirm": "Sure?"},
                {"download": "report"},
            ],
        }
    )
    named = named_presses(spec.route, spec.may_press, {"id": "7"})
    assert named == ("Look", "Name", "Details", "Submit", "Send in", "Sure?", "report", "Acknowledge 7")


def test_a_link_must_be_called_as_the_task_names_it_and_a_button_may_say_more():
    link = PressFacts(role="link", name="Delete ticket", leads=True, sends="delete")
    assert withheld_press(link, ["ticket"]) == "attribute"
    assert withheld_press(link, ["delete ticket"]) is None
    assert withheld_press(button("Delete ticket", sends="delete"), ["ticket"]) is None


@pytest.mark.parametrize(
    ("facts", "by"),
    [
        (button("Submit", **POST, searches=True, fields=1), None),
        (button("Submit", **POST, searches=True, fields=3), "form"),
        (button("Submit", **POST, fields=1), "form"),
        (button("Search", sends="put"), "attribute"),
        (button("Search", sends="patch"), "attribute"),
        (button("Search", sends="post"), None),
    ],
)
def test_a_search_is_a_form_of_one_field_and_never_a_request_that_puts(facts: PressFacts, by: str | None):
    assert withheld_press(facts, []) == by


def test_the_button_of_a_step_holds_its_words_and_is_not_that_of_another_step():
    presses = RoutePresses({0: ("Submit",), 1: ("Submit later",)}, (0,))
    for name in ("Submit", "Submit order 7"):
        assert presses.may_press(0, "button", name)
    assert not presses.may_press(0, "button", "Submit later")
    assert not presses.may_press(0, "link", "Submit order 7")
    assert presses.may_press(0, "link", "submit")
    assert presses.pressed_once("button", "Submit later") is None

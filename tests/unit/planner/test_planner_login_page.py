"""A login page that came instead of the record never counts as the record, with or without an identity."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.planner.drivers.rules.decide_rules import decide
from services.planner.judge.gates import Rejection, judge_done
from services.planner.judge.login_page import LoginPageFacts, is_instead_of_record, is_other_address
from services.planner.state.attempt_state import Act, AttemptState, Ending, ObserveAgain
from services.planner.state.transitions import after_look
from shared.contracts.actions import Done, Fail, Goto, Screenshot
from shared.contracts.results import Navigated
from shared.flows.waiting import PAUSES_S
from shared.login_walls import find_login_wall
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
    shot,
    shown_record,
    spec,
    text,
    ticket,
    view,
)

LOGIN_URL = "http://127.0.0.1:8000/login/?next=/tickets/TCK-1001"
TITLED = {"page_title": {"type": "string", "shown_in": "title", "pattern": ".+"}, "assignee": "string | null"}
"""The title is shown by any page; the other field is optional."""
BY_TITLE = spec(output_schema=TITLED, required_fields=["page_title"], identity={})
ORDINARY = spec(identity={})


def user():
    return el("textbox", "User", tag="input", value="", area="main")


def password(**rest):
    return el("textbox", "Password", tag="input", value="(hidden)", secret=True, **rest)


def sign_in(*more, url=LOGIN_URL, title="Sign in", **rest):
    return page(heading(title), text("Access is Denied"), user(), password(), *more, url=url, title=title, **rest)


def opened(looks=0):
    state = acted(AttemptState(), Goto(url=URL), done_result(effect=Navigated(url=URL, http_status=200)), "")
    for _ in range(looks):
        state = after_look(state, ObserveAgain(0.3, 6000))
    return state


def decided(seen, task):
    """The action of the rules once looking again has not helped."""
    act = decide(view(seen, opened(len(PAUSES_S)), spec=task))
    assert isinstance(act, Act), act
    return act.action


def is_wall(seen, task):
    taken = decided(seen, task)
    return isinstance(taken, Screenshot) and taken.label == "login_required"


WELCOME = "Welcome to the desk"
"""A title that does not say what the page is for."""


@cases("task", [BY_TITLE, ORDINARY, spec()])
@cases(
    "seen",
    [
        sign_in(),
        sign_in(url=URL),  # a site may answer with its form at the address of the record
        sign_in(url="http://127.0.0.1:8000/#/login", title=WELCOME),
        sign_in(url="http://127.0.0.1:8000/enter", title=WELCOME),
        sign_in(url="http://accounts.example/tickets/TCK-1001", title=WELCOME),
        page(heading("Sign in"), el("textbox", "E-mail"), el("button", "Next"), title="Sign in", url=LOGIN_URL),
    ],
)
def test_a_login_page_that_came_instead_is_a_login_page(seen, task):
    assert is_wall(seen, task)


def test_its_message_says_what_the_page_asks_for():
    state = acted(opened(len(PAUSES_S)), picture("login_required"), shot(), "")
    failed = expect(decide(view(sign_in(), state, spec=BY_TITLE)), Act)
    assert expect(failed.action, Fail).code == "auth_required"
    assert "asks for a password" in expect(failed.action, Fail).note


def test_a_login_page_that_only_mentions_the_record_shows_none():
    seen = sign_in(text("Please sign in to see the ticket TCK-1001 that you have asked for."))
    assert is_wall(seen, spec())
    proven = shown_record(opened(len(PAUSES_S)), "proven")
    act = decide(view(seen, replace(proven, proven_at=frozenset({LOGIN_URL}))))
    assert expect(expect(act, Act).action, Screenshot).label == "login_required"


def test_a_login_form_whose_user_field_is_named_like_the_identity_shows_no_other_record():
    task = spec(
        output_schema={"user": "string", "role": "string | null"}, required_fields=["user"], identity={"user": "ann"}
    )
    seen = page(heading("Sign in"), el("textbox", "User", tag="input", value="admin"), password(), url=LOGIN_URL)
    assert is_wall(seen, task)


@cases(
    ("seen", "task"),
    [
        # a box in the header of a public record
        (page(user(), password(area="banner"), *ticket(), title="TCK-1001"), ORDINARY),
        (page(password(area="banner"), heading("Printer"), title="Printer"), BY_TITLE),
        # a box beside the record, also where its address has become a longer one
        (page(*ticket(), text("Sign in to comment"), password(), url=URL), spec(identity={}, required_fields=[])),
        (
            page(heading("Printer"), *row("Assignee", "Ann"), password(), url=f"{URL}-printer", title="Printer"),
            BY_TITLE,
        ),
        (page(*ticket(), password(), url="http://127.0.0.1:8000/en/tickets/TCK-1001/?lang=en"), spec()),
        # the record is proven, whatever the address
        (page(*ticket(), password(), url="http://127.0.0.1:8000/enter"), spec()),
        # the account of a user is the record
        (page(heading("Edit user"), el("textbox", "Assignee", value="Ann"), password(), title="Edit user"), BY_TITLE),
    ],
)
def test_a_record_beside_a_sign_in_box_goes_on(seen, task):
    assert not is_wall(seen, task)


def test_a_task_about_the_login_page_itself_goes_on():
    asked = "http://127.0.0.1:8000/login"
    state = acted(AttemptState(), Goto(url=asked), done_result(effect=Navigated(url=asked, http_status=200)), "")
    for _ in PAUSES_S:
        state = after_look(state, ObserveAgain(0.3, 6000))
    task = spec(output_schema=TITLED, required_fields=["page_title"], identity={}, start_url=asked)
    act = decide(view(sign_in(url=asked), state, spec=task))
    assert expect(expect(act, Act).action, Screenshot).label == "ticket"


def test_what_a_model_reports_of_a_login_page_is_told_once_and_never_done():
    done = Done(values={"page_title": "Sign in", "assignee": "Access is Denied"})
    told, _ = judge_done(view(sign_in(), opened(), spec=BY_TITLE), done)
    assert "asks for a password" in expect(told, Rejection).message
    refused = bounced(opened(), done, "rejected")
    ended, _ = judge_done(view(sign_in(), refused, spec=BY_TITLE), done)
    assert (expect(ended, Ending).status, expect(ended, Ending).reason) == ("auth_required", "login_required")
    by_rules, _ = judge_done(view(sign_in(), opened(), spec=BY_TITLE), done, by_model=False)
    assert expect(by_rules, Ending).reason == "login_required"


def test_a_route_that_meets_a_login_page_has_not_lost_its_way():
    task = spec(identity={}, route=[{"press": "Details"}])
    assert is_wall(sign_in(), task)
    elsewhere = decided(page(heading("Tickets"), text("nothing"), url=URL), task)
    assert expect(elsewhere, Screenshot).label == "off_route"


@cases(
    ("asked", "came", "other"),
    [
        ("http://a.example/t/5", "https://www.a.example/t/5/", False),
        ("http://a.example/t/5", "http://a.example/T/5-printer-on-fire", False),
        ("http://a.example/t/5", "http://a.example/en/t/5?x=1#top", False),
        ("http://a.example/t/5", "http://a.example/t/5/login", True),
        ("http://a.example/t/5", "http://a.example/t/6", True),
        ("http://a.example/t/5", "http://a.example/login/?next=/t/5", True),
        ("http://a.example/t/5", "http://b.example/t/5", True),
        ("http://a.example/x?page=t&id=5", "http://a.example/x?id=5&page=t&lang=en", False),
        ("http://a.example/x?page=t&id=5", "http://a.example/x?page=enter", True),
        ("http://a.example/#/t/5", "http://a.example/#/t/5/", False),
        ("http://a.example/#/t/5", "http://a.example/#!/enter?next=5", True),
        ("http://a.example/#/t/5", "http://a.example/#/login", True),
        ("http://a.example/login", "http://a.example/login?x=1", False),
        ("http://a.example/wiki/login", "http://a.example/login", True),
        ("", "http://a.example/login", True),
        ("", "http://a.example/enter", False),
    ],
)
def test_which_address_is_another_than_the_one_that_was_asked_for(asked, came, other):
    assert is_other_address(asked, came) is other


def test_a_wall_says_whether_it_shows_nothing_else():
    assert find_login_wall(sign_in()) is not None
    found = [
        find_login_wall(one) for one in (sign_in(), sign_in(*row("State", "Open")), sign_in(title=WELCOME, url=URL))
    ]
    assert [wall is not None and wall.is_bare for wall in found] == [True, False, False]
    assert find_login_wall(page(*ticket())) is None


@pytest.mark.parametrize(
    ("proof", "known", "instead"),
    [
        ("proven", "is_bare came_instead lacks", False),
        ("mismatch", "is_bare", False),
        ("mismatch", "came_instead lacks", False),
        ("mismatch", "is_bare came_instead", True),
        ("unproven", "", False),
        ("unproven", "lacks", True),
        ("unproven", "came_instead", True),
        ("unproven", "is_bare", True),
        ("unproven", "is_bare is_asked", False),
        ("not_asked", "is_bare came_instead lacks is_asked", False),
        ("not_asked", "came_instead shows", False),
        ("not_asked", "is_bare came_instead shows", True),
        ("not_asked", "is_bare", True),
        ("not_asked", "came_instead", True),
        ("not_asked", "lacks", True),
        ("not_asked", "", False),
    ],
)
def test_what_decides_whether_a_login_stands_where_the_record_should_be(proof, known, instead):
    names = ("is_bare", "came_instead", "is_asked", "lacks", "shows")
    facts = LoginPageFacts(proof=proof, **{name: name in known.split() for name in names})
    assert is_instead_of_record(facts) is instead

"""The pages on which a login is recorded: what a form does on the page of the site, and whose sessions are held."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from services.console.web.logins.login_forms import MOST_LINKS, actions_in, controls_of
from services.console.web.logins.open_logins import MOST_OF_ONE, OpenLogins
from shared.contracts.actions import Action, Click, PickOption, Press, TypeSecret, TypeText
from shared.contracts.browser_pool import PageObserved
from shared.errors import Unavailable
from shared.streams import ARTIFACTS
from tests.cases import cases
from tests.unit.console.asked_pages import SentPage
from tests.unit.console.pointing_room import HOSTILE, SHOWN, PointingRoom
from tests.unit.planner.planner_pages import el, heading, page
from tests.waiting import until_asked

LOGINS, URL = "/settings/logins", "http://site/login"


def sign_in(**changes: Any) -> PageObserved:
    return page(
        heading("Desk"),
        el("textbox", "User", tag="input", value="ann"),
        el("textbox", "Password", tag="input", value="(hidden)", secret=True),
        el("combobox", "Company", tag="select", value="North"),
        el("checkbox", "Remember me", tag="input", states=("checked",)),
        el("button", "Sign in"),
        el("button", "Later", states=("disabled",)),
        el("link", HOSTILE, url="http://site/help"),
        **changes,
    )


def ref(name: str) -> int:
    return next(one.ref for one in sign_in().elements if one.name == name)


def test_a_page_has_what_can_be_filled_and_pressed_and_no_secret():
    told = [(one.kind, one.name, one.value, one.ticked) for one in controls_of(sign_in())]
    assert told == [
        ("text", "User", "ann", False), ("password", "Password", "", False), ("choice", "Company", "North", False),
        ("tick", "Remember me", "", True), ("button", "Sign in", "", False), ("link", HOSTILE, "", False),
    ]  # fmt: skip
    many = controls_of(page(*(el("link", f"n {n}") for n in range(2 * MOST_LINKS)), el("button", "Go")))
    assert [one.kind for one in many] == ["link"] * MOST_LINKS + ["button"]


def fields(**given: str) -> dict[str, str]:
    """Return a form of these fields, by their names on the page."""
    return {f"text.{ref(name)}": text for name, text in given.items()}


@cases(
    "form, done",
    [
        ({}, []),
        (fields(User="ann", Password=""), []),
        (fields(User=""), [TypeText]),
        ({f"secret.{ref('User')}": "desk"}, []),
        (fields(User="bo", Password="x y", Company="South"), [TypeText, TypeText, PickOption]),
        ({**fields(Password="x"), "press": "enter"}, [TypeText, Press]),
        ({"press": "enter"}, []),
        ({**fields(User="bo"), "press": str(ref("Sign in"))}, [TypeText, Click]),
        ({f"secret.{ref('Password')}": "desk", **fields(Password="x")}, [TypeSecret]),
        ({f"text.{ref('Sign in')}": "x"}, []),
    ],
)
def test_a_form_does_what_was_changed_and_then_what_was_pressed(form: dict[str, str], done: list[type[Action]]):
    assert [type(one) for one in actions_in(form, sign_in())] == done


@pytest.mark.parametrize("pressed", ["99", "-1", "1", "\u0663", "9" * 50])
def test_what_is_no_control_of_the_page_is_not_pressed(pressed: str):
    with pytest.raises(ValueError, match="no control"):
        list(actions_in({"press": pressed}, sign_in()))


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[PointingRoom]:
    one = PointingRoom(tmp_path, {URL: [sign_in()]})
    await one.bus.put(ARTIFACTS, "blob-page", b"PNG")
    yield one
    await one.logins.aclose()
    assert one.pool.held == set()


async def begun(room: PointingRoom, name: str = "desk", **more: str) -> SentPage:
    return await room.ask(LOGINS, {"name": name, "url": URL, **more})


async def test_what_is_typed_is_done_in_the_session_and_shown_nowhere(room: PointingRoom):
    at = (await begun(room)).headers["location"]
    shown = await room.ask(at)
    assert (shown.status, SHOWN in shown.text, HOSTILE in shown.text) == (200, True, False)
    [login] = room.logins.of("bob")
    assert login.look is not None
    form = {"page": login.look.page.snapshot_id, **fields(Password="sesame-83"), "press": str(ref("Sign in"))}
    assert (await room.ask(f"{at}/do", form)).status == 303
    assert [type(one) for one in room.pool.actions if isinstance(one, TypeText | Click)] == [TypeText, Click]
    assert "sesame-83" not in (await room.ask(at)).text
    late = await room.ask(f"{at}/do", form)
    assert (late.status, "another one by then" in (await room.ask(at)).text) == (303, True)
    assert sum(isinstance(one, Click) for one in room.pool.actions) == 1, "what was made of another page is not done"
    assert (await room.ask(f"{at}/leave", {})).headers["location"] == "/settings#logins-title"
    assert (room.pool.held, (await room.ask(at)).status) == (set(), 404)


async def test_all_that_is_wrong_with_a_login_is_told_at_once(room: PointingRoom):
    refused = await begun(room, "../x", url="ftp://site", hosts="good.example b/ad *.example")
    assert refused.status == 400
    for words in ("cannot be the name of a login state", "write it whole", "b/ad", "*.example"):
        assert words in refused.text
    assert room.pool.asked == []


async def test_one_that_is_recorded_is_replaced_only_when_that_is_said(room: PointingRoom):
    folder = room.folder / "auth"
    folder.mkdir()
    (folder / "desk.json").write_text('{"cookies": [], "origins": []}')
    assert ("is recorded: choose" in (await begun(room)).text, room.pool.asked) == (True, [])
    assert (await begun(room, replace="1")).status == 303


async def test_a_login_is_of_one_person_and_few_are_open_at_a_time(room: PointingRoom):
    at = (await begun(room)).headers["location"]
    assert "is being recorded as desk already" in (await begun(room)).text
    for number in range(MOST_OF_ONE - 1):
        assert (await begun(room, f"desk{number}")).status == 303
    assert "as many logins are being recorded as may be" in (await begun(room, "more")).text
    assert room.logins.of("eve") == ()
    room.person = "eve"
    assert [(await room.ask(at)).status, (await room.ask(f"{at}/record", {})).status] == [404, 404]
    assert (await begun(room, "hers")).status == 303


async def test_what_was_recorded_meanwhile_is_replaced_only_when_that_is_said(room: PointingRoom):
    at = (await begun(room)).headers["location"]
    (room.folder / "auth").mkdir()
    (room.folder / "auth/desk.json").write_text('{"cookies": [], "origins": []}')
    assert (await room.ask(f"{at}/record", {})).headers["location"] == at
    shown = (await room.ask(at)).text
    assert ("is recorded: choose" in shown, 'name="replace" value="1">' in shown) == (True, True)


async def test_the_same_form_twice_is_done_once(room: PointingRoom):
    at = (await begun(room)).headers["location"]
    [login] = room.logins.of("bob")
    assert login.look is not None
    form = {"page": login.look.page.snapshot_id, "press": str(ref("Sign in"))}
    await asyncio.gather(room.ask(f"{at}/do", form), room.ask(f"{at}/do", form))
    assert sum(isinstance(one, Click) for one in room.pool.actions) == 1


async def test_one_that_is_left_alone_gives_its_session_back(room: PointingRoom):
    room.logins = OpenLogins(idle_s=0.05)
    at = (await begun(room)).headers.get("location", "")

    async def is_free() -> bool:
        return not room.pool.held

    await until_asked(is_free, "the session is given back")
    assert not at or (await room.ask(at)).status == 404


async def test_a_pool_that_does_not_answer_is_told_and_the_page_stays(room: PointingRoom):
    at = (await begun(room)).headers["location"]
    room.pool.breaks[len(room.pool.actions) + 1] = Unavailable("the pool is slow", code="bus_slow")
    assert (await room.ask(f"{at}/look", {})).status == 303
    assert "the pool is slow" in (await room.ask(at)).text
    room.pool.breaks[len(room.pool.actions) + 1] = Unavailable("no such session", code="session_lost")
    assert (await room.ask(f"{at}/look", {})).headers["location"] == at
    gone = await room.ask(at)
    assert (gone.status, "its browser is gone" in gone.text, room.pool.held) == (404, True, set())

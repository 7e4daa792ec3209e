"""Presses that may change the site are withheld on real pages, however they are made; reading is not hindered."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import AnswerDialog, BrowserAction, Click, DoubleClick, Press
from tests.browser.action_steps import at, do, shown

NOTES = """<p id=o>nothing</p><script>{
const note = (event) => { event.preventDefault(); document.querySelector('#o').textContent = 'pressed'; };
document.addEventListener('submit', note);
const own = (event) => { if (event.target.closest('[type=button],a,[role=menuitem]')) note(event); };
document.addEventListener('click', own);
}</script>"""
POST = '<form method=post action="/x"><label>Note <input name=n></label><button>Go on</button></form>'
ENTER = Press(keys="Enter", target=at("Note"))
WITHHELD: dict[str, tuple[str, BrowserAction]] = {
    "a form by POST": (POST, Click(target=at("Go on"))),
    "twice": (POST, DoubleClick(target=at("Go on"))),
    "by a selector": (POST, Click(target=at("css=form button"))),
    "by what is in the button": (
        "<form method=post><button><b id=inner>Go on</b></button></form>",
        Click(target=at("css=#inner")),
    ),
    "Enter in its field": (POST, ENTER),
    "Enter in a field with another name": (
        "<form method=post><label>Display name <input name=n></label></form>",
        Press(keys="Enter", target=at("Display name")),
    ),
    "Enter in what is saved under a name": (
        "<form method=post><label>Search name <input name=n></label><button>Save</button></form>",
        Press(keys="Enter", target=at("Search name")),
    ),
    "Enter on its button": (POST, Press(keys="Enter", target=at("Go on"))),
    "space on its button": (POST, Press(keys="Space", target=at("Go on"))),
    "a method of the button": (
        '<form method=get><input name=q type=search><button formmethod=post formaction="/y">Approve</button></form>',
        Click(target=at("Approve")),
    ),
    "a button outside of its form": (
        '<form id=f method=post></form><button form=f>Go on</button>',
        Click(target=at("Go on")),
    ),
    "a form with a field called method": (
        "<form method=post><input name=method><input name=getAttribute><button>Go on</button></form>",
        Click(target=at("Go on")),
    ),
    "an input": ('<form method=post><input type=submit value="Go on"></form>', Click(target=at("Go on"))),
    "an attribute": ('<a href="#" data-method="delete">Away</a>', Click(target=at("Away"))),
    "htmx": ('<button type=button hx-delete="/x">Away</button>', Click(target=at("Away"))),
    "a word": ("<button type=button>Delete</button>", Click(target=at("Delete"))),
    "a menu item": ('<div role=menuitem tabindex=0>Send to all</div>', Click(target=at("Send to all"))),
    "a form that a script sends": ("<form><input name=a><input name=b><button>Submit</button></form>",
                                   Click(target=at("Submit"))),
    "a dialog": ("<dialog open><h2>Delete all?</h2><button type=button>Yes</button></dialog>", Click(target=at("Yes"))),
    "in a shadow root": ("<div><template shadowrootmode=open><form method=post><button>Go on</button></form></template>"
                         "</div>", Click(target=at("Go on"))),
}  # fmt: skip
MADE: dict[str, tuple[str, BrowserAction]] = {
    "a search by GET": (
        "<form method=get action='/s'><label>Note <input name=q></label><button>Submit</button></form>",
        Click(target=at("Submit")),
    ),
    "Enter in a search by GET": ("<form method=get action='/s'><label>Note <input name=q></label></form>", ENTER),
    "a search by POST": (
        "<form method=post role=search><label>Note <input name=q></label><button>→</button></form>",
        Click(target=at("→")),
    ),
    "Enter in a search by POST": ("<form method=post><label>Note <input type=search></label></form>", ENTER),
    "Enter in the only field, called Search": (
        "<form method=post action='/-/find'><input name=query placeholder=Search></form>",
        Press(keys="Enter", target=at("Search")),
    ),
    "a button without a name beside such a field": (
        "<form method=post><label>Suche <input name=q></label><button><svg></svg></button></form>",
        Click(target=at("css=form button")),
    ),
    "a sign-in": (
        "<form method=post><input name=u><input type=password><button>Sign in</button></form>",
        Click(target=at("Sign in")),
    ),
    "cookies": (
        "<div><p>We use cookies.</p><form method=post><button>Accept all</button></form></div>",
        Click(target=at("Accept all")),
    ),
    "a button of a page": ("<button type=button>Show more</button>", Click(target=at("Show more"))),
    "a link": ('<a href="/x">Remove deprecated API</a>', Click(target=at("Remove deprecated API"))),
    "a filter": ("<button type=button>Remove filter</button>", Click(target=at("Remove filter"))),
    "a way out of a dialog": (
        "<dialog open><h2>Delete all?</h2><button type=button>Cancel</button></dialog>",
        Click(target=at("Cancel")),
    ),
}


async def page_with(session: PageSession, html: str) -> None:
    await session.page.set_content(f"<!doctype html>{html}{NOTES}")


@pytest.mark.parametrize("case", WITHHELD)
async def test_what_may_change_the_site_is_not_pressed_unless_it_is_named(session: PageSession, case: str):
    html, action = WITHHELD[case]
    await page_with(session, html)
    result = (await session.act(action, named=())).result
    assert (result.ok, result.code) == (False, "press_withheld")
    assert "unnamed_press" in result.message
    assert await shown(session, "#o") == "nothing"


@pytest.mark.parametrize("case", ["a form by POST", "Enter on its button", "a menu item", "a dialog", "a word"])
async def test_what_is_named_is_pressed_and_a_person_presses_what_he_likes(session: PageSession, case: str):
    html, action = WITHHELD[case]
    await page_with(session, html)
    named = ("Go on", "Send to all", "Yes", "Delete")
    assert (await session.act(action, named=named)).result.code != "press_withheld"
    assert await shown(session, "#o") == "pressed"
    await page_with(session, html)
    await do(session, action)
    assert await shown(session, "#o") == "pressed"


@pytest.mark.parametrize("case", MADE)
async def test_a_step_of_reading_is_made(session: PageSession, case: str):
    html, action = MADE[case]
    await page_with(session, html)
    assert (await session.act(action, named=())).result.code != "press_withheld"
    assert await shown(session, "#o") == "pressed"


async def test_a_question_of_the_browser_about_a_change_is_not_agreed_to(session: PageSession):
    await session.page.set_content(
        "<p id=o></p><button onclick=\"o.textContent = confirm('The order is deleted. Go on?')\">Ask</button>"
    )
    await session.act(Click(target=at("Ask")), named=())
    refused = (await session.act(AnswerDialog(answer="accept"), named=())).result
    assert (refused.ok, refused.code) == (False, "press_withheld")
    assert (await session.act(AnswerDialog(answer="dismiss"), named=())).result.ok
    assert await shown(session, "#o") == "false"

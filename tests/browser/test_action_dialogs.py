"""Native dialogs, keys, hover, tabs and history navigation."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.rest import document_state
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import AnswerDialog, Back, Click, CloseTab, Extract, Goto, Hover, Press, SwitchTab
from shared.contracts.results import (
    CheckboxSet,
    DialogAnswered,
    DialogOpened,
    Navigated,
    NotSeen,
    PageChanged,
    TabShown,
    ValueSet,
)
from tests.browser.action_steps import at, do, shown
from tests.browser.site import Site

ASKS = """<p id=o></p><button onclick="o.textContent = confirm('Sure?')">Ask</button>
<button onclick="o.textContent = prompt('Name?')">Name</button>
<button onclick="alert('Hello'); o.textContent = 'read'">Tell</button>
<button onclick="confirm('One?'); o.textContent = confirm('Two?')">Twice</button>"""


async def test_a_question_stays_open_until_it_is_answered(session: PageSession) -> None:
    await session.page.set_content(ASKS)
    asked = await do(session, Click(target=at("Ask")))
    assert (asked.ok, asked.effect) == (True, DialogOpened(kind="confirm", message="Sure?"))
    assert asked.change.dialogs == ("confirm: Sure?",)
    assert asked.target is not None
    assert asked.target.name == "Ask"
    refused = await do(session, Extract(target=at("css=#o")))
    assert (refused.ok, refused.code) == (False, "dialog_open")
    assert "Sure?" in refused.message
    answered = await do(session, AnswerDialog(answer="accept"))
    assert answered.effect == DialogAnswered(message="Sure?", accepted=True)
    assert await shown(session, "#o") == "true"
    await do(session, Click(target=at("Ask")))
    assert (await do(session, AnswerDialog(answer="dismiss"))).effect == DialogAnswered(message="Sure?", accepted=False)
    assert await shown(session, "#o") == "false"


async def test_a_prompt_takes_a_text_and_an_alert_is_read_and_told(session: PageSession) -> None:
    await session.page.set_content(ASKS)
    told = await do(session, Click(target=at("Tell")))
    assert (told.ok, told.effect, told.change.dialogs) == (True, PageChanged(), ("alert: Hello",))
    assert await shown(session, "#o") == "read"
    assert (await do(session, AnswerDialog(answer="accept"))).code == "no_dialog"
    assert (await do(session, Click(target=at("Name")))).effect == DialogOpened(kind="prompt", message="Name?")
    await do(session, AnswerDialog(answer="accept", text="Ann"))
    assert await shown(session, "#o") == "Ann"


async def test_one_question_after_the_other(session: PageSession) -> None:
    await session.page.set_content(ASKS)
    await do(session, Click(target=at("Twice")))
    second = await do(session, AnswerDialog(answer="accept"))
    assert second.effect == DialogOpened(kind="confirm", message="Two?")
    await do(session, AnswerDialog(answer="dismiss"))
    assert await shown(session, "#o") == "false"


@pytest.mark.usefixtures("patient")
async def test_a_question_from_a_timer_and_a_session_that_ends_with_it(session: PageSession) -> None:
    await session.page.set_content("<input aria-label=In onkeydown=\"setTimeout(() => confirm('Late?'), 30)\">")
    pressed = await do(session, Press(keys="a", target=at("In")))
    assert pressed.effect == DialogOpened(kind="confirm", message="Late?")
    await session.close()
    assert session.lost


@pytest.mark.parametrize(
    ("html", "runs"),
    [
        ("<input onkeydown='go()'>", True),
        ("<a href=' JavaScript:go()'>Go</a>", True),
        ("<form onsubmit='go()'><input></form>", True),
        ("<script type=application/json>{}</script><input>", False),
        ("<a href=/javascript>Guide</a>", False),
    ],
)
async def test_a_page_runs_scripts_where_an_element_has_one(session: PageSession, html: str, runs: bool) -> None:
    """After an act, such a page is waited for as one with scripts of its own."""
    await session.page.set_content(html)
    state = await document_state(session.tabs, session.limits.action_s)
    assert state is not None
    assert state.scripts is runs


async def test_what_is_no_key_is_refused_with_what_is(session: PageSession) -> None:
    await session.page.set_content("<input>")
    refused = await do(session, Press(keys="Control+"))
    assert (refused.ok, refused.code) == (False, "failed")
    assert "ArrowDown" in refused.message


async def test_keys_say_what_came_of_them(session: PageSession, site: Site) -> None:
    site.add("/sent", "<h1>Sent</h1>")
    url = site.add(
        "/keys",
        """<form action=/sent><input aria-label=Text></form><input type=checkbox aria-label=Box><div id=d>plain</div>
        <select aria-label=List><option>One<option>Two</select><input type=password aria-label=Secret>
        <script>addEventListener('keydown', e => { if (e.key === 'k' && e.ctrlKey)
        document.title = 'search' })</script>""",
    )
    await do(session, Goto(url=url))
    assert (await do(session, Press(keys="x", target=at("Text")))).effect == ValueSet(value="x")
    assert (await do(session, Press(keys="Backspace"))).effect == ValueSet(value="")
    assert (await do(session, Press(keys="Space", target=at("Box")))).effect == CheckboxSet(checked=True)
    assert (await do(session, Press(keys="ArrowDown", target=at("List")))).effect == ValueSet(value="Two")
    assert (await do(session, Press(keys="s", target=at("Secret")))).effect == ValueSet(value="(hidden)")
    assert (await do(session, Press(keys="Ctrl+K"))).effect == PageChanged()
    assert (await do(session, Press(keys="F9"))).effect == NotSeen()
    assert (await do(session, Press(keys="a", target=at("css=#d")))).code == "not_editable"
    sent = await do(session, Press(keys="Enter", target=at("Text")))
    assert sent.effect == Navigated(url=f"{site.url}/sent?", http_status=200)


async def test_what_only_a_hover_shows(session: PageSession) -> None:
    await session.page.set_content(
        "<style>#m { display: none } #h:hover #m { display: block }</style>"
        "<div id=h>Menu<p id=m>Log out</p></div><p>Dead</p>"
    )
    over = await do(session, Hover(target=at("Menu")))
    assert (over.ok, over.effect) == (True, PageChanged())
    assert "Log out" in over.message
    assert (await do(session, Hover(target=at("Log out")))).ok
    await do(session, Hover(target=at("Dead")))
    assert (await do(session, Hover(target=at("Dead")))).effect == NotSeen()


async def test_from_tab_to_tab(session: PageSession, site: Site) -> None:
    site.add("/two", "<title>Two</title>Two")
    one = site.add("/one", "<title>One</title><a href=/two target=_blank>Open</a>")
    await do(session, Goto(url=one))
    opened = await do(session, Click(target=at("Open")))
    assert "opened the tab 2" in opened.message
    assert (await do(session, SwitchTab(tab=1))).effect == TabShown(tab=1, url=one, title="One")
    missing = await do(session, SwitchTab(tab=7))
    assert (missing.ok, missing.code) == (False, "no_such_tab")
    assert f"{site.url}/two" in missing.message
    await do(session, SwitchTab(tab=2))
    assert (await do(session, CloseTab())).effect == TabShown(tab=1, url=one, title="One")
    again = await do(session, Click(target=at("Open")))
    assert "opened the tab 3" in again.message
    await do(session, CloseTab())
    assert (await do(session, CloseTab())).code == "failed"


async def test_back_to_the_page_before(session: PageSession, site: Site) -> None:
    first = site.add("/first", "<a href=#there>Route</a><a href=/second>Next</a>")
    site.add("/second", "<h1>Second</h1>")
    nowhere = await do(session, Back())
    assert (nowhere.ok, nowhere.code) == (False, "failed")
    await do(session, Goto(url=first))
    await do(session, Click(target=at("Route")))
    assert (await do(session, Back())).effect == Navigated(url=first)
    await do(session, Click(target=at("Next")))
    back = await do(session, Back())
    assert (back.ok, back.change.url_after) == (True, first)

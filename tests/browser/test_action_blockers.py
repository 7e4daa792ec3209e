"""Covered targets: the blocker is closed if its kind is known, else reported; nothing else is clicked."""

from __future__ import annotations

import asyncio

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Click
from shared.contracts.results import ClosingButton, PageChanged
from tests.browser.action_steps import OVER_ALL, OVER_MIDDLE, at, do, shown

BELOW = "<p id=o></p><button id=b onclick=\"o.textContent = 'hit'\" style='margin:150px 300px'>Below</button>"
BAD = "<button onclick=\"o.textContent = 'harm'\">{}</button>"
GO = "<button onclick=\"document.querySelectorAll('.v').forEach(v => v.remove())\" {}>{}</button>"
CLICK = Click(target=at("css=#b"))


@pytest.mark.parametrize(
    ("over", "told", "closed_by"),
    [
        (
            f"<div class=v style='{OVER_ALL}'></div><div class=v role=dialog aria-label=News style='{OVER_MIDDLE}'>"
            + BAD.format("Buy now")
            + GO.format("", "No thanks")
            + "</div>",
            'dialog "News": pressed button "No thanks"',
            (ClosingButton(role="button", name="No thanks"),),
        ),
        (
            f"<div class=v id=c style='{OVER_MIDDLE}'><h2>We use cookies</h2>"
            + BAD.format("Accept all")
            + GO.format("", "Reject all")
            + "</div>",
            'div#c "We use cookies": pressed button "Reject all"',
            (ClosingButton(role="button", name="Reject all"),),
        ),
        (
            f"<div class=v id=c style='{OVER_MIDDLE}'>"
            + BAD.format("Claim your prize")
            + GO.format("class=modal-close", "<svg width=9 height=9></svg>")
            + "</div>",
            'div#c "Claim your prize": pressed button ""',
            (),
        ),
        (
            "<dialog class=v id=c>" + BAD.format("Delete") + "</dialog><script>c.showModal()</script>",
            'dialog#c "Delete": pressed Escape',
            (),
        ),
    ],
)
async def test_what_can_be_closed_is_closed_and_told(
    session: PageSession, over: str, told: str, closed_by: tuple[ClosingButton, ...]
) -> None:
    await session.page.set_content(BELOW + over)
    clicked = await do(session, CLICK)
    assert (clicked.ok, clicked.effect, clicked.change.dismissed) == (True, PageChanged(), (told,))
    assert clicked.change.closed_by == closed_by
    assert await shown(session, "#o") == "hit"


async def test_consent_is_given_only_where_the_task_names_the_button(session: PageSession) -> None:
    asked = f"<div class=v id=c style='{OVER_MIDDLE}'><h2>We use cookies</h2>{BAD.format('Settings')}"
    await session.page.set_content(f"{BELOW}{asked}{GO.format('', 'Accept all')}</div>")
    for named in (None, (), ("Accept",)):
        blocked = (await session.act(CLICK, named=named)).result
        assert (blocked.code, blocked.change.dismissed) == ("blocked", ())
        assert 'div#c "We use cookies" is over it' in blocked.message
    clicked = (await session.act(CLICK, named=("Accept all",))).result
    assert (clicked.ok, clicked.change.dismissed) == (True, ('div#c "We use cookies": pressed button "Accept all"',))
    assert await shown(session, "#o") == "hit"


async def test_refusing_an_order_is_no_way_to_close_its_dialog(session: PageSession) -> None:
    asked = f"<div class=v role=dialog style='{OVER_MIDDLE}'>Decide on this order{BAD.format('Approve')}"
    for name in ("Reject", "Decline", "Reject all"):
        await session.page.set_content(BELOW + asked + BAD.format(name) + "</div>")
        assert not (await do(session, CLICK)).ok, name
        assert await shown(session, "#o") == ""


async def test_two_things_one_over_the_other(session: PageSession) -> None:
    first = (
        f"<div id=w role=dialog style='{OVER_MIDDLE};z-index:5'>"
        + "<button aria-label=Close onclick='w.remove()'>x</button></div>"
    )
    second = f"<div id=v style='{OVER_MIDDLE}'>Cookies <button onclick='v.remove()'>Reject</button></div>"
    await session.page.set_content(BELOW + second + first)
    assert len((await do(session, CLICK)).change.dismissed) == 2
    assert await shown(session, "#o") == "hit"


OVER_LEFT = "position:fixed;left:0;top:0;width:220px;height:300px;background:#fff"
SLIDES_IN = "<style>@keyframes in { from { transform: translateX(30px) } } #n { animation: in .5s linear }</style>"


def news(style: str = "") -> str:
    """Return a dialog over all but its own, whose button is at the left."""
    close = "<button style='margin:100px 0 0 20px' onclick='n.remove()'>Got it</button>"
    return f"<div id=n role=dialog aria-label=News style='{OVER_ALL};{style}'>{close}</div>"


async def test_the_button_that_closes_one_popup_may_lie_under_another(session: PageSession) -> None:
    consent = f"<div id=c role=dialog aria-label=Cookies style='{OVER_LEFT}'>Cookies {BAD.format('Accept all')}"
    consent += "<button onclick='c.remove()'>Reject all</button></div>"
    await session.page.set_content(BELOW + news() + consent)
    clicked = await do(session, CLICK)
    told = ('dialog#c "Cookies": pressed button "Reject all"', 'dialog#n "News": pressed button "Got it"')
    assert (clicked.ok, clicked.change.dismissed) == (True, told)
    assert await shown(session, "#o") == "hit"


async def test_a_button_that_closes_a_popup_is_not_pressed_through_what_lies_over_it(session: PageSession) -> None:
    asked = f"<div id=c role=dialog aria-label=Danger style='{OVER_LEFT}'>{BAD.format('Delete')}</div>"
    await session.page.set_content(BELOW + news() + asked)
    blocked = await do(session, CLICK)
    assert (blocked.ok, blocked.code, blocked.change.dismissed) == (False, "blocked", ())
    assert (await shown(session, "#o"), await session.page.locator("#n").count()) == ("", 1)


@pytest.mark.usefixtures("patient")
async def test_a_popup_that_is_still_moving_is_closed(session: PageSession) -> None:
    await session.page.set_content(SLIDES_IN + BELOW + news())
    assert (await do(session, CLICK)).change.dismissed == ('dialog#n "News": pressed button "Got it"',)
    assert await shown(session, "#o") == "hit"


async def test_a_button_that_does_something_else_is_never_pressed(session: PageSession) -> None:
    for name in ("Delete", "Buy now", "Close account", "Accept offer", "Continue to payment", "OK, pay"):
        dialog = f"<div role=dialog aria-label=Danger style='{OVER_MIDDLE}'>{BAD.format(name)}</div>"
        await session.page.set_content(BELOW + dialog)
        blocked = await do(session, CLICK)
        assert (blocked.ok, blocked.code, blocked.change.dismissed) == (False, "blocked", ()), name
        assert 'dialog "Danger" is over it' in blocked.message
        assert await shown(session, "#o") == ""


async def test_a_link_that_leads_away_is_no_way_out(session: PageSession) -> None:
    await session.page.set_content(BELOW + f"<div style='{OVER_MIDDLE}'><a href=/account/close>Close</a></div>")
    assert (await do(session, CLICK)).code == "blocked"


async def test_the_dialog_the_target_is_in_stays(session: PageSession) -> None:
    await session.page.set_content(
        f"<p id=o></p><div role=dialog id=d style='{OVER_MIDDLE}'><button id=b>In</button>"
        "<button onclick='d.remove()'>Close</button><div style='position:absolute;inset:0'></div></div>"
    )
    assert (await do(session, CLICK)).code == "blocked"
    assert await session.page.locator("#d").count() == 1


async def test_what_does_not_go_is_no_success(session: PageSession) -> None:
    await session.page.set_content(BELOW + f"<div role=dialog style='{OVER_MIDDLE}'><button>Close</button></div>")
    blocked = await do(session, CLICK)
    assert (blocked.code, blocked.change.dismissed, blocked.change.closed_by) == ("blocked", (), ())
    assert "did not go away" in blocked.message


@pytest.mark.usefixtures("patient")
async def test_what_goes_by_itself_is_waited_for(session: PageSession) -> None:
    await session.page.set_content(BELOW + f"<div id=v style='{OVER_ALL}'></div>")
    clicking = asyncio.create_task(do(session, CLICK))
    await session.page.evaluate("setTimeout(() => v.remove(), 50)")
    assert (await clicking).change.dismissed == ()
    assert await shown(session, "#o") == "hit"


async def test_over_a_frame(session: PageSession) -> None:
    await session.page.set_content(
        "<iframe style='margin:100px' srcdoc=\"<button onclick='this.textContent = 1'>Framed</button>\"></iframe>"
        f"<div id=v style='{OVER_ALL}'><button style='margin-left:600px' onclick='v.remove()'>×</button></div>"
    )
    clicked = await do(session, Click(target=at("Framed")))
    assert (clicked.ok, len(clicked.change.dismissed)) == (True, 1)


async def test_in_a_frame_that_is_higher_than_the_window(session: PageSession) -> None:
    buttons = "".join(
        f"<p style='height:1500px'><button onclick='this.textContent += 1'>{at}</button></p>" for at in "abc"
    )
    await session.page.set_content(f'<iframe style="height:4600px" srcdoc="{buttons}"></iframe>')
    for name in "cabca":
        clicked = await do(session, Click(target=at(f"css=p:nth-of-type({'abc'.index(name) + 1}) > button")))
        assert clicked.ok, clicked.message


async def test_what_is_disabled_or_not_to_be_seen_says_so(session: PageSession) -> None:
    await session.page.set_content("<button disabled>Off</button><button id=h style='display:none'>Hidden</button>")
    off = await do(session, Click(target=at("Off")))
    assert (off.code, "disabled" in off.message) == ("blocked", True)
    hidden = await do(session, Click(target=at("css=#h")))
    assert (hidden.code, "not visible" in hidden.message) == ("blocked", True)


async def test_only_a_corner_of_it_is_free(session: PageSession) -> None:
    await session.page.set_content(
        "<p id=o></p><div style='position:relative'><button id=b style='width:300px;height:100px' "
        "onclick=\"o.textContent = 'hit'\">Wide</button>"
        "<div style='position:absolute;left:0;top:0;width:250px;height:100px'>"
        "</div></div>"
    )
    assert (await do(session, CLICK)).ok
    assert await shown(session, "#o") == "hit"

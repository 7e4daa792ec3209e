"""Before a press that cannot be undone the last field loses the focus, and the form is looked at once more."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import Click, Goto, Press, SelectOption, TypeText
from shared.contracts.results import ActionResult
from tests.browser.action_steps import at, do, shown
from tests.browser.site import Site

SENT = """<p id=o>nothing</p><script>
document.addEventListener('submit', (event) => { event.preventDefault(); o.textContent = 'sent'; });
</script>"""


async def pressed(session: PageSession, site: Site, form: str, *, once: bool = True) -> ActionResult:
    await session.act(Goto(url=site.add("/form", form + SENT)))
    assert (await do(session, TypeText(target=at("Name"), text="Ann Lee"))).ok
    return (await session.act(Click(target=at("Send")), once=once)).result


FIELD = "<form method=post><label>Name <input id=n name=n></label>{more}<button id=s>Send</button></form>"
EMPTIES = FIELD.format(more="") + "<script>n.onblur = () => setTimeout(() => { n.value = '' }, 50)</script>"
MISSING = FIELD.format(more="<label>Reason <input required></label>")
DISABLED = FIELD.format(more="").replace("id=s", "id=s disabled")
ENABLES = f"{DISABLED}<script>n.onblur = () => {{ s.disabled = false }}</script>"


async def test_a_field_that_empties_itself_is_seen_before_the_press(session: PageSession, site: Site) -> None:
    result = await pressed(session, site, EMPTIES)
    assert (result.ok, result.code) == (False, "fields_changed")
    assert await shown(session, "#o") == "nothing"
    again = (await session.act(Click(target=at("Send")), once=True)).result  # the caller has looked at it
    assert (again.ok, await shown(session, "#o")) == (True, "sent")


async def test_a_form_that_the_browser_does_not_send_is_not_pressed(session: PageSession, site: Site) -> None:
    result = await pressed(session, site, MISSING)
    assert (result.ok, result.code) == (False, "form_invalid")
    assert "Reason: " in result.message
    assert (await pressed(session, site, MISSING.replace("method=post", "method=post novalidate"))).ok


async def test_a_button_that_is_enabled_as_the_focus_leaves_is_no_disabled_one(
    session: PageSession, site: Site
) -> None:
    for once in (True, False):
        assert (await pressed(session, site, ENABLES, once=once)).ok
        assert await shown(session, "#o") == "sent"


SAVE = "fetch('{path}', {{method: 'POST', body: '1'}})"
SAVES = {
    "text": (f'<input aria-label=Name oninput="{SAVE}">', TypeText(target=at("Name"), text="Ann Lee")),
    "list": (
        f'<select aria-label=Name onchange="{SAVE}"><option>Bo<option>Ann</select>',
        SelectOption(target=at("Name"), option="Ann"),
    ),
    "box": (f'<input type=checkbox aria-label=Name onchange="{SAVE}">', Click(target=at("Name"))),
}


@pytest.mark.parametrize("kind", SAVES)
async def test_what_a_field_sends_as_it_is_filled_in_is_told_with_what_the_site_says(
    session: PageSession, site: Site, kind: str
) -> None:
    field, fill = SAVES[kind]
    for path, status in (("/saved", 204), ("/refused", 500)):
        site.add(path, "", status=status)
        await session.act(Goto(url=site.add("/form", field.format(path=path))))
        change = (await do(session, fill)).change
        told = (f"POST {site.url}{path}",)
        assert (change.taken_requests, change.not_taken) == ((told, ()) if status == 204 else ((), told))


async def test_what_a_field_sends_once_the_focus_leaves_it_is_told_with_the_key_that_takes_it_away(
    session: PageSession, site: Site
) -> None:
    field = f'<input aria-label=Name onchange="{SAVE.format(path="/saved")}"><input>'
    site.add("/saved", "", status=204)
    await session.act(Goto(url=site.add("/form", field)))
    assert (await do(session, TypeText(target=at("Name"), text="Ann Lee"))).change.taken_requests == ()
    assert (await do(session, Press(keys="Tab"))).change.taken_requests == (f"POST {site.url}/saved",)


async def test_what_the_site_did_not_take_is_told_beside_what_the_page_says(session: PageSession, site: Site) -> None:
    site.add("/order", "no", status=422)
    ask = "fetch('/order', {method: 'POST', body: '1'}).then(() => { o.textContent = 'A kérelem túl nagy'; })"
    result = await pressed(session, site, FIELD.format(more="").replace("<form", f'<form onsubmit="{ask}"'))
    assert (result.ok, result.change.not_taken) == (True, (f"POST {site.url}/order",))
    assert (await pressed(session, site, FIELD.format(more=""))).change.not_taken == ()

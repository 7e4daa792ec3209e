"""The effects of actions on real pages, and their reports."""

from __future__ import annotations

import asyncio

import pytest

from services.browser_pool.adapters.browser.fonts import without_font
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import (
    BrowserAction,
    ByCss,
    ByRef,
    ByText,
    Click,
    Extract,
    Goto,
    PickOption,
    Scroll,
    TypeText,
    Wait,
)
from shared.contracts.results import (
    ActionResult,
    Appeared,
    CheckboxSet,
    Navigated,
    NotSeen,
    PageChanged,
    TextRead,
    ValueSet,
)
from shared.flows.building.site_acts import acts_on_found, described_act, may_change_site
from tests.browser.conftest import LIMITS, Look
from tests.browser.site import Site

TWINS = "".join(f"<li>Row {n} <button onclick='out.textContent = {n}'>Delete</button></li>" for n in range(10))


async def do(session: PageSession, action: BrowserAction) -> ActionResult:
    return (await session.act(action)).result


def text(words: str) -> ByText:
    return ByText(text=words)


async def shown(session: PageSession, css: str) -> str:
    return await session.page.inner_text(css)


async def test_twins_by_text_are_ambiguous_and_listed(look: Look, session: PageSession) -> None:
    await look(f"<p id=out></p><ul>{TWINS}</ul>")
    result = await do(session, Click(target=text("Delete")))
    assert (result.ok, result.code) == (False, "ambiguous")
    assert "matches 10 elements" in result.message
    assert 'button "Delete" in "Row 3 Delete"' in result.message
    assert await shown(session, "#out") == ""


async def test_a_ref_is_stale_once_its_element_is_gone_renamed_or_another_records(
    look: Look, session: PageSession
) -> None:
    page = await look(f"<p id=out></p><ul>{TWINS}</ul><button id=b>Save</button><button id=c>Gone</button>")
    refs = {e.name: e.ref for e in page.elements if e.role == "button"}
    await session.page.evaluate(
        "b.textContent = 'Delete all'; c.remove(); document.querySelectorAll('li')[9].firstChild.data = 'Row X '"
    )
    for name in ("Save", "Gone", "Delete"):
        result = await do(session, Click(target=ByRef(ref=refs[name], snapshot_id=page.snapshot_id)))
        assert (result.ok, result.code) == (False, "stale_ref"), name
    assert await shown(session, "#out") == ""


async def test_a_number_never_falls_through_to_text(look: Look, session: PageSession) -> None:
    page = await look("<p id=out></p><button onclick='out.textContent = 1'>3</button>")
    result = await do(session, Click(target=ByRef(ref=3, snapshot_id=page.snapshot_id)))
    assert (result.ok, result.code) == (False, "not_found")
    assert await shown(session, "#out") == ""


async def test_text_prefers_the_exact_match(look: Look, session: PageSession) -> None:
    await look(
        "<p id=out></p>"
        + "".join(
            f"<button onclick='out.textContent = \"{name}\"'>{name}</button>" for name in ("SAVE", "Save", "Save all")
        )
    )
    assert (await do(session, Click(target=text("Save")))).ok
    assert await shown(session, "#out") == "Save"
    assert (await do(session, Click(target=text("save a")))).ok
    assert await shown(session, "#out") == "Save all"
    assert (await do(session, Click(target=text("save")))).code == "ambiguous"


@pytest.mark.parametrize(
    "page",
    [
        "<main aria-hidden=true>{button}</main><div role=dialog aria-modal=true>{inner}</div>",
        "<main inert>{button}</main><div role=dialog>{inner}</div>",
        "{button}<dialog>{inner}</dialog><script>document.querySelector('dialog').showModal()</script>",
        "{button}<div style='position:fixed;inset:0'><div role=dialog aria-modal=true>{inner}</div></div>",
    ],
)
async def test_of_two_buttons_of_a_name_the_one_in_the_open_dialog_is_meant(
    look: Look, session: PageSession, page: str
) -> None:
    button = "<p id=out></p><button onclick='out.textContent = \"opened\"'>Log in</button>"
    await look(page.format(button=button, inner=button.replace("opened", "sent").replace("<p id=out></p>", "")))
    assert (await do(session, Click(target=text("Log in")))).ok
    assert await shown(session, "#out") == "sent"


async def test_a_list_beside_a_dialog_that_does_not_cover_it_competes(look: Look, session: PageSession) -> None:
    await look("<button>Peru</button><div role=dialog aria-modal=true><button>Peru</button></div>")
    assert (await do(session, Click(target=text("Peru")))).code == "ambiguous"


async def test_nothing_found_lists_what_there_is(look: Look, session: PageSession) -> None:
    await look("<a href=/>Home</a>" + "".join(f"<button>B{n}</button>" for n in range(30)))
    result = await do(session, Click(target=text("Save")))
    assert (result.ok, result.code) == (False, "not_found")
    assert 'link "Home"; button "B0"' in result.message
    assert "and 11 more" in result.message


async def test_css_must_match_one(look: Look, session: PageSession) -> None:
    await look("<p id=out></p><button class=a onclick='out.textContent = 1'>A</button><i class=b>1</i><i class=b>2</i>")
    assert (await do(session, Click(target=ByCss(css="button.a")))).effect == PageChanged()
    assert (await do(session, Click(target=ByCss(css=".b")))).code == "ambiguous"
    assert (await do(session, Click(target=ByCss(css=".none")))).code == "not_found"
    broken = await do(session, Click(target=ByCss(css="a[")))
    assert broken.code == "not_found"
    assert "not a CSS selector" in broken.message


async def test_clicks_reach_into_frames_and_shadow_trees(look: Look, session: PageSession) -> None:
    page = await look(
        """<iframe srcdoc="<button onclick='this.textContent = 1'>Framed</button>"></iframe><p id=out></p><x-a></x-a>
        <script>
        customElements.define('x-a', class extends HTMLElement { constructor() { super();
        this.attachShadow({mode:'open'})
        .innerHTML = '<button onclick="out.textContent=2">Shade</button>' } })</script>"""
    )
    refs = {e.name: e.ref for e in page.elements if e.role == "button"}
    framed = await do(session, Click(target=ByRef(ref=refs["Framed"], snapshot_id=page.snapshot_id)))
    assert (framed.ok, framed.effect) == (True, PageChanged())
    assert framed.target is not None
    assert framed.target.frame != "main"
    assert (await do(session, Click(target=text("Shade")))).ok
    assert await shown(session, "#out") == "2"


async def test_the_target_is_described_for_a_later_run(look: Look, session: PageSession) -> None:
    html = "<form><label for=n>Name</label><input id=n data-testid=name></form><button>Go</button><button>Go</button>"
    await look(html)
    first = (await do(session, TypeText(target=text("Name"), text="Ann"))).target
    assert first is not None
    assert (first.role, first.name, first.tag) == ("textbox", "Name", "input")
    assert {(one.kind, one.value, one.matches) for one in first.locators} == {
        ("id", "#n", 1),
        ("testid", '[data-testid="name"]', 1),
        ("role", 'role=textbox[name="Name"]', 1),
        ("label", "Name", 1),
        ("css", "#n", 1),
    }
    await look(html)
    again = (await do(session, Extract(target=text("Name")))).target
    assert again is not None
    assert again.fingerprint == first.fingerprint
    button = (await do(session, Click(target=ByCss(css="button:last-of-type")))).target
    assert button is not None
    assert {one.kind: one.matches for one in button.locators} == {"role": 2, "text": 2, "css": 1}
    assert button.box is not None
    assert button.box.width > 0


async def test_what_a_selector_hits_is_known_before_it_is_pressed(look: Look, session: PageSession) -> None:
    page = await look("<ul><li><a class=v href=http://site/1>View</a><li><button class=s>Send</button></ul>")
    for css, named in (("a.v", "click on link 'View'"), ("button.s", "click on button 'Send'")):
        press = Click(target=ByCss(css=css))
        found = await do(session, Extract(target=press.target))
        [judged] = acts_on_found(press, found.target, page.elements)
        assert described_act(judged, page.elements) == named
        assert may_change_site(judged, page.elements, ()) == (css == "button.s")


async def test_a_typed_password_is_in_no_part_of_the_result(look: Look, session: PageSession) -> None:
    await look("<input type=password aria-label=Password oninput='document.title = 1'>")
    result = await do(session, TypeText(target=text("Password"), text="hunter2"))
    assert (result.ok, result.effect) == (True, ValueSet(value="(hidden)"))
    assert "hunter2" not in str(result)
    assert (await do(session, Extract(target=text("Password")))).effect == TextRead(text="(hidden)")
    assert await session.page.input_value("input") == "hunter2"


async def test_clicks_say_what_came_of_them(look: Look, session: PageSession, site: Site) -> None:
    site.add("/next", "<h1>Next</h1>")
    url = site.add(
        "/start",
        "<a href=/next>Next</a><a href=/lost>Lost</a><label><input type=checkbox>Agree</label><button>Dead</button>",
    )
    await do(session, Goto(url=url))
    assert (await do(session, Click(target=text("Agree")))).effect == CheckboxSet(checked=True)
    assert (await do(session, Click(target=text("Agree")))).effect == CheckboxSet(checked=False)
    assert (await do(session, Click(target=text("Dead")))).effect == NotSeen()
    moved = await do(session, Click(target=text("Next")))
    assert moved.effect == Navigated(url=f"{site.url}/next", http_status=200)
    assert (moved.change.url_before, moved.change.url_after) == (url, f"{site.url}/next")
    await do(session, Goto(url=url))
    lost = await do(session, Click(target=text("Lost")))
    assert (lost.ok, lost.code, lost.change.http_status) == (False, "http_error", 404)


async def test_a_ticking_clock_is_no_effect_of_a_click(look: Look, session: PageSession) -> None:
    await look(
        "<p id=c>0</p><button>Dead</button><script>window.ticks = 0;"
        "setInterval(() => { c.textContent = ++window.ticks }, 130)</script>"
    )
    await do(session, Scroll())
    now = await session.page.evaluate("window.ticks")
    await session.page.wait_for_function(f"window.ticks > {now + 3}")
    assert (await do(session, Click(target=text("Dead")))).effect == NotSeen()


async def test_a_slow_page_behind_a_link_is_waited_for(session: PageSession, site: Site) -> None:
    gate = asyncio.Event()
    site.add("/slow", "<h1>Slow</h1>", gate=gate)
    await do(session, Goto(url=site.add("/to-slow", "<a href=/slow>Go</a>")))
    clicking = asyncio.create_task(do(session, Click(target=text("Go"))))
    await site.asked_for("/slow").wait()
    gate.set()
    assert (await clicking).effect == Navigated(url=f"{site.url}/slow", http_status=200)


async def test_a_new_tab_is_followed_and_its_end_survived(session: PageSession, site: Site, look: Look) -> None:
    site.add("/tab", "<h1>Tab</h1><button onclick='window.close()'>Close me</button>")
    await do(session, Goto(url=site.add("/opener", "<a href=/tab target=_blank>Open</a>")))
    result = await do(session, Click(target=text("Open")))
    assert result.effect == Navigated(url=f"{site.url}/tab", http_status=200)
    assert result.change.new_tabs == 1
    assert (await look()).elements[0].name == "Tab"
    closed = await do(session, Click(target=text("Close me")))
    assert closed.change.url_after == f"{site.url}/opener"
    assert (await look()).elements[0].name == "Open"


async def test_goto_tells_what_the_server_said(session: PageSession, site: Site) -> None:
    ok = await do(session, Goto(url=site.add("/ok", "<title>Fine</title>")))
    assert (ok.ok, ok.change.http_status, ok.change.title) == (True, 200, "Fine")
    missing = await do(session, Goto(url=f"{site.url}/missing"))
    assert (missing.ok, missing.code, missing.change.http_status) == (False, "http_error", 404)
    assert "404" in missing.message
    site.add("/broken", "oops", status=500)
    assert (await do(session, Goto(url=f"{site.url}/broken"))).change.http_status == 500
    site.add("/moved", "", status=302, headers={"location": "/ok"})
    moved = await do(session, Goto(url=f"{site.url}/moved"))
    assert moved.effect == Navigated(url=f"{site.url}/ok", http_status=200)


async def test_goto_where_nothing_can_be_had(session: PageSession, site: Site) -> None:
    closed = Site()
    await closed.start()
    await closed.stop()
    assert (await do(session, Goto(url=closed.url))).code == "unreachable"
    assert (await do(session, Goto(url="http://no-such-host.invalid/"))).code == "unreachable"
    for url in ("file:///etc/passwd", "javascript:alert(1)", "chrome://version", "no url", "data:text/html,x"):
        assert (await do(session, Goto(url=url))).code == "policy_denied"


async def test_a_page_that_does_not_come_is_a_timeout(session: PageSession, site: Site) -> None:
    session.limits = type(session.limits)(3.0, 0.3, 1.0, 1000)
    result = await do(session, Goto(url=site.add("/never", "x", gate=asyncio.Event())))
    assert (result.ok, result.code) == (False, "timeout")


async def test_waiting_for_what_comes_and_what_does_not(look: Look, session: PageSession) -> None:
    await look("<p id=p></p><script>setTimeout(() => { p.textContent = 'Ready' }, 300)</script>")
    assert (await do(session, Wait(target=text("Ready"), timeout_s=60))).effect == Appeared()
    late = await do(session, Wait(target=text("Never"), timeout_s=0.2))
    assert (late.ok, late.code) == (False, "timeout")
    assert (await do(session, Wait(timeout_s=60))).ok


async def test_extract_reads_one_element_and_one_run_of_text(look: Look, session: PageSession) -> None:
    page = await look("<div>Paid by Ann <a href=/>more</a> in May</div><input aria-label=Sum value=7>")
    runs = {e.name: e.ref for e in page.elements}
    run = await do(session, Extract(target=ByRef(ref=runs["in May"], snapshot_id=page.snapshot_id)))
    assert run.effect == TextRead(text="in May")
    assert (await do(session, Extract(target=ByCss(css="div")))).effect == TextRead(text="Paid by Ann more in May")
    assert (await do(session, Extract(target=text("Sum")))).effect == TextRead(text="7")
    assert (await do(session, Extract(target=text("Nothing like it")))).code == "not_found"


@pytest.mark.usefixtures("patient")
async def test_text_that_is_taken_back_is_not_told_as_typed(session: PageSession) -> None:
    session.limits = LIMITS  # a tenth of the wait would end before the page's timer
    await session.page.set_content("<label>Name<input oninput='setTimeout(() => this.value = null, 20)'></label>")
    result = await do(session, TypeText(target=text("Name"), text="abc"))
    assert (result.ok, result.code, result.effect) == (False, "effect_not_seen", ValueSet(value=""))


async def test_a_window_that_opens_as_a_page_is_loaded_is_not_looked_at(session: PageSession, site: Site) -> None:
    site.add("/news", "<h1>News</h1>")
    record = site.add("/record", "<h1>TCK-1</h1><a id=a href=/news target=_blank>More</a><script>a.click()</script>")
    opened = await do(session, Goto(url=record))
    assert (opened.ok, session.page.url) == (True, record)
    await session.observe("s1")
    assert session.page.url == record
    followed = await do(session, Click(target=ByText(text="More")))
    assert (followed.ok, session.page.url) == (True, f"{site.url}/news")


async def test_a_choice_that_a_page_takes_back_soon_was_not_made(session: PageSession, site: Site) -> None:
    options = "<option>-<option>France</select>"
    takes_back = "setTimeout(() => { this.selectedIndex = 0 }, 900)"
    await session.act(Goto(url=site.add("/back", f'<select aria-label=Land onchange="{takes_back}">{options}')))
    picked = await do(session, PickOption(target=ByText(text="Land"), option="France"))
    assert (picked.ok, picked.code) == (False, "effect_not_seen")
    await session.act(Goto(url=site.add("/kept", f"<select aria-label=Land>{options}")))
    assert (await do(session, PickOption(target=ByText(text="Land"), option="France"))).ok


async def test_a_character_that_no_font_has_is_known_by_the_box_in_its_place(session: PageSession) -> None:
    assert await without_font(session.page, ("a", "\u0379", "7", "\u0530")) == ("\u0379", "\u0530")

"""Hard observations: closed shadow trees, listeners, covers, cross-site frames, insignificant changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from services.browser_pool.adapters.browser.chromium import Chromium
from services.browser_pool.adapters.observe.engine import UNFORGED
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.snapshot import compose
from services.browser_pool.ports import SessionTerms
from shared.contracts.actions import ByRef, Click, Goto, TypeText
from shared.contracts.browser_pool import Element, PageObserved
from tests.browser.action_steps import listed
from tests.browser.conftest import Look
from tests.browser.site import Site


def told(page: PageObserved) -> list[tuple[str, str]]:
    return [(one.role, one.name) for one in page.elements]


def one(page: PageObserved, name: str) -> Element:
    found = [element for element in page.elements if element.name == name]
    assert len(found) == 1, page.text
    return found[0]


async def press(session: PageSession, page: PageObserved, name: str) -> object:
    return (await session.act(Click(target=ByRef(ref=one(page, name).ref, snapshot_id=page.snapshot_id)))).result


CLOSED = """<x-pay></x-pay><div id=host></div><script>
customElements.define('x-pay', class extends HTMLElement { constructor() { super();
  const root = this.attachShadow({mode: 'closed'}); root.innerHTML = '<button>Pay</button><x-more></x-more>';
  root.querySelector('button').onclick = () => document.title = 'paid' } });
customElements.define('x-more', class extends HTMLElement { constructor() { super();
  this.attachShadow({mode: 'closed'}).innerHTML = '<input aria-label=Code>' } });
const root = host.attachShadow({mode: 'closed'}); root.innerHTML = '<p>Kept close</p>';
</script>"""


async def test_closed_shadow_trees_are_seen_and_worked(look: Look, session: PageSession) -> None:
    page = await look(CLOSED)
    assert told(page) == [("button", "Pay"), ("textbox", "Code"), ("text", "Kept close")]
    await press(session, page, "Pay")
    page = await look()
    assert page.title == "paid"
    code = ByRef(ref=one(page, "Code").ref, snapshot_id=page.snapshot_id)
    assert (await session.act(TypeText(target=code, text="42"))).result.ok
    assert one(await look(), "Code").value == "42"


async def test_a_closed_tree_declared_in_the_source_is_seen(session: PageSession, look: Look, site: Site) -> None:
    url = site.add(
        "/declared", "<section><template shadowrootmode=closed><a href=/in>Inside</a></template></section><p>Out"
    )
    await session.page.goto(url)
    assert told(await look()) == [("link", "Inside"), ("text", "Out")]


@pytest.mark.parametrize("count", [100, 101])
async def test_bare_elements_that_listen_are_buttons(look: Look, count: int) -> None:
    page = await look(
        f"<main></main><p>no button</p><script>for (let i = 0; i < {count}; i++) {{"
        "const el = document.createElement('div'); el.textContent = 'Row ' + i; el.addEventListener('click', () => 0);"
        "document.querySelector('main').append(el) }</script>",
        max_tokens=50_000,
    )
    assert [role for role, _ in told(page)] == ["button"] * count + ["text"]


async def test_one_listener_for_a_list_makes_its_items_buttons_and_one_for_the_page_makes_nothing(look: Look) -> None:
    page = await look(
        """<ul id=list><li>One<li>Two<li>Three</ul><div id=app><h1>Head</h1><p>Words <a href=/x>Link</a></p></div>
        <script>for (const el of [list, app, document.body, document]) el.addEventListener('click', () => 0)</script>"""
    )
    assert listed(told(page)) == "button One; button Two; button Three; heading Head; text Words; link Link"


async def test_reading_listeners_again_and_again_does_not_end_the_page(look: Look, session: PageSession) -> None:
    for turn in range(4):
        page = await look(
            f"<p>{turn}</p><div id=go>Go</div><script>document.body.addEventListener('click', () => 0);"
            "go.onclick = () => { go.textContent = 'Gone' }</script>"
        )
        await press(session, page, "Go")
        assert one(await look(), "Gone").role == "button"


async def test_drawn_shapes_that_listen_are_told_by_what_they_look_like(look: Look) -> None:
    page = await look(
        """<svg width=200 height=100><rect id=a width=40 height=40 fill=red /><circle id=b cx=80 cy=20 r=15>
        <title>Mars</title></circle></svg><div id=c style="width:30px;height:30px;background-color:olive"></div>
        <script>for (const el of [a, b, c]) el.addEventListener('click', () => 0)</script>"""
    )
    assert told(page) == [("button", "red rect"), ("button", "Mars"), ("button", "olive box")]


async def test_what_lies_under_something_says_so(look: Look) -> None:
    page = await look(
        """<button>Below</button><button style="position:absolute;top:300px">Free</button>
        <div role=dialog aria-label=Cookies style="position:fixed;top:0;left:0;width:100%;height:200px;background:#fff">
        <button>Close</button></div>"""
    )
    assert one(page, "Below").covered_by == 'dialog "Cookies"'
    assert [one(page, name).covered_by for name in ("Free", "Close")] == [None, None]
    assert '[1] [button] "Below" (covered)' in page.text
    assert '... 1 covered by dialog "Cookies"' in page.text


async def test_what_is_scrolled_out_of_its_list_is_not_covered(look: Look) -> None:
    page = await look(
        "<div style='height:60px;overflow:auto'>"
        + "".join(f"<button style='display:block;height:30px'>B{n}</button>" for n in range(6))
        + "</div><button>Under</button>"
    )
    assert [(e.name, e.in_viewport, e.covered_by) for e in page.elements if e.name in ("B0", "B5", "Under")] == [
        ("B0", True, None),
        ("B5", False, None),
        ("Under", True, None),
    ]


async def test_what_is_cut_down_to_nothing_is_not_told(look: Look) -> None:
    page = await look(
        """<style>.sr {position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}</style>
        <button class=sr>Skip</button><p style="clip-path:inset(100%)">cut</p><span class=sr>nobody</span>
        <p><i class="icon-ok" style="display:inline-block;width:9px;height:9px"></i><span class=sr>Passed</span></p>"""
    )
    assert [name for _, name in told(page)] == ["icon ok", "Passed"]


@pytest_asyncio.fixture(loop_scope="session")
async def wide(chromium: Chromium) -> AsyncIterator[PageSession]:
    """A session that may see two sites: to the browser, localhost is another one."""
    hosts = ("127.0.0.1", "localhost")
    leased = await chromium.open_session(SessionTerms(allowed_hosts=hosts, private_hosts=hosts))
    yield leased
    await leased.close()


async def seen_by(session: PageSession, snapshot_id: str) -> PageObserved:
    return compose(await session.observe(snapshot_id), snapshot_id)


async def test_frames_stand_where_they_are_also_those_of_other_sites(wide: PageSession, site: Site) -> None:
    elsewhere = site.url.replace("127.0.0.1", "localhost")
    site.add("/inner", "<p>Inner</p><button onclick=\"this.textContent='Done'\">Do</button>")
    url = site.add("/outer", f"<p>Before</p><iframe src='{elsewhere}/inner' height=90></iframe><p>After</p>")
    await wide.page.goto(url)
    page = await seen_by(wide, "s1")
    assert [name for _, name in told(page) if name] == ["Before", "Inner", "Do", "After"]
    assert [element.ref for element in page.elements] == sorted(element.ref for element in page.elements)
    await press(wide, page, "Do")
    assert ("button", "Done") in told(await seen_by(wide, "s2"))


async def test_a_frame_whose_server_never_answers_holds_up_nothing_else(
    look: Look, session: PageSession, site: Site
) -> None:
    site.add("/silent", "<p>late</p>", gate=asyncio.Event())
    url = site.add("/holder", "<p>Mine</p><iframe src=/silent title=Silent></iframe><button>Go</button>")
    await session.page.goto(url, wait_until="commit")
    await site.asked_for("/silent").wait()
    page = await look()
    assert told(page) == [("text", "Mine"), ("iframe", "Silent"), ("button", "Go")]


async def test_a_clock_in_a_row_does_not_make_its_button_stale_and_another_record_does(
    look: Look, session: PageSession
) -> None:
    page = await look(
        """<table><tr><td id=who>Ann</td><td id=t style="min-width: 300px">0</td>
        <td><button onclick="document.title='hit'">Open</button>
        <tr><td>Bob</td><td>-</td><td><button>Open</button></table>
        <script>setInterval(() => { t.textContent = performance.now() }, 5)</script>"""
    )
    await session.page.wait_for_function("Number(t.textContent) > 200")
    target = next(element for element in page.elements if element.name == "Open")
    click = Click(target=ByRef(ref=target.ref, snapshot_id=page.snapshot_id))
    assert (await session.act(click)).result.ok
    await session.page.evaluate("who.textContent = 'Eve'")
    assert (await session.act(click)).result.code == "stale_ref"


async def test_every_element_carries_a_fingerprint_and_ways_to_find_it(look: Look) -> None:
    html = "<p id=lead>Hello</p><ul><li><button data-testid=a>Go</button><li><button>Go</button></ul>"
    page = await look(html, locators=True)
    first, second = (element for element in page.elements if element.role == "button")
    assert first.fingerprint == second.fingerprint != one(page, "Hello").fingerprint
    found = {locator.kind: (locator.value, locator.matches) for locator in first.locators}
    assert found["testid"] == ('[data-testid="a"]', 1)
    assert found["role"] == ('role=button[name="Go"]', 2)
    assert found["text"] == ("Go", 2)
    assert found["css"][1] == 1
    assert (await look(html)).elements[0].locators == ()


async def test_what_is_different_from_an_earlier_look_is_said(session: PageSession, look: Look) -> None:
    await look("<button onclick=\"out.textContent='Saved'\">Save</button><p id=out></p><input aria-label=Name>")
    await session.observe("first")
    await session.page.click("button")
    await session.page.fill("input", "Ann")
    page = compose(await session.observe("second", since="first"), "second")
    assert page.difference == "+ text | Saved\n~ textbox | Name | = => = Ann"
    assert (await look()).difference is None


async def test_hash_routes_polls_and_sockets_are_ordinary(look: Look, session: PageSession, site: Site) -> None:
    site.add("/ping", "{}", content_type="application/json")
    url = site.add(
        "/app",
        """<div id=app></div><script>
        const show = () => { app.textContent = 'At ' + location.hash };
        addEventListener('hashchange', show);
        setTimeout(() => { location.hash = '#/tickets/7' }, 30); setInterval(() => fetch('/ping'), 40);
        new WebSocket(location.origin.replace('http', 'ws') + '/socket').onerror = () => 0;
        </script>""",
    )
    opened = (await session.act(Goto(url=url))).result
    assert opened.ok
    page = await look()
    assert [name for _, name in told(page)] == ["At #/tickets/7"]
    assert page.url.endswith("#/tickets/7")


async def test_widgets_are_told_once_and_by_the_name_people_read(look: Look) -> None:
    page = await look(
        """<label for=speed>Speed</label>
        <span id=speed role=combobox tabindex=0 aria-expanded=false><span>Fast</span></span>
        <ul role=menu tabindex=0 id=menu><li role=presentation><div role=menuitem aria-haspopup=true>File</div></ul>
        <div style="cursor:pointer"><button>Rename</button></div>
        <script>menu.addEventListener('click', () => 0)</script>"""
    )
    assert [(e.role, e.name, e.value, e.states) for e in page.elements if e.role != "text"] == [
        ("combobox", "Speed", "Fast", ("collapsed",)),
        ("menuitem", "File", None, ("opens more",)),
        ("button", "Rename", None, ()),
    ]


async def test_a_container_that_listens_does_not_swallow_what_is_in_it(look: Look) -> None:
    page = await look(
        """<div id=group><div role=radio tabindex=0>Small</div><div role=radio tabindex=0>Large</div></div>
        <svg id=map width=90 height=90><rect id=box width=20 height=20 fill=red /><text id=ch y=40 fill=green>8</text>
        <circle cx=60 cy=60 r=9 /></svg>
        <script>for (const el of [group, map, box, ch]) el.addEventListener('click', () => 0)</script>"""
    )
    assert listed(told(page)) == "radio Small; radio Large; button; button red rect; button 8, green; img circle"


async def test_a_label_is_told_even_if_what_it_labels_is_hidden(look: Look) -> None:
    page = await look(
        """<label for=country>Country</label>
        <div role=combobox tabindex=0><select id=country hidden><option>Peru</select><div>Choose</div></div>"""
    )
    assert [(e.role, e.name, e.value) for e in page.elements] == [
        ("text", "Country", None),
        ("combobox", "Country", "Choose"),
    ]


@pytest.mark.usefixtures("patient")
async def test_what_still_moves_has_not_come_to_rest(look: Look, session: PageSession) -> None:
    page = await look(
        """<style>#menu {opacity:0; transition:opacity .3s} #menu.open {opacity:1}</style>
        <button onclick="menu.className='open'">More</button><div id=menu><a href=/x>Export</a></div>
        <script></script>"""
    )
    await press(session, page, "More")
    assert ("link", "Export") in told(await look())


async def test_a_page_cannot_name_its_fields_so_that_we_see_nothing(look: Look) -> None:
    names = [*UNFORGED, "value", "type", "style", "name"]
    forms = "".join(
        f"<form><p>Here</p><input name={name} aria-label=Field><button>Go</button></form>"
        f"<form name={name}></form><img name={name} alt=Logo src='data:,' width=9 height=9>"
        for name in names
    )
    page = await look(forms, max_tokens=100_000)
    assert told(page) == [("text", "Here"), ("textbox", "Field"), ("button", "Go"), ("img", "Logo")] * len(names)


async def test_a_document_without_a_root_is_empty_and_no_error(look: Look, session: PageSession) -> None:
    await look("<p>here</p>")
    await session.page.evaluate("document.documentElement.remove()")
    page = await look()
    assert (page.elements, page.triggers) == ((), ("empty",))


async def test_text_cannot_close_its_quotes_or_turn_its_direction(look: Look) -> None:
    page = await look('<button>Pay" (checked) = "x</button><p>safe \u202e evil</p><pre>hello\n[9] [button] "Go"</pre>')
    assert page.text.splitlines() == [
        r'[1] [button] "Pay\" (checked) = \"x"',
        '[2] [text] "safe live"',  # as a person sees it
        r'[3] [text] "hello [9] [button] \"Go\""',
    ]


async def test_while_a_question_is_open_that_is_all_there_is_to_see(look: Look, session: PageSession) -> None:
    page = await look("<button onclick=\"confirm('Sure?')\">Delete</button><p>More</p>")
    await press(session, page, "Delete")
    page = await look()
    assert (page.elements, page.dialog) == ((), "confirm: Sure?")
    assert page.text == '[dialog] "confirm: Sure?" (waits for an answer: use dialog)'


async def test_what_a_frame_shows_is_seen_also_where_the_page_runs_scripts(look: Look) -> None:
    page = await look(
        "<iframe srcdoc=\"<button onclick='1'>Framed</button>\"></iframe><button id=own>Own</button>"
        "<script>own.addEventListener('click', () => 0)</script>"
    )
    assert told(page) == [("iframe", ""), ("button", "Framed"), ("button", "Own")]


async def test_an_action_says_what_came_up_in_the_page(look: Look, session: PageSession, site: Site) -> None:
    site.add("/next", "<h1>Next</h1>")
    page = await look(
        """<button onclick="out.textContent='Saved at noon'; more.hidden=false">Save</button><p id=out></p>
        <div id=more hidden>More <a href=/next>Next</a></div>"""
    )
    result = (await session.act(Click(target=ByRef(ref=1, snapshot_id=page.snapshot_id)))).result
    assert result.change.appeared == ("Saved at noon", "More Next")
    opened = (await session.act(Goto(url=f"{site.url}/next"))).result
    assert opened.change.appeared == ()

"""Observations of real pages in a real browser."""

from __future__ import annotations

from services.browser_pool.adapters.session import PageSession
from shared.contracts.browser_pool import Element, PageObserved, cut_marker
from tests.browser.action_steps import listed
from tests.browser.conftest import Look
from tests.browser.site import Site


def one(page: PageObserved, role: str, name: str | None = None) -> Element:
    found = [e for e in page.elements if e.role == role and (name is None or e.name == name)]
    assert len(found) == 1, page.text
    return found[0]


def texts(page: PageObserved) -> list[str]:
    return [e.name for e in page.elements if e.role == "text"]


async def test_names_come_from_where_the_page_keeps_them(look: Look) -> None:
    page = await look(
        """<span id=a>First</span><button aria-labelledby=a>x</button><button aria-label=Second>y</button>
        <label for=t>Third</label><input id=t><label>Fourth <input type=checkbox></label>
        <input placeholder=Fifth><input title=Sixth><img alt=Seventh src="data:," width=9 height=9>
        <svg width=9 height=9 role=img><title>Eighth</title></svg><button><img alt=Ninth src="data:,"></button>"""
    )
    assert listed([(e.role, e.name) for e in page.elements if e.role != "text"]) == (
        "button First; button Second; textbox Third; checkbox Fourth; textbox Fifth; textbox Sixth; img Seventh; "
        "img Eighth; button Ninth"
    )


async def test_the_language_that_a_document_says_it_is_in(look: Look) -> None:
    assert (await look("<html lang=pt-BR><p>Oi</p>")).lang == "pt-BR"
    assert (await look(f"<html lang={'x' * 99}><p>x</p>")).lang == "x" * 35
    assert (await look("<p>x</p>")).lang == ""


async def test_values_and_states(look: Look) -> None:
    page = await look(
        """<input aria-label=Name value=Ann required><input aria-label=Fixed value=1 readonly>
        <input type=checkbox aria-label=On checked><input type=radio aria-label=Off>
        <button disabled>Save</button><button aria-expanded=false>Menu</button><button aria-pressed=true>Bold</button>
        <button aria-pressed=false>Italic</button><button aria-pressed=mixed>Caps</button>
        <table><tr><td><button aria-pressed=false>7</button><td><button aria-pressed=true>8</button>
        <td><button aria-pressed=false aria-label=Star>★</button></table>
        <select aria-label=Size><option>S<option selected>M</select><textarea aria-label=Note>a b</textarea>
        <div contenteditable=true aria-label=Body>rich <b>text</b></div><div role=tab aria-selected=true>Tab</div>
        <input aria-label=Bad aria-invalid=true>"""
    )
    told = {e.name: (e.value, e.states) for e in page.elements}
    assert told["Name"] == ("Ann", ("required",))
    assert told["Fixed"] == ("1", ("readonly",))
    assert told["On"] == (None, ("checked",))
    assert told["Off"] == (None, ("unchecked",))
    assert told["Save"] == (None, ("disabled",))
    assert told["Menu"] == (None, ("collapsed",))
    assert told["Bold"] == (None, ("pressed",))
    assert told["Italic"] == (None, ("not pressed",))
    assert told["Caps"] == (None, ("partly pressed",))
    assert (told["7"], told["8"]) == ((None, ()), (None, ("pressed",)))
    assert told["Star"] == (None, ("not pressed",))
    assert told["Size"] == ("M", ())
    assert told["M"] == (None, ("selected",))
    assert told["Note"] == ("a b", ())
    assert told["Body"] == ("rich text", ())
    assert told["Tab"] == (None, ("selected",))
    assert told["Bad"] == ("", ("invalid",))


async def test_text_is_data_and_is_told_once(look: Look) -> None:
    page = await look(
        "<p>Paid by <b>Ann</b> <a href=/x>on account</a>, late.</p><div>7</div><button>Go <i>on</i></button>"
    )
    assert texts(page) == ["Paid by Ann", ", late.", "7"]
    assert one(page, "link").name == "on account"
    assert one(page, "button").name == "Go on"


async def test_a_label_and_its_value_in_one_line_stay_two_things(look: Look) -> None:
    page = await look(
        "<div style='display:flex'><span>Owner</span><span>Ann</span></div>"
        "<div><span style='margin-right:30px'>Due</span><span>May</span></div><div>un<b>brok</b>en</div>one<br>two"
    )
    assert texts(page) == ["Owner", "Ann", "Due", "May", "unbroken", "one", "two"]


async def test_headers_name_values(look: Look) -> None:
    page = await look(
        """<dl><dt>Assignee<dd>Jane<dt>Due<dd></dl>
        <table><tr><th>Title</th><td>Lamp</td></tr>
        <tr><th>Priority</th><td>high</td><th>Status</th><td>open</td></tr></table>
        <table><thead><tr><th>Id<th>Who<th>Open</thead>
        <tr><th scope=row>1<td>Ann<td>yes<tr><th scope=row>2<td>Bob<td></table>"""
    )
    told = [(e.header, e.name, e.row) for e in page.elements if e.role in ("cell", "definition")]
    assert told == [
        ("Assignee", "Jane", None),
        ("Due", "", None),
        ("Title", "Lamp", 1),
        ("Priority", "high", 2),
        ("Status", "open", 2),
        ("Who", "Ann", 4),
        ("Open", "yes", 4),
        ("Who", "Bob", 5),
        ("Open", "", 5),
    ]


async def test_a_value_that_is_a_link_is_told_once_with_its_header(look: Look) -> None:
    page = await look("<dl><dt>Owner<dd><a href=/jane>Jane</a><dt>State<dd>Open <button>Change</button></dl>")
    assert one(page, "link").header == "Owner"
    assert one(page, "definition").name == "Open"
    assert texts(page) == []


async def test_what_the_markup_says_beside_a_text_is_its_title(look: Look) -> None:
    page = await look(
        """<p><time datetime=2026-11-18T09:00Z title="Nov 18">3 days ago</time></p>
        <p><span title="231,400 followers"><b>231k</b></span></p><p><data value=17>Seventeen</data></p>
        <p><abbr title="World Health Organization">WHO</abbr></p><p><span aria-label="5 of 7">5/7</span></p>
        <a href=/x title="The whole of it">Part</a><button title=Save>Save</button>
        <table><tr><th>Due<td><span> <time datetime=2026-12-02>in 2 weeks</time></span></table>
        <dl><dt>Seen<dd><later-time datetime=2026-11-20T08:00Z>yesterday</later-time></dl>"""
    )
    assert {e.name: e.title for e in page.elements if e.role not in ("columnheader", "rowheader", "term")} == {
        "3 days ago": "2026-11-18T09:00Z",
        "231k": "231,400 followers",
        "Seventeen": "17",
        "WHO": "World Health Organization",
        "5/7": "5 of 7",
        "Part": "The whole of it",
        "Save": None,
        "in 2 weeks": "2026-12-02",
        "yesterday": "2026-11-20T08:00Z",
    }
    assert '"3 days ago" (title "2026-11-18T09:00Z")' in page.text


async def test_a_title_of_more_or_of_less_than_the_text_is_not_its_title(look: Look) -> None:
    page = await look(
        f"""<div title="both of them"><p>one</p><p>two</p></div><table><tr><th>Due
        <td>was <time datetime=2026-11-18>Wednesday</time>, is open</table>
        <p><ins datetime=2026-01-01>added</ins></p><p title="{"long " * 100}">short</p>
        <ul><li>1 of <time datetime=2026-11-18>2</time> <time datetime=2026-11-19>3</time></ul>"""
    )
    assert [(e.name, e.title) for e in page.elements if e.title is not None] == []
    assert {"one", "two", "added", "short"} <= set(texts(page))


async def test_a_time_that_draws_itself_is_told_with_its_moment(look: Look) -> None:
    page = await look(
        """<dl><dt>Opened<dd><relative-time datetime=2026-11-18T09:00Z>Nov 18</relative-time></dl><script>
        const host = document.querySelector("relative-time")
        host.attachShadow({mode: "open"}).innerHTML = "<span>3 days ago</span>"</script>"""
    )
    assert one(page, "definition").name == "3 days ago"
    assert one(page, "definition").title == "2026-11-18T09:00Z"


async def test_columns_keep_their_names_under_spans(look: Look) -> None:
    page = await look(
        "<table><tr><th>A<th colspan=2>B<th>C</tr>"
        "<tr><td rowspan=2>1<td>2<td>3<td>4</tr><tr><td>5<td>6<td>7</tr></table>"
    )
    told = {e.name: e.header for e in page.elements if e.role == "cell"}
    assert told == {"1": "A", "2": "B", "3": "B", "4": "C", "5": "B", "6": "B", "7": "C"}


async def test_what_cannot_be_seen_is_not_told(look: Look) -> None:
    page = await look(
        """<p style="display:none">a</p><p style="visibility:hidden">b<i style="visibility:visible">kept</i></p>
        <p hidden>c</p><p style="opacity:0">d</p><p aria-hidden=true hidden>e</p><p inert>f</p>
        <p style="width:0;height:0;overflow:hidden">g</p><details><summary>More</summary>h</details>
        <script>var i</script>
        <template>j</template><input type=hidden value=k><p>shown</p>"""
    )
    assert texts(page) == ["kept", "shown"]
    assert one(page, "button").name == "More"
    assert len(page.elements) == 3


async def test_frames_share_one_numbering_and_boxes_count_from_the_main_corner(look: Look) -> None:
    page = await look(
        """<body style="margin:0"><p style="height:100px;margin:0">above</p>
        <iframe name=inner style="border:0"
          srcdoc="<body style='margin:0'><button style='height:20px'>In</button>"></iframe>
        <iframe style="display:none" srcdoc="<button>Unseen</button>"></iframe><p>below</p>"""
    )
    assert listed([(e.role, e.name, e.frame) for e in page.elements]) == (
        "text above main; iframe inner main; button In inner; text below main"
    )
    assert len({e.ref for e in page.elements}) == 4
    box = one(page, "button").box
    assert box is not None
    assert box.y == 100


async def test_dialogs_and_banners_are_marked(look: Look) -> None:
    page = await look(
        """<header style="position:fixed;top:0"><a href=/>Home</a></header><p style="height:3000px">text</p>
        <div style="position:fixed;bottom:0;left:0;right:0;background:white">Cookies? <button>Accept</button></div>
        <dialog open>Sure? <button>Yes</button></dialog>"""
    )
    told = {e.name: e.in_dialog for e in page.elements}
    assert told == {"Home": False, "text": False, "Cookies?": True, "Accept": True, "Sure?": True, "Yes": True}


async def test_things_that_only_behave_like_buttons(look: Look) -> None:
    page = await look(
        """<div onclick="1">One</div><span tabindex=0>Two</span><div style="cursor:pointer"><b>Three</b></div>
        <label style="cursor:pointer">Four <input type=checkbox></label>"""
    )
    assert listed([(e.role, e.name) for e in page.elements]) == "button One; button Two; button Three; checkbox Four"


async def test_a_password_is_never_told(look: Look, session: PageSession) -> None:
    page = await look(
        "<input id=p type=password aria-label=Password value=hunter2>"
        "<input aria-label=Code autocomplete=one-time-code value=4711>"
    )
    assert [(e.value, e.secret) for e in page.elements] == [("(hidden)", True), ("(hidden)", True)]
    await session.page.evaluate("document.querySelector('#p').type = 'text'")
    shown = await look()
    assert "hunter2" not in shown.text
    assert one(shown, "textbox", "Password").value == "(hidden)"
    assert one(shown, "textbox", "Password").secret


async def test_a_field_that_only_reads_hidden_is_no_secret(look: Look) -> None:
    page = await look("<input aria-label=Note value='(hidden)'>")
    assert [(e.value, e.secret) for e in page.elements] == [("(hidden)", False)]


async def test_a_text_that_is_cut_says_by_how_much(look: Look) -> None:
    page = await look(f"<p>{'x' * 2900}</p><p>y{cut_marker(900)}</p>")
    assert [(e.name, e.cut_chars) for e in page.elements] == [
        ("x" * 2000 + cut_marker(900), 900),
        (f"y{cut_marker(900)}", 0),
    ]


async def test_a_page_that_replaces_builtins_changes_nothing(look: Look) -> None:
    page = await look(
        """<script>JSON.stringify = () => '{}'; Document.prototype.querySelectorAll = () => [];
        Element.prototype.getAttribute = () => 'hacked'; window.getComputedStyle = () => ({display: 'none'});
        Array.prototype.push = () => 0; Map.prototype.get = () => 1; globalThis.exhibit = 1</script>
        <button>Real</button>"""
    )
    assert [(e.role, e.name) for e in page.elements] == [("button", "Real")]


async def test_half_a_surrogate_pair_does_not_stop_the_walk(look: Look, session: PageSession) -> None:
    await session.page.set_content("<p id=p></p><p>after</p>")
    await session.page.evaluate("document.querySelector('#p').textContent = 'x' + String.fromCharCode(0xD83D)")
    assert texts(await look())[-1] == "after"


async def test_in_view_and_absolute_links(look: Look, session: PageSession, site: Site) -> None:
    await session.page.goto(
        site.add("/a/b", "<a href='../c?q=1'>near</a><p style='height:4000px'></p><a href=d>far</a>")
    )
    page = await look()
    near, far = one(page, "link", "near"), one(page, "link", "far")
    assert (near.url, near.in_viewport) == (f"{site.url}/c?q=1", True)
    assert (far.url, far.in_viewport) == (f"{site.url}/a/d", False)
    assert page.http_status == 200
    assert page.scroll_max_y_px > 3000


async def test_a_page_that_is_one_canvas_is_not_trusted(look: Look) -> None:
    page = await look("<body style='margin:0'><canvas width=1280 height=900></canvas>")
    assert page.dom_confidence < 0.6


async def test_a_page_that_is_drawn_after_a_fetch_is_waited_for(look: Look, session: PageSession, site: Site) -> None:
    site.add("/data", '{"who": "Ann"}', content_type="application/json")
    url = site.add(
        "/spa",
        """<div id=app>Loading...</div><script>setTimeout(() => fetch('/data').then(r => r.json()).then(d =>
        setTimeout(() => { app.textContent = d.who }, 40)), 60)</script>""",
    )
    await session.page.goto(url)
    page = await look()
    assert texts(page) == ["Ann"]
    assert page.settled


async def test_a_page_that_never_rests_is_told_as_such(look: Look, session: PageSession, site: Site) -> None:
    url = site.add("/clock", "<p id=c></p><script>setInterval(() => { c.textContent = performance.now() }, 5)</script>")
    await session.page.goto(url)
    page = await look()
    assert not page.settled
    assert len(texts(page)) == 1


async def test_polling_holds_nobody_up(look: Look, session: PageSession, site: Site) -> None:
    site.add("/poll", "{}", content_type="application/json")
    url = site.add("/poller", "<p>there</p><script>setInterval(() => fetch('/poll'), 20)</script>")
    await session.page.goto(url)
    assert (await look()).settled


async def test_a_frame_whose_document_scrolls_is_read(look: Look) -> None:
    page = await look("<iframe srcdoc=\"<h1>Framed</h1><p style='height:3000px'>\"></iframe>")
    assert [one.name for one in page.elements if one.role == "heading"] == ["Framed"]


async def test_elements_that_scripts_listen_to_are_not_kept_in_memory(look: Look, session: PageSession) -> None:
    await look("<main></main><script>1</script>")
    await session.page.evaluate(
        """() => {
            const one = document.createElement('div');
            one.textContent = 'Open'; one.onclick = () => {}; one.addEventListener('click', () => {});
            document.querySelector('main').append(one); window.kept = new WeakRef(one);
        }"""
    )
    assert [element.role for element in (await look()).elements if element.name == "Open"] == ["button"]
    await session.page.evaluate("() => { document.querySelector('div').remove(); }")
    for _ in range(8):  # the last snapshots keep their elements
        await look()
    protocol = await session.page.context.new_cdp_session(session.page)
    await protocol.send("HeapProfiler.collectGarbage")
    assert await session.page.evaluate("() => window.kept.deref() === undefined")


async def test_what_a_part_has_scrolled_away_is_told_and_what_no_scrolling_brings_is_not(look: Look) -> None:
    rows = "".join(f"<p>row {n}</p>" for n in range(60))
    away = "<p style='position: absolute; top: -90px'>above all</p>"
    part = (
        f"<div id=part style='position: relative; height: 200px; overflow: auto'>{away}<a href=/2>Next</a>{rows}</div>"
    )
    page = await look(f"{part}<p style='position: absolute; left: -9999px'>beside all</p>")
    assert page.elements[0].name == "Next"
    page = await look(f"{part}<script>part.scrollTop = 1e6</script>")
    names = {one.name for one in page.elements}
    assert {"Next", "row 0", "row 59"} <= names
    assert not {"above all", "beside all"} & names

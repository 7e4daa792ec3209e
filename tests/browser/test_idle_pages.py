"""Whether a page may still change without an action, on real pages: timers, requests, connections, refreshes."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from services.browser_pool.adapters.observe.pending import count_timers
from services.browser_pool.adapters.session import PageSession
from shared.pages.loading import find_loading_sign
from tests.browser.conftest import Look
from tests.browser.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="session")
BODY = "<h1>T-1</h1><p>Nothing more is to come.</p>"


def script(body: str) -> str:
    return f"{BODY}<script>{body}</script>"


ASKED = "__exhibitPending(8000, 0)"
NOTHING_COMES = (
    BODY,
    script(""),
    script("document.title = 'T-1'"),
    script("clearTimeout(setTimeout(() => {}, 700))"),
    script("clearInterval(setInterval(() => {}, 700))"),
    script("setTimeout(() => location.reload(), 1800000)"),
    script("setInterval(() => {}, 60000)"),
    script("addEventListener('click', () => setTimeout(() => document.body.append('late'), 500))"),
    f"{BODY}<iframe srcdoc='<p>a part</p><script>1</script>'></iframe>",
)
SOMETHING_MAY_COME = (
    script("setTimeout(() => document.body.append('late'), 2500)"),
    script("window.setTimeout('document.body.append(1)', 5000)"),
    script("setInterval(() => {}, 2000)"),
    script("const frame = () => requestAnimationFrame(frame); frame()"),
    script("new EventSource('/news')"),
    script("new WebSocket('ws://' + location.host + '/news')"),
    script("new Worker(URL.createObjectURL(new Blob(['1'])))"),
    f"{BODY}<meta http-equiv=Refresh content=4>",
    f"{BODY}<iframe srcdoc='<script>setTimeout(() => parent.postMessage(1, `*`), 3000)</script>'></iframe>",
    f"{BODY}<div aria-busy=true></div>",
)


@pytest.mark.parametrize("html", NOTHING_COMES)
async def test_a_page_without_anything_pending_is_idle(look: Look, session: PageSession, site: Site, html: str) -> None:
    await session.page.goto(site.add("/idle", html))
    assert await is_idle(look)


@pytest.mark.parametrize("html", SOMETHING_MAY_COME)
async def test_a_page_that_may_change_by_itself_is_not_idle(
    look: Look, session: PageSession, site: Site, html: str
) -> None:
    await session.page.goto(site.add("/pending", html))
    for _ in range(2):
        assert not (await look()).idle


async def test_a_page_that_awaits_an_answer_is_not_idle(look: Look, session: PageSession, site: Site) -> None:
    gate = asyncio.Event()
    site.add("/held", "{}", gate=gate, content_type="application/json")
    await session.page.goto(site.add("/asking", script("fetch('/held')")))
    assert not (await look()).idle
    gate.set()
    assert await is_idle(look)


async def test_a_page_awaits_data_until_it_has_been_read_with_them(
    look: Look, session: PageSession, site: Site
) -> None:
    gate = asyncio.Event()
    site.add("/held", "{}", gate=gate, content_type="application/json")
    await session.page.goto(site.add("/asking", script("fetch('/held')")))
    assert (await look()).awaits_data
    gate.set()
    assert await is_idle(look)
    assert not (await look()).awaits_data


async def test_a_page_with_a_timer_awaits_no_data(look: Look, session: PageSession, site: Site) -> None:
    await session.page.goto(site.add("/clock", script("setInterval(() => {}, 2000)")))
    while (page := await look()).awaits_data:  # the document itself was requested just before
        continue
    assert not page.idle


async def test_a_timer_that_does_not_get_to_fire_is_late(session: PageSession) -> None:
    held = "const held = []; setTimeout = (run) => held.push(run); fire = () => held.splice(0).map((run) => run())"
    browser = session.page.context.browser
    assert browser is not None
    async with await browser.new_context() as context:
        await context.add_init_script(f"{{ {held} }}")
        await count_timers(context)
        page = await context.new_page()
        await page.evaluate("setTimeout(() => document.body.append('late'), 10)")
        while (told := await page.evaluate(ASKED)) == "due":
            continue
        assert (told, await page.evaluate(f"fire(); {ASKED}")) == ("late", True)
        while (told := await page.evaluate(ASKED)) is True:  # it has fired just now
            continue
        assert told is False
        assert "late" in await page.inner_text("body")


async def test_a_timer_that_a_new_document_has_set_is_due(session: PageSession) -> None:
    """What the document shows until then may stand in for what the timer brings; a round of a clock brings the next."""
    browser = session.page.context.browser
    assert browser is not None
    async with await browser.new_context() as context:
        await count_timers(context)
        page = await context.new_page()
        assert await page.evaluate(f"setTimeout(() => 0, 4000); {ASKED}") == "due"
        assert await page.evaluate(f"clearTimeout(1); clearTimeout(2); setInterval(() => 0, 4000); {ASKED}") is True
        assert await page.evaluate(f"setTimeout(() => 0, 7000); {ASKED}") is True


async def test_a_page_that_its_answer_refreshes_is_not_idle(look: Look, session: PageSession, site: Site) -> None:
    await session.page.goto(site.add("/renewed", BODY, headers={"Refresh": "60; url=/renewed"}))
    assert not (await look()).idle


async def test_late_content_has_come_when_the_page_is_idle(look: Look, session: PageSession, site: Site) -> None:
    gate = asyncio.Event()
    site.add("/owner", '{"owner": "Ann"}', gate=gate, content_type="application/json")
    chain = """setTimeout(() => fetch('/owner').then(r => r.json()).then(d =>
        setTimeout(() => { o.textContent = d.owner }, 90)), 200)"""
    await session.page.goto(site.add("/late", f"<p id=o></p><script>{chain}</script>"))
    pages = [await look()]
    gate.set()
    while not pages[-1].idle:
        pages.append(await look())
    assert [element.name for element in pages[-1].elements] == ["Ann"]
    assert not pages[0].idle


async def test_counting_leaves_the_functions_of_the_page_as_they_are(
    look: Look, session: PageSession, site: Site
) -> None:
    told = """
    const seen = [];
    seen.push(setTimeout.name, setTimeout.length, /native code/.test(String(setTimeout)));
    seen.push(new WebSocket('ws://127.0.0.1:9') instanceof WebSocket);
    class Own extends EventSource {}
    seen.push(new Own('/none') instanceof Own, Object.keys(window).some((name) => name.includes('exhibit')));
    setTimeout((...given) => { seen.push(...given); p.textContent = seen.join() }, 30, 'a', 'b')
    """
    await session.page.goto(site.add("/functions", f"<p id=p></p><script>{told}</script>"))
    names = [element.name for element in (await look()).elements]
    assert names == ["setTimeout,1,true,true,true,false,a,b"]


MOVES = """<style>
@keyframes m { to { opacity: .4 } }
.m { animation: m 1s infinite alternate }
.once { animation: m 300s }
.bar { display: block; width: 90px; height: 14px; background: #ddd }
.drawn::after { content: ""; display: block; width: 90px; height: 14px; background: linear-gradient(90deg, #ddd, #eee) }
.dot { display: block; width: 9px; height: 9px; background: red }
.far { height: 3000px }
</style>"""
BUSY = (
    (f"{MOVES}<main><dl><dt>Owner<dd><span class='bar m'></span></dl></main>", True),
    (f"{MOVES}<main><div class=m><div class=bar></div><div class=bar></div></div></main>", True),
    (f"{MOVES}<main><p class='drawn m'></p></main>", True),
    (f"{MOVES}<main>T-1 <i class=bar></i> <b class=m>Live</b> <i class='dot m'></i></main>", False),
    (f"{MOVES}<main>T-1 <div role=progressbar aria-valuenow=40><div class='bar m'></div></div></main>", False),
    (f"{MOVES}<main><p class=far>T-1</p><i class='bar m'></i></main><footer><i class='bar m'></i></footer>", False),
    (f"{MOVES}<main>T-1 <i class='bar once'></i></main>", False),
    ("<main aria-busy=true><p>T-1</p></main>", True),
    ("<main><div aria-busy=true></div></main>", True),
    ("<main><progress></progress></main>", True),
    ("<main><div role=progressbar style='height: 20px'></div></main>", True),
    ("<main><p>Bitte warten...</p></main>", True),
    ("<main><div aria-busy=false></div><div aria-busy=true style='display:none'></div></main>", False),
    ("<main><progress max=10 value=4></progress><p>T-1</p></main>", False),
    ("<nav><div aria-busy=true>Loading...</div></nav><main>T-1</main>", False),
    ("<aside><div role=progressbar></div></aside><main>T-1</main>", False),
)


@pytest.mark.parametrize(("html", "loads"), BUSY)
async def test_a_page_says_that_it_is_still_loading(look: Look, html: str, loads: bool) -> None:
    assert bool(find_loading_sign(await look(html))) is loads


async def is_idle(look: Look) -> bool:
    """Return whether the page is idle, once its last request has ended a while ago."""
    deadline_s = time.monotonic() + 60
    while not (await look()).idle:
        if time.monotonic() > deadline_s:
            return False
    return True


# --- what the page's own requests have not brought yet

UNANSWERED = """
fetch('/held/fetch'); const x = new XMLHttpRequest(); x.open('POST', '/held/xhr'); x.send('1');
const s = document.createElement('script'); s.src = '/held/script.js'; document.body.append(s);
navigator.sendBeacon('/held/beacon', 'x'); new Image().src = '/held/image.png'; new EventSource('/held/events');
new WebSocket('ws://' + location.host + '/held/socket'); fetch('http://localhost:9/held').catch(() => 0);
"""


async def test_a_page_tells_of_its_own_requests_that_may_bring_values(
    look: Look, session: PageSession, site: Site
) -> None:
    gate = asyncio.Event()
    held = {
        "/held/fetch",
        "/held/xhr",
        "/held/script.js",
        "/held/beacon",
        "/held/image.png",
        "/held/events",
        "/held/socket",
    }
    for path in held:
        site.add(path, "{}", gate=gate, content_type="application/json")
    session.limits = replace(session.limits, rest_s=0.2)
    await session.page.goto(site.add("/asks", script(UNANSWERED)), wait_until="commit")
    for path in ("/held/fetch", "/held/xhr", "/held/script.js"):
        await site.asked_for(path).wait()
    wanted = {f"GET {site.url}/held/fetch", f"POST {site.url}/held/xhr", f"GET {site.url}/held/script.js"}
    assert set((await look()).awaited) == wanted
    gate.set()
    while (page := await look()).awaited:
        continue
    assert page.failed == ()


async def test_a_page_tells_of_its_own_requests_that_failed(look: Look, session: PageSession, site: Site) -> None:
    site.add("/broken", "no", status=500)
    asks = "fetch('/broken'); fetch('/none-such'); fetch('http://localhost:9/x').catch(() => 0)"
    await session.page.goto(site.add("/asks-in-vain", script(asks)))
    assert await is_idle(look)
    assert (await look()).failed == (f"GET {site.url}/broken",)


async def test_a_frame_that_has_come_is_not_awaited(look: Look, session: PageSession, site: Site) -> None:
    """Nothing draws it but its document: it is read with its values at once."""
    site.add("/part", "<p>Ann Lee</p>")
    await session.page.goto(site.add("/framing", f"{BODY}<iframe src=/part></iframe>"))
    page = await look()
    assert "Ann Lee" in [element.name for element in page.elements]
    assert (page.awaited, page.idle) == ((), True)


async def test_what_stands_beside_a_bar_that_moves_is_not_certain(look: Look) -> None:
    page = await look(f"{MOVES}<main><h1>T-1</h1><dl><dt>Amount<dd>0.00<dt>Owner<dd><i class='bar m'></i></dl></main>")
    assert {e.name: "busy" in e.states for e in page.elements if e.name in ("T-1", "0.00")} == {
        "T-1": False,
        "0.00": True,
    }

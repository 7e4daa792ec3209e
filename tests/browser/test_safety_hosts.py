"""Sessions stay on the allowed hosts: links, redirects, popups, files, and parts of pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from services.browser_pool.adapters.browser.chromium import Chromium
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.ports import SessionTerms
from shared.contracts.actions import BrowserAction, ByText, Click, Download, Goto
from shared.contracts.results import ActionResult, Navigated
from tests.browser.site import LOOPBACK, Site


@pytest_asyncio.fixture(loop_scope="session")
async def elsewhere() -> AsyncIterator[Site]:
    served = Site("127.0.0.2")
    await served.start()
    served.add("/", "<h1>Elsewhere</h1>")
    yield served
    await served.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def both(chromium: Chromium) -> AsyncIterator[PageSession]:
    """May open 127.0.0.1; 127.0.0.2 is private all right, but no host of the task."""
    leased = await chromium.open_session(
        SessionTerms(allowed_hosts=("127.0.0.1",), private_hosts=("127.0.0.1", "127.0.0.2"))
    )
    yield leased
    await leased.close()


async def done(session: PageSession, action: BrowserAction) -> ActionResult:
    return (await session.act(action)).result


def click(text: str) -> Click:
    return Click(target=ByText(text=text))


def refused(result: ActionResult) -> bool:
    return not result.ok and result.code == "policy_denied"


@pytest.mark.parametrize("attributes", ["", "target=_blank", "target=_blank rel=noopener", "download"])
async def test_a_link_to_another_host_is_not_followed(
    both: PageSession, site: Site, elsewhere: Site, attributes: str
) -> None:
    here = site.add("/links", f"<a href='{elsewhere.url}/' {attributes}>Away</a><p>Here</p>")
    await done(both, Goto(url=here))
    result = await done(both, click("Away"))
    assert refused(result)
    assert "127.0.0.2" in result.message
    assert "allowed_hosts" in result.message
    assert result.change.url_after == here
    assert result.change.denied[0].startswith(elsewhere.url)
    assert result.change.new_tabs == 0
    assert not elsewhere.was_asked
    assert len(both.tabs.open_pages()) == 1


async def test_every_hop_of_a_redirect_is_looked_at(both: PageSession, site: Site, elsewhere: Site) -> None:
    site.add("/first", "", status=302, headers={"location": "/second"})
    site.add("/second", "", status=307, headers={"location": elsewhere.url + "/back"})
    elsewhere.add("/back", "", status=302, headers={"location": site.url + "/end"})
    site.add("/end", "<h1>End</h1>")
    here = site.add("/start", "<a href=/first>Go</a>")
    await done(both, Goto(url=here))
    for action in (click("Go"), Goto(url=site.url + "/first")):
        result = await done(both, action)
        assert refused(result)
        assert result.change.url_after == here
    assert not elsewhere.was_asked


@pytest.mark.parametrize(
    "script",
    ["window.open('{url}')", "location.href='{url}'", "location.replace('{url}')", "document.forms[0].submit()"],
)
async def test_scripts_get_no_further(both: PageSession, site: Site, elsewhere: Site, script: str) -> None:
    act = script.format(url=elsewhere.url + "/")
    form = f"<form method=post action='{elsewhere.url}/'><input name=x value=1></form>"
    here = site.add("/scripted", f'{form}<button onclick="{act}">Away</button>')
    await done(both, Goto(url=here))
    assert refused(await done(both, click("Away")))
    assert both.page.url == here
    assert not elsewhere.was_asked


async def test_a_page_that_sends_itself_away_is_shown_as_it_was(both: PageSession, site: Site, elsewhere: Site) -> None:
    here = site.add("/refresh", f"<meta http-equiv=refresh content='0;url={elsewhere.url}/'><h1>Here</h1>")
    result = await done(both, Goto(url=here))
    assert (result.ok, result.change.url_after) == (True, here)
    assert "Here" in str(await both.observe("s1"))
    assert not elsewhere.was_asked


async def test_a_file_from_another_host_is_not_fetched_and_the_host_is_named(
    both: PageSession, site: Site, elsewhere: Site
) -> None:
    elsewhere.add("/file.bin", b"abc", content_type="application/octet-stream")
    site.add("/file.bin", "", status=302, headers={"location": elsewhere.url + "/file.bin"})
    await done(both, Goto(url=site.add("/files", "<a href=/file.bin download>File</a>")))
    both.limits = replace(both.limits, action_s=5.0)  # as long as a file is waited for
    result = await done(both, Download(target=ByText(text="File")))
    assert refused(result)
    assert "127.0.0.2" in result.message
    assert not elsewhere.was_asked


async def test_pages_of_the_own_host_open_tabs_and_frames(both: PageSession, site: Site) -> None:
    site.add("/in", "<p>Inside</p>")
    site.add("/next", "<h1>Next</h1>")
    await done(both, Goto(url=site.add("/open", "<iframe src=/in></iframe><a href=/next target=_blank>Next</a>")))
    assert "Inside" in str(await both.observe("s1"))
    result = await done(both, click("Next"))
    assert result.ok
    assert isinstance(result.effect, Navigated)
    assert result.change.url_after == site.url + "/next"
    assert result.change.denied == ()


@pytest.mark.parametrize(
    "make", ["URL.createObjectURL(new Blob(['<h1>Made</h1>'],{type:'text/html'}))", "'data:text/html,<h1>Made</h1>'"]
)
@pytest.mark.parametrize("how", ["location.href = u", "window.open(u)"])
async def test_documents_that_a_page_makes_up_are_not_opened(
    both: PageSession, site: Site, make: str, how: str
) -> None:
    here = site.add(
        "/maker",
        f'<button>Make</button><script>document.querySelector("button").onclick=()=>{{const u={make};{how}}}</script>',
    )
    await done(both, Goto(url=here))
    await done(both, click("Make"))
    page = str(await both.observe("s1"))
    assert "Made" not in page.replace("Make", "")
    assert len(both.tabs.open_pages()) == 1


async def test_only_web_addresses_are_opened(session: PageSession, site: Site) -> None:
    for url in ("file:///etc/passwd", "data:text/html,x", "chrome://version", "javascript:1", f"blob:{site.url}/x"):
        assert refused(await done(session, Goto(url=url))), url


async def test_private_addresses_are_opened_only_where_they_are_named(chromium: Chromium, site: Site) -> None:
    """However the browser would read them; `test_pool_policy.py` knows the other forms."""
    for host in ("127.0.0.2", "a.localhost", "0x7f.0.0.2", "[::ffff:127.0.0.2]", "user@127.0.0.2"):
        fresh = await chromium.open_session(SessionTerms())
        result = await done(fresh, Goto(url=f"http://{host}:{site.port}/"))
        assert (refused(result), "private" in result.message) == (True, True), host
        await fresh.close()


async def test_without_hosts_the_first_address_decides(chromium: Chromium, site: Site, elsewhere: Site) -> None:
    fresh = await chromium.open_session(SessionTerms(private_hosts=("127.0.0.1", "127.0.0.2")))
    here = site.add("/one", f"<a href='{elsewhere.url}/'>Away</a>")
    assert (await done(fresh, Goto(url=here))).ok
    assert refused(await done(fresh, click("Away")))
    assert refused(await done(fresh, Goto(url=elsewhere.url + "/")))
    await fresh.close()


PARTS = """<p>Page</p><script>
const u = '{url}';
const i = new Image(); i.src = u + '/i.png'; document.body.append(i);
const f = document.createElement('iframe'); f.src = u + '/'; document.body.append(f);
const s = document.createElement('script'); s.src = u + '/s.js'; document.body.append(s);
fetch(u + '/x', {{mode: 'no-cors'}}).catch(() => {{}});
fetch('/hop', {{mode: 'no-cors'}}).catch(() => {{}});
</script>"""


RULES = '{"prefetch":[{"source":"list","urls":["%s/ahead"]}]}'
IN_PAGE = """<div><template shadowrootmode=open><script type=speculationrules>%s</script></template></div>
<script type=speculationrules>%s</script><div id=host></div><script>
  const rules = document.createElement('script');
  rules.type = 'SpeculationRules';
  rules.textContent = '%s';
  host.attachShadow({mode: 'open'}).append(rules);
  const kept = [rules];
  for (const one of [...document.scripts].filter((script) => script.type)) kept.push(one);
</script>"""


async def test_nothing_is_fetched_ahead(both: PageSession, site: Site, elsewhere: Site) -> None:
    """The browser itself would fetch these, and would not ask."""
    rules = RULES % elsewhere.url
    site.add("/rules.json", rules, content_type="application/speculationrules+json")
    # Rules that are read are asked for at once: by the time the two answers are here, these would have been.
    site.add("/after", "")
    page = IN_PAGE % (rules, rules, rules)
    await done(both, Goto(url=site.add("/ahead", page, headers={"speculation-rules": '"/rules.json"'})))
    left = await both.page.evaluate(
        """async () => {
            for (const nth of [1, 2]) await (await fetch('/after?' + nth)).text();
            return [...kept, ...document.querySelectorAll('script[type]')].filter((one) => one.isConnected).length;
        }"""
    )
    assert left == 0
    assert not elsewhere.was_asked


async def test_parts_of_pages_from_private_addresses_are_refused(
    session: PageSession, site: Site, elsewhere: Site
) -> None:
    site.add("/hop", "", status=302, headers={"location": elsewhere.url + "/hopped"})
    result = await done(session, Goto(url=site.add("/parts", PARTS.format(url=elsewhere.url))))
    assert result.ok
    assert {told.split(": ")[0].rpartition("/")[2] for told in result.change.denied} == {
        "i.png",
        "",
        "s.js",
        "x",
        "hopped",
    }
    assert not elsewhere.was_asked


async def test_parts_from_named_private_addresses_are_loaded_whatever_the_bounds_of_other_sessions(
    both: PageSession, chromium: Chromium, site: Site, elsewhere: Site
) -> None:
    narrow = await chromium.open_session(LOOPBACK)
    page = site.add("/parts", PARTS.format(url=elsewhere.url))
    kept, free = await asyncio.gather(done(narrow, Goto(url=page)), done(both, Goto(url=page)))
    assert len(kept.change.denied) >= 4
    assert free.change.denied == ()
    assert "Elsewhere" in str(await both.observe("s1"))
    await narrow.close()

"""Pages that take all they can get: their session ends, or loses what is too much, and its neighbours go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from services.browser_pool.adapters.browser import launch
from services.browser_pool.adapters.browser.chromium import Chromium, PoolSession
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.ports import SessionTerms
from services.browser_pool.safety.limits import UseLimits
from shared.contracts.actions import Click, Goto
from shared.errors import PermanentError
from shared.settings import Settings
from tests.browser.action_steps import at, do, shown
from tests.browser.conftest import LIMITS
from tests.browser.site import LOOPBACK, Site

SMALL = UseLimits(tabs=4, frames=60, workers=8, page_memory_mb=400)
BOMBS = {
    "tabs": ("for (let i = 0; i < 100; i++) window.open('about:blank')", "tabs"),
    "tabs of their own processes": ("for (let i = 0; i < 40; i++) window.open('/pop', '', 'noopener')", "tabs"),
    "tabs without end": ("setInterval(() => window.open('/pop'), 5)", "tabs"),
    "popups of popups": ("window.open('/popups')", "tabs"),
    "frames": ("for (let i = 0; i < 150; i++) document.body.append(document.createElement('iframe'))", "frames"),
    "frames within frames": ("document.body.innerHTML += '<iframe src=/nest></iframe>'.repeat(3)", "frames"),
    "workers": ("for (let i = 0; i < 30; i++) new Worker(URL.createObjectURL(new Blob([''])))", "workers"),
    "memory": ("let kept = []; setInterval(() => kept.push(new Uint8Array(3e7).fill(1)), 20)", "400 MB"),
    "memory of a worker": (
        "new Worker(URL.createObjectURL(new Blob([`let k = []; setInterval(() => k.push('x' + 'abcdefgh'.repeat(4e6)"
        ".split('')), 10)`])))",
        "400 MB",
    ),
    "dialogs": ("setInterval(() => alert('again'), 1)", "dialogs"),
}  # fmt: skip
USUAL = {"tabs without end", "frames", "workers", "memory", "dialogs"}
"""One for each limit."""
COUNTS = """<h1>Neighbour</h1><button onclick='this.textContent = String(++window.pressed)'>0</button>
<script>pressed = 0</script>"""
NEST = "<body><script>document.body.innerHTML = '<iframe src=/nest?' + Math.random() + '></iframe>'</script>"


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def bounded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Chromium]:
    """One browser for all sessions here."""
    folder: Path = tmp_path_factory.mktemp("auth")
    limits = replace(LIMITS, use=SMALL)
    browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(folder), limits=limits)
    yield browser
    await browser.close()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def neighbour(bounded: Chromium, site: Site) -> PoolSession:
    """A session that has its page open while the bombs go off beside it."""
    session = await bounded.open_session(LOOPBACK)
    assert (await do(session, Goto(url=site.add("/neighbour", COUNTS)))).ok
    return session


async def press(session: PoolSession) -> None:
    """Press the neighbour's button: its page has kept its state, and answers."""
    before = int(await session.page.inner_text("button"))
    assert (await do(session, Click(target=at(str(before))))).ok
    assert await shown(session, "button") == str(before + 1)


@pytest.mark.parametrize(
    "bomb", [bomb if bomb in USUAL else pytest.param(bomb, marks=pytest.mark.long) for bomb in BOMBS]
)
async def test_a_page_bomb_ends_its_own_session_and_no_other(
    bounded: Chromium, neighbour: PoolSession, site: Site, bomb: str
) -> None:
    script, told = BOMBS[bomb]
    site.add("/pop", "<p>Pop")
    site.add("/popups", "<script>for (let i = 0; i < 6; i++) window.open('/popups')</script>")
    site.add("/nest", NEST)
    victim = await bounded.open_session(LOOPBACK)
    url = site.add("/bomb", f"<body><p>Bomb<script>{script}</script>")
    going = asyncio.create_task(victim.act(Goto(url=url)))
    await victim.tabs.gone.wait()
    await asyncio.gather(going, return_exceptions=True)
    with pytest.raises(PermanentError) as ended:
        await victim.observe("s1")
    assert ended.value.code == "page_over_limits"
    assert told in str(ended.value)
    assert victim.lost
    await press(neighbour)
    await victim.close()
    assert not victim.tabs.open_pages()
    again = await bounded.open_session(LOOPBACK)
    assert (await do(again, Goto(url=site.add("/after", "<h1>After</h1>")))).ok
    await again.close()


async def test_frames_of_other_sites_are_as_few_where_each_site_has_a_process(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = ("--site-per-process", "--host-resolver-rules=MAP *.example 127.0.0.1")
    monkeypatch.setattr(launch, "ARGUMENTS", (*launch.ARGUMENTS, *flags))
    limits = replace(LIMITS, use=UseLimits(tabs=1))
    browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(tmp_path), limits=limits)
    hosts = ("127.0.0.1", "*.example")
    session = await browser.open_session(SessionTerms(allowed_hosts=hosts, private_hosts=hosts))
    site.add("/part", "<p>Part")
    frames = "".join(f"<iframe src='http://s{n}.example:{site.port}/part'></iframe>" for n in range(12))
    going = asyncio.create_task(session.act(Goto(url=site.add("/sites", frames))))
    await session.tabs.gone.wait()
    await asyncio.gather(going, return_exceptions=True)
    assert "frames of other sites" in session.tabs.over_limits
    await browser.close()


async def test_tabs_beyond_the_most_are_closed_and_the_session_goes_on(bounded: Chromium, site: Site) -> None:
    session = await bounded.open_session(LOOPBACK)
    site.add("/pop", "<p>Pop")
    page = "<button onclick=\"for (let i = 0; i < 6; i++) window.open('/pop')\">Open</button>"
    await do(session, Goto(url=site.add("/opens", page)))
    result = await do(session, Click(target=at("Open")))
    assert any("4 tabs are open" in told for told in result.change.denied)
    assert len(session.tabs.open_pages()) == SMALL.tabs
    assert (await do(session, Goto(url=site.add("/after", "<h1>After</h1>")))).ok
    await session.close()


async def test_a_page_that_writes_its_history_without_end_is_left_like_any_other(
    bounded: Chromium, neighbour: PoolSession, site: Site
) -> None:
    session = await bounded.open_session(LOOPBACK)
    script = "let n = 0; setInterval(() => {for (let i = 0; i < 50; i++) history.pushState(0, '', '?' + n++)}, 5)"
    assert (await do(session, Goto(url=site.add("/history", f"<p>History<script>{script}</script>")))).ok
    await press(neighbour)
    assert (await do(session, Goto(url=site.add("/after", "<h1>After</h1>")))).ok
    assert await shown(session, "h1") == "After"
    await session.close()


async def test_a_page_whose_script_never_ends_is_left(session: PageSession, site: Site) -> None:
    session.limits = replace(session.limits, action_s=2.0)
    await do(session, Goto(url=site.add("/endless", "<button onclick='while (true);'>Go</button>")))
    clicked = await do(session, Click(target=at("Go")))
    assert (clicked.ok, clicked.code) == (False, "timeout")
    result = await do(session, Goto(url=site.add("/after", "<h1>After</h1>")))
    assert (result.ok, result.change.url_after) == (True, site.url + "/after")
    assert "did not answer" in result.message
    assert await shown(session, "h1") == "After"
    assert len(session.tabs.open_pages()) == 1

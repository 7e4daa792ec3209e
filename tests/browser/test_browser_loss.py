"""Browser crashes, and what remains after everything is closed."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from services.browser_pool.adapters.browser.chromium import Chromium
from services.browser_pool.adapters.browser.launch import find_browser
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import ByText, Click, Goto
from shared.errors import PermanentError, Unavailable
from shared.settings import Settings
from tests.browser.browser_process import pid_of
from tests.browser.conftest import LIMITS
from tests.browser.site import LOOPBACK, Site


@pytest_asyncio.fixture(loop_scope="session")
async def own(tmp_path: Path) -> AsyncIterator[Chromium]:
    browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(tmp_path), limits=LIMITS)
    yield browser
    await browser.close()


@pytest.mark.usefixtures("chromium")
async def test_a_killed_browser_loses_its_sessions_and_is_started_again(own: Chromium, site: Site) -> None:
    session = await own.open_session(LOOPBACK)
    await session.act(Goto(url=site.add("/alive", "<button>A</button>")))
    pid = await pid_of(session)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(Unavailable) as act:
        await session.act(Click(target=ByText(text="A")))
    with pytest.raises(Unavailable) as observe:
        await session.observe("s")
    assert act.value.code == observe.value.code == "session_lost"
    assert session.lost
    await session.close()
    fresh = await own.open_session(LOOPBACK)
    assert (await fresh.act(Goto(url=f"{site.url}/alive"))).result.ok
    assert await pid_of(fresh) != pid


@pytest.mark.usefixtures("chromium")
async def test_a_browser_killed_in_the_middle_of_an_action(own: Chromium, site: Site) -> None:
    session = await own.open_session(LOOPBACK)
    going = asyncio.create_task(session.act(Goto(url=site.add("/held", "x", gate=asyncio.Event()))))
    pid = await pid_of(session)
    await site.asked_for("/held").wait()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(Unavailable) as lost:
        await going
    assert lost.value.code == "session_lost"


async def test_a_crashed_page_is_a_lost_session(session: PageSession, site: Site) -> None:
    await session.act(Goto(url=site.add("/crash", "<p>x</p>")))
    cdp = await session.page.context.new_cdp_session(session.page)
    crashed = asyncio.Event()
    session.page.on("crash", lambda _: crashed.set())
    crashing = asyncio.create_task(cdp.send("Page.crash"))
    await crashed.wait()
    with pytest.raises(Unavailable) as lost:
        await session.observe("s")
    assert lost.value.code == "session_lost"
    crashing.cancel()
    await asyncio.gather(crashing, return_exceptions=True)


async def test_a_page_closed_by_itself_is_a_lost_session(session: PageSession) -> None:
    await session.page.close()
    assert session.lost
    with pytest.raises(Unavailable) as lost:
        await session.act(Click(target=ByText(text="A")))
    assert lost.value.code == "session_lost"


@pytest.mark.usefixtures("chromium")
async def test_no_browser_is_left_behind(own: Chromium) -> None:
    pid = await pid_of(await own.open_session(LOOPBACK))
    watched = os.pidfd_open(pid)
    await own.close()
    ended, _, _ = await asyncio.to_thread(select.select, [watched], [], [], 10)
    os.close(watched)
    assert ended


async def test_sessions_share_nothing(chromium: Chromium, site: Site) -> None:
    url = site.add("/cookie", "<p>x</p><script>document.title = document.cookie; document.cookie = 'a=1'</script>")
    titles: list[str] = []
    for _ in range(2):
        session = await chromium.open_session(LOOPBACK)
        titles.append((await session.act(Goto(url=url))).result.change.title)
        await session.close()
    assert titles == ["", ""]


async def test_a_login_state_is_used_and_a_missing_one_is_told(own: Chromium, tmp_path: Path, site: Site) -> None:
    host = "127.0.0.1"
    (tmp_path / "ann.json").write_text(
        f'{{"cookies": [{{"name": "who", "value": "ann", "domain": "{host}", "path": "/", "expires": -1,'
        ' "httpOnly": false, "secure": false, "sameSite": "Lax"}], "origins": []}'
    )
    session = await own.open_session(replace(LOOPBACK, auth_profile="ann"))
    url = site.add("/who", "<p>x</p><script>document.title = document.cookie</script>")
    assert (await session.act(Goto(url=url))).result.change.title == "who=ann"
    for name in ("bob", "../ann"):
        with pytest.raises(PermanentError) as missing:
            await own.open_session(replace(LOOPBACK, auth_profile=name))
        assert missing.value.code == "no_auth_profile"


def test_the_browser_that_is_named_comes_first(tmp_path: Path) -> None:
    named, own_one = tmp_path / "named", tmp_path / "own"
    for path in (named, own_one):
        path.touch()
    assert find_browser(named, own_one, lambda _: None) == named
    assert find_browser(None, own_one, lambda _: "/usr/bin/x") == own_one
    assert find_browser(None, tmp_path / "none", lambda name: f"/bin/{name}") == Path("/bin/chromium-headless-shell")


@pytest.mark.parametrize(
    "shell", ["chrome-linux/headless_shell", "chrome-headless-shell-linux64/chrome-headless-shell"]
)
def test_playwrights_headless_shell_goes_before_its_chromium(tmp_path: Path, shell: str) -> None:
    own, beside = tmp_path / "chromium-7/chrome-linux/chrome", tmp_path / "chromium_headless_shell-7" / shell
    for path in (own, beside):
        path.parent.mkdir(parents=True)
    own.touch()
    assert find_browser(None, own, lambda _: None) == own
    beside.touch()
    assert find_browser(None, own, lambda _: None) == beside


def test_no_browser_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="apt-get install chromium-headless-shell"):
        find_browser(None, tmp_path / "none", lambda _: None)
    with pytest.raises(Unavailable, match="no such file"):
        find_browser(tmp_path / "typo", tmp_path / "none", lambda name: f"/bin/{name}")


CUT_OFF = """
import asyncio
from services.browser_pool.adapters.browser.launch import start
from shared.aio import cancel_and_wait
from shared.settings import Settings

async def main():
    starting = asyncio.create_task(start(Settings().chromium))
    for _ in range(5000):
        await asyncio.sleep(0)
    assert not starting.done()
    await cancel_and_wait(starting)

asyncio.run(main())
"""


def test_a_start_that_is_cut_off_prints_no_error() -> None:
    ended = subprocess.run([sys.executable, "-c", CUT_OFF], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


DRIVER_FIRST = """
import asyncio, psutil, signal
from services.browser_pool.adapters.browser.launch import start
from shared.settings import Settings

async def main():
    browser = await start(Settings().chromium)
    [driver] = [one for one in psutil.Process().children() if "run-driver" in one.cmdline()]
    driver.send_signal(signal.SIGTERM)
    while psutil.pid_exists(driver.pid):
        await asyncio.sleep(0)
    await browser.close()

asyncio.run(main())
"""


def test_a_driver_that_ends_first_leaves_no_error_that_nobody_has_read() -> None:
    """As when a terminal or a supervisor signals the whole group of processes."""
    ended = subprocess.run(
        [sys.executable, "-c", DRIVER_FIRST], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")

"""Browser replacement; crashes of drivers and browsers at any moment leave nothing behind."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from weakref import ref

import psutil
import pytest
import pytest_asyncio

from services.browser_pool.adapters.browser.chromium import BrowserUpkeep, Chromium
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import ByText, Click, Goto
from shared.errors import PermanentError, Unavailable
from shared.host.nats_server import nats_server
from shared.settings import Settings
from tests.browser.browser_process import pid_of
from tests.browser.conftest import LIMITS
from tests.browser.site import LOOPBACK, Site
from tests.processes import command, family_with, living

ROOT = Path(__file__).parents[2]
Make = Callable[..., Chromium]


@pytest_asyncio.fixture(loop_scope="session")
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    made: list[Chromium] = []

    def chromium(**upkeep: float) -> Chromium:
        made.append(
            Chromium(
                chromium=Settings().chromium,
                logins=LoginFolder(tmp_path),
                limits=LIMITS,
                upkeep=BrowserUpkeep(**upkeep),  # type: ignore[arg-type]
            )
        )
        return made[-1]

    yield chromium
    for browser in made:
        await browser.close()


def drivers() -> list[psutil.Process]:
    """The Playwright drivers this process has started."""
    return [child for child in psutil.Process().children() if "run-driver" in command(child)]


async def tended_until(browser: Chromium, done: Callable[[], bool]) -> None:
    """As the pool does it, but without pauses."""
    async with asyncio.timeout(30):
        while not done():
            await browser.maintain()
            await asyncio.sleep(0)


async def test_a_browser_that_has_served_enough_is_replaced_and_closed_when_its_last_session_ends(
    make: Make, site: Site
) -> None:
    browser = make(max_leases=2)
    first, second = [await browser.open_session(LOOPBACK) for _ in range(2)]
    old = await pid_of(first)
    fresh: list[int] = []

    async def lease() -> bool:
        session = await browser.open_session(LOOPBACK)
        pid = await pid_of(session)
        await session.close()
        fresh.extend([pid] if pid != old else [])
        return bool(fresh)

    async with asyncio.timeout(30):
        while not await lease():
            await browser.maintain()
    # Its sessions go on as if nothing had happened.
    assert (await first.act(Goto(url=site.add("/worn", "<p>x</p>")))).result.ok
    process = psutil.Process(old)
    await first.close()
    await browser.maintain()
    assert process.is_running()
    await second.close()
    await tended_until(browser, lambda: not process.is_running())


async def test_a_browser_that_takes_too_much_memory_is_replaced_once(make: Make) -> None:
    browser = make(memory_mb=1.0)
    session = await browser.open_session(LOOPBACK)
    old = await pid_of(session)

    async def moved() -> bool:
        other = await browser.open_session(LOOPBACK)
        pid = await pid_of(other)
        await other.close()
        return pid != old

    async with asyncio.timeout(30):
        while not await moved():
            await browser.maintain()
    count = len(drivers())
    for _ in range(5):
        await browser.maintain()
    assert len(drivers()) == count
    await session.close()


@pytest.mark.parametrize("spares", [0, 1])
async def test_a_killed_driver_costs_no_lease(make: Make, site: Site, spares: int) -> None:
    before = {process.pid for process in drivers()}
    browser = make(spares=spares)
    session = await browser.open_session(LOOPBACK)
    chromium = psutil.Process(await pid_of(session))
    (driver,) = [process for process in drivers() if process.pid not in before]
    driver.kill()
    fresh = await browser.open_session(LOOPBACK)
    assert (await fresh.act(Goto(url=site.add("/driver", "<p>x</p>")))).result.ok
    with pytest.raises(Unavailable) as lost:
        await session.act(Goto(url=site.url))
    assert lost.value.code == "session_lost"
    assert session.lost
    await session.close()
    await tended_until(browser, lambda: not chromium.is_running())


async def test_a_browser_killed_while_sessions_are_opened_costs_no_lease(make: Make, site: Site) -> None:
    browser = make(spares=0)
    pid = await pid_of(await browser.open_session(LOOPBACK))
    opening = [asyncio.ensure_future(browser.open_session(LOOPBACK)) for _ in range(4)]
    await asyncio.sleep(0)
    os.kill(pid, signal.SIGKILL)
    for session in await asyncio.gather(*opening):
        assert await _alive(session, pid, site)


async def _alive(session: PageSession, killed: int, site: Site) -> bool:
    """A session that was opened before the kill is lost like any other; one opened after it is not."""
    try:
        return (await session.act(Goto(url=site.add("/after", "<p>x</p>")))).result.ok
    except Unavailable as error:
        return error.code == "session_lost"


async def test_a_crashed_spare_is_not_handed_out(make: Make, site: Site) -> None:
    browser = make(spares=1)
    await browser.open_session(LOOPBACK)
    (spare,) = await browser.wait_until_warm()
    cdp = await spare.context.new_cdp_session(spare.page)
    crashing = asyncio.ensure_future(cdp.send("Page.crash"))
    await asyncio.wait_for(spare.crashed.wait(), 10)
    session = await browser.open_session(LOOPBACK)
    assert session.page is not spare.page
    assert (await session.act(Goto(url=site.add("/spare", "<p>x</p>")))).result.ok
    crashing.cancel()
    await asyncio.gather(crashing, return_exceptions=True)


async def test_spares_are_bounded_and_taken_first(make: Make) -> None:
    browser = make(spares=2)
    browser.warm_up()
    ready = [spare.page for spare in await browser.wait_until_warm()]
    sessions = await asyncio.gather(*(browser.open_session(LOOPBACK) for _ in range(3)))
    assert len({session.page for session in sessions} & set(ready)) == 2
    assert len(await browser.wait_until_warm()) == 2


# --- login states


async def test_what_is_recorded_opens_the_door_again_cookies_and_storage(
    make: Make, site: Site, tmp_path: Path
) -> None:
    url = site.add("/in", "<p>x</p><script>document.title = document.cookie + localStorage.getItem('who')</script>")
    browser, logins = make(), LoginFolder(tmp_path)
    session = await browser.open_session(LOOPBACK)
    await session.act(Goto(url=url))
    await session.page.evaluate("document.cookie = 'a=1'; localStorage.setItem('who', 'ann')")
    state = await session.login_state()
    await logins.save("both", state)
    await logins.save("cookies", {**state, "origins": []})
    titles = []
    for name in ("both", "cookies"):
        fresh = await browser.open_session(replace(LOOPBACK, auth_profile=name))
        titles.append((await fresh.act(Goto(url=url))).result.change.title)
    assert titles == ["a=1ann", "a=1null"]


async def test_a_login_state_that_the_browser_refuses_is_told_and_harms_nobody(make: Make, tmp_path: Path) -> None:
    browser = make()
    other = await browser.open_session(LOOPBACK)
    (tmp_path / "odd.json").write_text(json.dumps({"cookies": [{"name": "a", "value": "b"}], "origins": []}))
    with pytest.raises(PermanentError, match="record it again") as told:
        await browser.open_session(replace(LOOPBACK, auth_profile="odd"))
    assert told.value.code == "no_auth_profile"
    assert not other.lost
    assert await pid_of(await browser.open_session(LOOPBACK)) == await pid_of(other)


# --- kill -9


@pytest.mark.parametrize("also", ["nothing", "driver", "stopped driver and browser"])
async def test_a_killed_service_leaves_no_process_and_no_folder(tmp_path: Path, also: str) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    async with nats_server(tmp_path / "jetstream") as url:
        serving = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "services.console", "serve", "browser_pool", "--nats", url),
            env={**os.environ, "TMPDIR": str(temporary), "EXHIBIT_STATE_DIR": str(tmp_path / "state")},
            stdout=asyncio.subprocess.PIPE,
            cwd=ROOT,
        )
        try:
            assert serving.stdout is not None
            await serving.stdout.readline()
            # Once it has a page open: before that there is little to leave behind.
            family = await asyncio.to_thread(family_with, serving.pid, lambda words: "--type=renderer" in words)
            assert list(temporary.iterdir())
            said = {process: command(process) for process in family}  # before the first of them dies of another one
            for process, words in said.items() if also != "nothing" else ():
                if "run-driver" in words or (also != "driver" and "--headless" in words):
                    with suppress(psutil.NoSuchProcess):
                        process.send_signal(signal.SIGKILL if also == "driver" else signal.SIGSTOP)
        finally:
            serving.kill()
            await serving.communicate()
        alive = await asyncio.to_thread(living, family)
    assert alive == []
    assert list(temporary.iterdir()) == []


async def looked_and_closed(chromium: Chromium) -> ref[PageSession]:
    session = await chromium.open_session(LOOPBACK)
    await session.page.set_content("<button>Save</button>")
    await session.observe("s1")
    await session.act(Click(target=ByText(text="Save")))
    await session.close()
    return ref(session)


async def test_nothing_is_kept_of_sessions_that_were_closed(make: Make) -> None:
    chromium = make()
    # The last one may still be on its way out.
    kept = [await looked_and_closed(chromium) for _ in range(4)]
    gc.collect()
    assert [one() for one in kept[:2]] == [None, None]

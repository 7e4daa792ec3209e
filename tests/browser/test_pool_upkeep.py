"""Browser replacement; crashes of drivers and browsers at any moment leave nothing behind."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from weakref import ref

import psutil
import pytest
import pytest_asyncio

from services.browser_pool.adapters.browser.chromium import BrowserUpkeep, Chromium, PoolSession
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.ports import SessionTerms
from shared.contracts.actions import ByText, Click, Goto
from shared.errors import PermanentError, Unavailable
from shared.host.nats_server import nats_server
from shared.settings import Settings
from tests.browser.conftest import LIMITS
from tests.browser.site import LOOPBACK, Site
from tests.processes import command, family_with, living
from tests.waiting import until

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


async def test_a_page_is_tried_beside_the_sessions_and_in_a_new_browser_where_the_old_one_died(make: Make):
    chromium = make(spares=0)
    session = await chromium.open_session(LOOPBACK)
    await chromium.try_page()
    assert not session.lost
    os.kill(await pid_of(session), signal.SIGKILL)

    async def opens() -> bool:
        try:
            await chromium.try_page()
        except Unavailable:  # the browser that was killed is not known to be dead yet
            return False
        return True

    while not await opens():
        pass


async def test_a_browser_that_does_not_start_is_told(tmp_path: Path):
    none = tmp_path / "chromium"
    none.write_text("#!/bin/sh\nexit 1\n")
    none.chmod(0o755)
    chromium = Chromium(chromium=none, logins=LoginFolder(tmp_path), limits=LIMITS)
    with pytest.raises(Unavailable) as caught:
        await chromium.try_page()
    assert caught.value.code == "no_browser"
    await chromium.close()


async def pid_of(session: PageSession) -> int:
    """Return the process id of the browser that the session runs in."""
    cdp = await session.tabs.browser.new_browser_cdp_session()
    processes = (await cdp.send("SystemInfo.getProcessInfo"))["processInfo"]
    return next(process["id"] for process in processes if process["type"] == "browser")


def drivers() -> list[psutil.Process]:
    """The Playwright drivers this process has started."""
    return [child for child in psutil.Process().children() if "run-driver" in command(child)]


async def tended_until_ended(browser: Chromium, process: psutil.Process) -> None:
    await browser.maintain()
    await asyncio.to_thread(until, lambda: not process.is_running(), "that the browser has ended")


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

    while not await lease():
        await browser.maintain()
    # Its sessions go on as if nothing had happened.
    assert (await first.act(Goto(url=site.add("/worn", "<p>x</p>")))).result.ok
    process = psutil.Process(old)
    await first.close()
    await browser.maintain()
    assert process.is_running()
    await second.close()
    await tended_until_ended(browser, process)


async def test_a_browser_that_takes_too_much_memory_is_replaced_once(make: Make) -> None:
    browser = make(memory_mb=1.0)
    session = await browser.open_session(LOOPBACK)
    old = await pid_of(session)

    async def moved() -> bool:
        other = await browser.open_session(LOOPBACK)
        pid = await pid_of(other)
        await other.close()
        return pid != old

    while not await moved():
        await browser.maintain()
    count = len(drivers())
    for _ in range(5):
        await browser.maintain()
    assert len(drivers()) == count
    await session.close()


async def test_a_killed_driver_costs_no_lease(make: Make, site: Site) -> None:
    before = {process.pid for process in drivers()}
    browser = make(spares=1)
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
    await tended_until_ended(browser, chromium)


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
    await spare.crashed.wait()
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
    unnamed = await browser.open_session(SessionTerms(private_hosts=("127.0.0.1", "localhost"), auth_profile="both"))
    elsewhere = (await unnamed.act(Goto(url=url.replace("127.0.0.1", "localhost")))).result
    assert (elsewhere.ok, elsewhere.code) == (False, "policy_denied")


async def test_a_login_state_that_is_missing_or_refused_is_told_and_harms_nobody(make: Make, tmp_path: Path) -> None:
    browser = make()
    for name in ("bob", "../odd"):
        with pytest.raises(PermanentError) as missing:
            await browser.open_session(replace(LOOPBACK, auth_profile=name))
        assert missing.value.code == "no_auth_profile"
    other = await browser.open_session(LOOPBACK)
    (tmp_path / "odd.json").write_text(json.dumps({"cookies": [{"name": "a", "value": "b"}], "origins": []}))
    with pytest.raises(PermanentError, match="record it again") as told:
        await browser.open_session(replace(LOOPBACK, auth_profile="odd"))
    assert told.value.code == "no_auth_profile"
    assert not other.lost
    assert await pid_of(await browser.open_session(LOOPBACK)) == await pid_of(other)


# --- kill -9


ALONE = [pytest.param(also, marks=pytest.mark.long) for also in ("nothing", "driver")]


@pytest.mark.parametrize("also", [*ALONE, "stopped driver and browser"])
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


async def test_nothing_is_kept_of_sessions_that_were_closed(chromium: Chromium) -> None:
    # The last one may still be on its way out.
    kept = [await looked_and_closed(chromium) for _ in range(4)]
    gc.collect()
    assert [one() for one in kept[:2]] == [None, None]


# --- lost sessions, and starts and ends that go wrong


async def test_a_killed_browser_loses_its_sessions_is_started_again_and_ends(make: Make, site: Site) -> None:
    own = make()
    session, busy = [await own.open_session(LOOPBACK) for _ in range(2)]
    going = asyncio.create_task(busy.act(Goto(url=site.add("/held", "x", gate=asyncio.Event()))))
    await site.asked_for("/held").wait()
    await session.act(Goto(url=site.add("/alive", "<button>A</button>")))
    pid = await pid_of(session)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(Unavailable) as act:
        await session.act(Click(target=ByText(text="A")))
    with pytest.raises(Unavailable) as observe:
        await session.observe("s")
    with pytest.raises(Unavailable) as middle:
        await going
    assert act.value.code == observe.value.code == middle.value.code == "session_lost"
    assert session.lost
    await session.close()
    fresh = await own.open_session(LOOPBACK)
    assert (await fresh.act(Goto(url=f"{site.url}/alive"))).result.ok
    again = await pid_of(fresh)
    assert again != pid
    watched = os.pidfd_open(again)
    await own.close()
    await asyncio.to_thread(select.select, [watched], [], [])
    os.close(watched)


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


async def test_a_page_closed_by_itself_is_a_lost_session(session: PoolSession) -> None:
    await session.page.close()
    assert session.lost
    for work in (session.act(Click(target=ByText(text="A"))), session.capture()):
        with pytest.raises(Unavailable) as lost:
            await work
        assert lost.value.code == "session_lost"


async def test_sessions_share_nothing(chromium: Chromium, site: Site) -> None:
    url = site.add("/cookie", "<p>x</p><script>document.title = document.cookie; document.cookie = 'a=1'</script>")
    titles: list[str] = []
    for _ in range(2):
        session = await chromium.open_session(LOOPBACK)
        titles.append((await session.act(Goto(url=url))).result.change.title)
        await session.close()
    assert titles == ["", ""]


CUT_OFF = """
import asyncio
from services.browser_pool.adapters.browser.launch import start
from shared.aio import cancel_and_wait
from shared.settings import Settings

spawned, spawn = asyncio.Event(), asyncio.create_subprocess_exec

async def noted(*command, **how):
    process = await spawn(*command, **how)
    spawned.set()
    return process

asyncio.create_subprocess_exec = noted

async def main():
    starting = asyncio.create_task(start(Settings().chromium))
    await spawned.wait()
    assert not starting.done()
    await cancel_and_wait(starting)

asyncio.run(main())
"""


DRIVER_FIRST = """
import asyncio, os, psutil, select, signal
from services.browser_pool.adapters.browser.launch import start
from shared.settings import Settings

async def main():
    browser = await start(Settings().chromium)
    [driver] = [one for one in psutil.Process().children() if "run-driver" in one.cmdline()]
    watched = os.pidfd_open(driver.pid)
    driver.send_signal(signal.SIGTERM)
    await asyncio.to_thread(select.select, [watched], [], [])
    await browser.close()

asyncio.run(main())
"""


@pytest.mark.parametrize("script", [CUT_OFF, DRIVER_FIRST], ids=["a start that is cut off", "a driver that ends first"])
def test_no_error_that_nobody_has_read_is_printed(script: str) -> None:
    """A driver ends first when a terminal or a supervisor signals the whole group of processes."""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")

"""Processes are killed while pages of the console are open: each says what is away, and goes on when it is back."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from shared.client import connect
from shared.contracts.sessions.control import PauseRun, ResumePaused
from shared.contracts.sessions.events import EventsLoaded
from shared.host.nats_server import run_server
from shared.host.services import run_services
from shared.settings import Settings
from tests.end_to_end.conftest import Cli
from tests.end_to_end.fleet import Fleet
from tests.end_to_end.held_site import HeldSite, run_with_result
from tests.end_to_end.owner_tasks import owner_spec
from tests.practice_sites.site_browser import a_browser
from tests.typed import expect as typed

# A connection that is refused while nats-py reconnects is left by it to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
BOUND_MS = 60_000
AWAY, NO_SERVER = "The services do not answer. This page goes on", "The server does not answer. This page goes on"
NOBODY = "Nobody works on this sample now"
ON = re.compile(f"{NOBODY}|Live")
"""Whether its attempt has outlived what was killed is not for the page to say."""


class Console:
    """`exhibit web` as a process, which is started again at its port."""

    def __init__(self, cli: Cli, url: str, evidence: Path) -> None:
        self._cli, self._url, self._evidence, self.address = cli, url, evidence, ""
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> str:
        """Return the address that begins a session."""
        port = self.address.rpartition(":")[2] or "0"
        self._process = self._cli.start(
            "web", "--nats", self._url, "--evidence", str(self._evidence), "--web-port", port
        )
        assert self._process.stdout is not None
        way_in = self._process.stdout.readline().removeprefix("The console is at ").strip()
        self.address = way_in.partition("/enter")[0]
        return way_in

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.communicate()


@asynccontextmanager
async def nats_at(folder: Path, port: int = -1) -> AsyncGenerator[str]:
    async with run_server(folder, "", port=port) as (url, _):
        yield url


async def test_each_page_says_what_is_away_and_goes_on_when_it_is_back(cli: Cli, settings: Settings):
    evidence = Path(settings.evidence_dir)
    async with AsyncExitStack() as stack:
        site = stack.enter_context(HeldSite(held=["B"]))
        server = AsyncExitStack()
        stack.push_async_callback(lambda: server.aclose())
        url = await server.enter_async_context(nats_at(cli.folder / "jetstream"))
        await stack.enter_async_context(run_services(settings, url, ("planner", "discovery")))
        fleet, console = Fleet(cli, url, evidence), Console(cli, url, evidence)
        for name in ("evidence", "browser_pool"):
            await asyncio.to_thread(fleet.start, name)
        way_in = await asyncio.to_thread(console.start)
        client = await stack.enter_async_context(connect(url))
        browser = await stack.enter_async_context(a_browser())
        accepted = await client.submit(
            owner_spec("held", f"{site.url}/records"), rows=[{"number": one} for one in "AB"], concurrency=2
        )
        await asyncio.to_thread(run_with_result, evidence, "A")
        await asyncio.to_thread(site.wait_until_asked, "B")
        await client.control(accepted.run_id, PauseRun(), "ann")
        site.let_go()  # the sample waits at its page
        context = await browser.new_context()
        page, live = await context.new_page(), await context.new_page()
        for one in (page, live):
            one.set_default_timeout(BOUND_MS)
        await page.goto(way_in)
        await page.goto(f"{console.address}/runs/{accepted.run_id}")
        await live.goto(f"{console.address}/runs/{accepted.run_id}/samples/B/live")
        told, state = page.locator(".grid-told"), live.locator(".live-state")
        await expect(page.get_by_label("A: Done")).to_be_visible(timeout=BOUND_MS)
        await expect(state).to_have_text("Live", timeout=BOUND_MS)

        fleet.kill("evidence")
        await expect(told).to_contain_text(AWAY, timeout=BOUND_MS)
        lists = await context.new_page()
        await lists.goto(console.address)
        await expect(lists.get_by_text("The services do not answer")).to_be_visible(timeout=BOUND_MS)
        await asyncio.to_thread(fleet.start, "evidence")
        await expect(told).to_have_text("", timeout=BOUND_MS)
        await expect(lists.get_by_role("link", name="held")).to_be_visible(timeout=BOUND_MS)

        fleet.kill("browser_pool")
        await expect(state).to_have_text(NOBODY, timeout=BOUND_MS)
        await asyncio.to_thread(fleet.start, "browser_pool")

        port = int(url.rpartition(":")[2])
        await server.aclose()
        await expect(told).to_contain_text(AWAY, timeout=BOUND_MS)
        await expect(state).to_have_text("The services do not answer", timeout=BOUND_MS)
        await server.enter_async_context(nats_at(cli.folder / "jetstream", port))
        await expect(told).to_have_text("", timeout=BOUND_MS)
        await expect(state).to_have_text(ON, timeout=BOUND_MS)

        console.kill()
        await expect(told).to_contain_text(NO_SERVER, timeout=BOUND_MS)
        await expect(state).to_have_text("The server does not answer", timeout=BOUND_MS)
        await asyncio.to_thread(console.start)
        await expect(told).to_have_text("", timeout=BOUND_MS)
        await expect(state).to_have_text(ON, timeout=BOUND_MS)

        heard = await listened(page)
        await client.control(accepted.run_id, ResumePaused(), "ann")
        finished = await client.result(accepted.run_id)
        assert {(one.status, one.samples) for one in finished.outcomes} == {("done", 2)}
        await expect(page.get_by_label("B: Done")).to_be_visible(timeout=BOUND_MS)
        await expect(page.locator('[data-fact="state"]')).to_have_text("ended", timeout=BOUND_MS)
        log = typed(await client.events(accepted.run_id, 0, 1000), EventsLoaded).events
        assert heard in {str(one.index) for one in log}
        console.kill()


async def listened(page: Page) -> str:
    """Return the index of the event from which on the page asks, should it be cut off."""
    return await page.evaluate("document.querySelector('sample-grid').last")

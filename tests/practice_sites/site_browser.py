"""What the tests of practice sites share: requests made off the loop that serves, and which browser to start."""

from __future__ import annotations

import asyncio
import http.client
import shutil
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from playwright.async_api import Browser, Page, Playwright, Request, async_playwright

from shared.settings import Settings

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Visitor:
    """Asks a site over plain HTTP, follows nothing by itself, and keeps cookies."""

    url: str
    cookies: dict[str, str] = field(default_factory=dict)

    async def get(self, path: str) -> Reply:
        return await asyncio.to_thread(self._ask, "GET", path, b"", "")

    async def post(self, path: str, body: bytes = b"", kind: str = "application/json") -> Reply:
        return await asyncio.to_thread(self._ask, "POST", path, body, kind)

    async def form(self, path: str, **fields: str) -> Reply:
        return await self.post(path, urlencode(fields).encode(), "application/x-www-form-urlencoded")

    def _ask(self, method: str, path: str, body: bytes, kind: str) -> Reply:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=10)
        headers = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        try:
            connection.request(method, path, body or None, {**headers, "content-type": kind} if body else headers)
            answer = connection.getresponse()
            for one in answer.headers.get_all("set-cookie") or []:
                name, _, value = one.split(";")[0].partition("=")
                self.cookies[name] = value
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()


@asynccontextmanager
async def a_browser() -> AsyncGenerator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=browser_path(playwright), args=["--no-sandbox"])
        yield browser
        await browser.close()


@asynccontextmanager
async def a_page(browser: Browser) -> AsyncGenerator[Page]:
    """A page in a context of its own, which fails where its scripts do."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900})
    page = await context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    yield page
    await context.close()
    assert broken == []


def hosts_asked(page: Page) -> set[str]:
    """Filled with the hosts of all requests the page makes from now on."""
    hosts: set[str] = set()

    def asked(request: Request) -> None:
        hosts.add(urlsplit(request.url).netloc)

    page.on("request", asked)
    return hosts


def browser_path(playwright: Playwright) -> str | None:
    """The one that is set, else Playwright's own (None), else one found on the machine."""
    if Settings().chromium is not None:
        return str(Settings().chromium)
    own = Path(playwright.chromium.executable_path)
    return None if own.exists() else next(filter(None, map(shutil.which, BROWSERS)), None)


async def run_as_program(*arguments: str) -> tuple[int, int | None, bytes, bytes]:
    """``python -m`` with these, which prints where it serves, until Ctrl-C: the status of its first page, and how the
    program ended, with all else that it printed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "error", "-m", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    base_url = (await asyncio.wait_for(process.stdout.readline(), 60)).decode().strip()
    reply = await Visitor(base_url).get("/")
    process.send_signal(signal.SIGINT)
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return reply.status, process.returncode, out, err

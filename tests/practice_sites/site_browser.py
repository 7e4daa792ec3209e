"""Shared helpers of the practice site tests: HTTP requests off the serving loop, and the browser to start."""

from __future__ import annotations

import asyncio
import http.client
import shutil
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
    """A plain HTTP client that follows no redirects and keeps cookies."""

    url: str
    cookies: dict[str, str] = field(default_factory=dict)

    async def get(self, path: str) -> Reply:
        return await asyncio.to_thread(self._ask, "GET", path, b"", "")

    async def post(self, path: str, body: bytes = b"", kind: str = "application/json") -> Reply:
        return await asyncio.to_thread(self._ask, "POST", path, body, kind)

    async def form(self, path: str, **fields: str) -> Reply:
        return await self.post(path, urlencode(fields).encode(), "application/x-www-form-urlencoded")

    def _ask(self, method: str, path: str, body: bytes, kind: str) -> Reply:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=60)
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
    """Yield a page in its own context; fail on script errors."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900})
    page = await context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    yield page
    await context.close()
    assert broken == []


def hosts_asked(page: Page) -> set[str]:
    """Return a set that collects the hosts of all further requests of the page."""
    hosts: set[str] = set()

    def asked(request: Request) -> None:
        hosts.add(urlsplit(request.url).netloc)

    page.on("request", asked)
    return hosts


def browser_path(playwright: Playwright) -> str | None:
    """Return the configured browser, else None for Playwright's own, else one found on the machine."""
    if Settings().chromium is not None:
        return str(Settings().chromium)
    own = Path(playwright.chromium.executable_path)
    return None if own.exists() else next(filter(None, map(shutil.which, BROWSERS)), None)

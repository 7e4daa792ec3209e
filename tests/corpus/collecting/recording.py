"""Records what a running site answers, by walking through it from some pages."""

from __future__ import annotations

import contextlib
import re
from collections import Counter, deque
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urldefrag, urlsplit

from playwright.async_api import Error, Page
from playwright.async_api import Response as Answered

from tests.corpus.serving import body_with
from tests.corpus.stored import Response
from tests.practice_sites.site_browser import a_browser

NEVER = re.compile(
    r"log-?out|sign-?out|delete|withdraw|/login|\.(?:csv|json|zip|atom|rss|xml|pdf|tar\.gz|db|ico)\b", re.I
)
"""Addresses that are not followed."""


@dataclass
class Recording:
    """``hosts``: those that are served, and as what each is stored. ``urls``: the pages, as they are stored."""

    hosts: Mapping[str, str]
    responses: dict[str, Response] = field(default_factory=dict[str, Response])
    urls: list[str] = field(default_factory=list[str])

    def stored(self, url: str) -> str:
        for now, stored in self.hosts.items():
            url = url.replace(now, stored)
        return url

    async def keep(self, answered: Answered) -> None:
        if urlsplit(answered.url).netloc not in self.hosts or answered.request.method != "GET":
            return
        kind = answered.headers.get("content-type", "application/octet-stream")
        with contextlib.suppress(Error):  # the body of a redirection
            body = await answered.body()
            self.responses[self.stored(urldefrag(answered.url)[0])] = Response(
                answered.status, kind, body_with(self.hosts, kind, body)
            )


@contextlib.asynccontextmanager
async def a_visitor() -> AsyncGenerator[Page]:
    async with a_browser() as browser:
        context = await browser.new_context(viewport={"width": 1280, "height": 900})
        yield await context.new_page()
        await context.close()


async def visit(page: Page, url: str, recording: Recording) -> list[str]:
    """Record a page with all that it loads; return the addresses of its links."""
    pending: list[Answered] = []

    def heard(answered: Answered) -> None:
        pending.append(answered)

    page.on("response", heard)
    try:
        await page.goto(url, wait_until="networkidle")
        for one in pending:
            await recording.keep(one)
        links = await page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)")
    except Error:
        return []
    finally:
        page.remove_listener("response", heard)
    stored = recording.stored(urldefrag(url)[0])
    if urldefrag(page.url)[0] == urldefrag(url)[0] and stored not in recording.urls and stored in recording.responses:
        recording.urls.append(stored)
    return links


async def walk(page: Page, starts: Iterable[str], recording: Recording, *, of_a_kind: int = 2, most: int = 40) -> None:
    """Visit the starts, then what they link to: a few pages of each kind of address."""
    waiting = deque(starts)
    known, kinds = set(waiting), Counter[str]()
    must = len(waiting)
    while waiting and (must > 0 or len(recording.urls) < most):
        url = waiting.popleft()
        must -= 1
        for link in await visit(page, url, recording):
            there = urldefrag(link)[0]
            kind = kind_of(there)
            may = urlsplit(there).netloc in recording.hosts and not NEVER.search(there)
            if may and there not in known and kinds[kind] < of_a_kind:
                kinds[kind] += 1
                known.add(there)
                waiting.append(there)


def kind_of(url: str) -> str:
    """Return the address with what may name a record left open."""
    parts = urlsplit(url)
    path = "/".join("N" if re.search(r"\d", part) or len(part) > 24 else part for part in parts.path.split("/"))
    keys = ",".join(sorted(one.partition("=")[0] for one in parts.query.split("&")))
    return f"{parts.netloc}{path}?{keys}"

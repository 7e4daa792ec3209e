"""Pages of the tests: those that are made at random with their truth, and all that tests of the browser set.

The latter are heard while these tests run: `pytest -p tests.corpus.collecting.tests tests/browser` with the file that
they are written to in `CORPUS_HEARD`.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import playwright.async_api
import pytest

from tests.browser.drawn_pages import LABELS, LAYOUTS, made_page
from tests.browser.drawn_pages import REFUSED as UNREADABLE
from tests.corpus.stored import REFUSED, AskedPage, Group, Response

HOST = "127.0.0.1:47200"
SEEDS = 60
FEW = ("Owner", "Amount", "Invoice", "Total")
MOST_CHARS = 20_000
RUNS = re.compile(
    r"setInterval|requestAnimationFrame|while ?\(|Date\.now|Math\.random|new Worker|__PORT__|src=.?http", re.I
)
"""What never comes to rest, or needs another site."""


def collect_drawn() -> tuple[Group, dict[str, Response]]:
    """Return pages of labels and values in all layouts, asked for all labels and for a few of them."""
    schema = {label.lower(): {"type": "string", "labels": [label]} for label in LABELS}
    task: dict[str, Any] = {"task_id": "drawn", "goal": "g", "start_url": "{url}", "output_schema": schema}
    few = {**task, "output_schema": {name: one for name, one in schema.items() if one["labels"][0] in FEW}}
    pages: list[AskedPage] = []
    responses: dict[str, Response] = {}
    for seed in range(SEEDS):
        made, url, layout = made_page(seed), f"http://{HOST}/{seed}", seed % len(LAYOUTS)
        truth: dict[str, str | None] = {label.lower(): _told(one.truth) for label, one in made.values.items()}
        name = f"layout {layout} seed {seed}"
        body = f"<!doctype html><html lang=en><meta charset=utf-8>{made.html}".encode()
        responses[url] = Response(200, "text/html; charset=utf-8", body)
        pages.append(AskedPage(name, url, "all", {"url": url}, truth, kind=f"layout {layout}"))
        shown = {name: value for name, value in truth.items() if name in few["output_schema"]}
        pages.append(AskedPage(f"{name}, few", url, "few", {"url": url}, shown))
    return Group(tuple(pages), {"all": task, "few": few}), responses


def _told(truth: str) -> str:
    return REFUSED if truth == UNREADABLE else truth


def collect_heard(heard: Path) -> tuple[Group, dict[str, Response]]:
    """Return the pages that were heard, by test, once each."""
    pages: list[AskedPage] = []
    responses: dict[str, Response] = {}
    known: set[str] = set()
    for line in heard.read_text(encoding="utf-8").splitlines():
        test, number, html = json.loads(line)
        if html in known or len(html) > MOST_CHARS or RUNS.search(html) or not re.search(r"\w", html):
            continue
        known.add(html)
        name = f"{test} {number}"
        url = f"http://{HOST}/{len(pages)}"
        responses[url] = Response(200, "text/html; charset=utf-8", html.encode("utf-8", "replace"))
        pages.append(AskedPage(name, url))
    return Group(tuple(pages)), responses


# --- a plugin of pytest


def pytest_sessionstart(session: pytest.Session) -> None:
    path = os.environ.get("CORPUS_HEARD")
    if path is None:
        return
    page = playwright.async_api.Page
    plain = page.set_content
    numbers: dict[str, int] = {}
    heard = Path(path).open("a", encoding="utf-8")  # noqa: SIM115  # until the process ends

    async def hearing(self: playwright.async_api.Page, html: str, **how: Any) -> None:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").partition("[")[0].partition(" (")[0].rpartition("/")[2]
        numbers[test] = numbers.get(test, 0) + 1
        heard.write(json.dumps([test, numbers[test], html]) + "\n")
        heard.flush()
        await plain(self, html, **how)

    page.set_content = hearing

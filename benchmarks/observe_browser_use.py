"""browser-use as a peer if it is installed: here, or in the interpreter ``BROWSER_USE_PYTHON``."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from playwright.async_api import async_playwright

from benchmarks.observe_score import Reported
from benchmarks.observe_truth import Page
from services.browser_pool.adapters.browser.launch import find_browser
from shared.settings import Settings

PEER = Path(__file__).parent / "peer_browser_use.py"
BOUND_S = 300.0


class BrowserUseReport(msgspec.Struct, frozen=True):
    """Its report of one page; a node is its control, its tag, and whether it is disabled."""

    ms: float
    text: str
    nodes: tuple[tuple[str | None, str, bool], ...]

    @property
    def reported(self) -> list[Reported]:
        return [Reported(key, f"<{tag}>", disabled=disabled) for key, tag, disabled in self.nodes]


def interpreter() -> str | None:
    """Return the Python that has browser-use, or None."""
    if named := os.environ.get("BROWSER_USE_PYTHON"):
        return named
    return sys.executable if importlib.util.find_spec("browser_use") else None


async def browser_use(python: str, pages: Sequence[Page], url: str, rounds: int) -> dict[str, BrowserUseReport]:
    """Return its reports by page, without pages that timed out or crashed it."""
    urls = [f"{url}/{page.name}" for page in pages]
    async with async_playwright() as playwright:
        given = Path(playwright.chromium.executable_path)
    browser = await asyncio.to_thread(find_browser, Settings().chromium, given, shutil.which)
    process = await asyncio.create_subprocess_exec(
        python, str(PEER), str(browser), str(rounds), *urls, stdout=asyncio.subprocess.PIPE, limit=100_000_000
    )
    reports: dict[str, BrowserUseReport] = {}
    try:
        async with asyncio.timeout(BOUND_S):
            for page in pages:
                line = await _line(process)
                if line is None:
                    break
                reports[page.name] = msgspec.convert(line, BrowserUseReport)
            await process.wait()
    except TimeoutError:
        process.terminate()
        await process.wait()
    return reports


async def _line(process: asyncio.subprocess.Process) -> object | None:
    """Return the next JSON object; log lines between them are skipped."""
    assert process.stdout is not None
    while line := await process.stdout.readline():
        if line.startswith(b'{"ms"'):
            return json.loads(line)
    return None

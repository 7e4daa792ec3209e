"""The tracker has the assumed state: served, open to anonymous visitors, with the seeded issues."""

from __future__ import annotations

import asyncio
import html
import os
import re
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.real.roundup_app import MISSING, ground_truth, roundup_tracker

pytestmark = pytest.mark.asyncio(loop_scope="module")
CELL = re.compile(r"<th[^>]*>([^<]+)</th>\s*<td[^>]*>(.*?)</td>", re.S)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[str]:
    async with roundup_tracker(tmp_path_factory.mktemp("roundup")) as base_url:
        yield base_url


async def get(address: str) -> tuple[int, str]:
    def ask() -> tuple[int, str]:
        try:
            with urllib.request.urlopen(address, timeout=20) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    return await asyncio.to_thread(ask)


def cells(page: str) -> dict[str, str]:
    """Label to value of the table that shows the issue."""
    table = page.partition('<table class="form">')[2].partition("</table>")[0]
    return {label: html.unescape(re.sub(r"<[^>]+>", "", value)).strip() for label, value in CELL.findall(table)}


def heading(page: str) -> str:
    return re.sub(r"<[^>]+>", "", page.partition("<h2>")[2].partition("</h2>")[0]).strip()


async def test_anonymous_visitors_see_every_value_as_it_was_put_in(url: str):
    for issue in ground_truth():
        status, page = await get(url + issue.name.lower())
        shown = cells(page)
        assert status == 200
        assert heading(page) == issue.name
        assert shown["Title"] == issue.title
        assert shown["Priority"] == issue.priority
        assert shown["Status"] == issue.status
        assert shown["Assigned To"] == (issue.assigned_to or "")
        assert shown["Keywords"] == ", ".join(issue.keywords)


@pytest.mark.parametrize("name", MISSING)
async def test_an_issue_that_is_not_there_is_404_and_says_so(url: str, name: str):
    status, page = await get(url + name.lower())
    assert status == 404
    assert "There is no <span>issue</span> with id" in page


async def test_no_process_is_left_behind(tmp_path: Path):
    async with roundup_tracker(tmp_path):
        assert _commands_naming(tmp_path)
    assert not _commands_naming(tmp_path)


def _commands_naming(folder: Path) -> list[str]:
    """Command lines of running processes that name ``folder``."""
    commands: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it ended meanwhile
            continue
        if str(folder) in command and int(process.name) != os.getpid():
            commands.append(command)
    return commands

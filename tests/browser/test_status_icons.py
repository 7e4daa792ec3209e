"""From a list of checks to the state of each: every icon is reported, and read without a model."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from practice.code_host.data import ground_truth
from practice.code_host.model import Check, PullRequest
from practice.code_host.server import serve
from services.browser_pool.adapters.browser.chromium import Chromium
from services.browser_pool.adapters.browser.login_files import LoginFolder
from services.browser_pool.adapters.session import PageSession, SessionLimits
from services.browser_pool.page.snapshot import compose
from services.browser_pool.ports import SessionTerms
from services.vision.pictures import open_picture
from services.vision.readers.local import LocalReader
from shared.contracts.actions import ByRef, Goto, ScreenshotElement
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.vision import AskVision
from shared.settings import Settings

STATES = ("passed", "failed", "pending", "skipped")
PULL_REQUESTS = (64, 73, 76, 79, 82, 105, 117, 119, 121, 125)
"""Ten of one repository that show all four states."""
LOOPBACK = SessionTerms(allowed_hosts=("127.0.0.1",), private_hosts=("127.0.0.1",))
LIMITS = SessionLimits(action_s=8.0, navigation_s=20.0, settle_s=3.0, download_bytes=50_000)
KEEP_IN = os.environ.get("ICON_CROPS", "")
"""A folder for the pictures, to look at them."""


@asynccontextmanager
async def browsing() -> AsyncGenerator[PageSession]:
    with tempfile.TemporaryDirectory() as folder:
        browser = Chromium(chromium=Settings().chromium, logins=LoginFolder(Path(folder)), limits=LIMITS)
        try:
            session = await browser.open_session(LOOPBACK)
            yield session
            await session.close()
        finally:
            await browser.close()


def icons_of(page: PageObserved, check: Check) -> list[Element]:
    """The pictures right before the name of the check."""
    at = next(n for n, one in enumerate(page.elements) if (one.role, one.name) == ("text", check.name))
    before = page.elements[max(0, at - 2) : at]
    return [one for one in before if one.role == "img"]


async def crop_of(session: PageSession, page: PageObserved, icon: Element) -> bytes:
    target = ByRef(ref=icon.ref, snapshot_id=page.snapshot_id)
    outcome = await session.act(ScreenshotElement(target=target, label="icon"))
    assert outcome.result.ok, outcome.result.message
    (capture,) = outcome.captures
    assert isinstance(capture.data, bytes)
    return capture.data


async def read(data: bytes) -> str | None:
    asked = AskVision(
        run_id="r",
        sample_id="s",
        question="What state does the icon show?",
        choices=STATES,
        blob="b",
        sha256=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
        media_type="image/png",
    )
    return (await LocalReader().answer(asked, open_picture(asked, data))).answer


async def verdicts(session: PageSession, url: str, one: PullRequest) -> list[tuple[str, str | None]]:
    """The true and the read state of every check whose icon has no name."""
    result = (await session.act(Goto(url=url))).result
    assert result.ok, result.message
    snapshot_id = f"s{one.number}"
    page = compose(await session.observe(snapshot_id), snapshot_id)
    found: list[tuple[str, str | None]] = []
    looks: dict[int, str] = {}
    for check in one.checks:
        (icon,) = icons_of(page, check)
        if check.named:
            assert (icon.name, icon.look) == (check.state.capitalize(), 0)
            continue
        assert icon.name == ""
        assert icon.look > 0, page.text
        # What is drawn alike means the same: one answer holds for all of one number.
        assert looks.setdefault(icon.look, check.state) == check.state
        data = await crop_of(session, page, icon)
        if KEEP_IN:
            (Path(KEEP_IN) / f"{one.number}-{icon.ref}-{check.state}.png").write_bytes(data)
        found.append((check.state, await read(data)))
    assert len(set(looks.values())) == len(looks)
    assert sum(element.look > 0 for element in page.elements) == len(found)
    assert "icons" in page.triggers
    return found


async def test_every_check_of_ten_pull_requests_is_read_from_its_icon() -> None:
    repository = ground_truth().repository("ledger-core")
    assert repository is not None
    chosen = [one for one in repository.pull_requests if one.number in PULL_REQUESTS]
    assert len(chosen) == len(PULL_REQUESTS)
    told: list[tuple[str, str | None]] = []
    async with serve(latency_ms=0) as origins, browsing() as session:
        for one in chosen:
            told += await verdicts(
                session, f"{origins.code}/harbourline/{repository.name}/pull/{one.number}/checks", one
            )
    wrong = [pair for pair in told if pair[1] not in (pair[0], None)]
    refused = [pair for pair in told if pair[1] is None]
    print(f"\nright {len(told) - len(wrong) - len(refused)}, refused {len(refused)}, wrong {len(wrong)}")
    assert not wrong
    # A dot within a ring is no shape that the reader knows: it says so.
    assert {state for state, _ in refused} <= {"pending"}, refused
    assert Counter(state for state, _ in told).keys() == set(STATES)

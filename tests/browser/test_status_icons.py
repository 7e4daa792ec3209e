"""From a list of checks to the state of each: every icon is reported, and read without a model."""

from __future__ import annotations

import hashlib

import pytest

from practice.code_host.data import ground_truth
from practice.code_host.model import Check, PullRequest
from practice.code_host.server import serve
from services.browser_pool.adapters.session import PageSession
from services.browser_pool.page.snapshot import compose
from services.vision.pictures import open_picture
from services.vision.readers.local import LocalReader
from shared.contracts.actions import ByRef, Goto, ScreenshotElement
from shared.contracts.browser_pool import Element, PageObserved
from shared.contracts.vision import AskVision

STATES = ("passed", "failed", "pending", "skipped")
PULL_REQUESTS = (64, 117)
"""Of one repository; together they show all four states."""


def icon_of(page: PageObserved, check: Check) -> Element:
    """The picture right before the name of the check."""
    at = next(n for n, one in enumerate(page.elements) if (one.role, one.name) == ("text", check.name))
    (icon,) = (one for one in page.elements[max(0, at - 2) : at] if one.role == "img")
    return icon


async def read(session: PageSession, page: PageObserved, icon: Element) -> str | None:
    target = ByRef(ref=icon.ref, snapshot_id=page.snapshot_id)
    outcome = await session.act(ScreenshotElement(target=target, label="icon"))
    assert outcome.result.ok, outcome.result.message
    (capture,) = outcome.captures
    assert isinstance(capture.data, bytes)
    asked = AskVision(
        run_id="r",
        sample_id="s",
        question="What state does the icon show?",
        choices=STATES,
        blob="b",
        sha256=hashlib.sha256(capture.data).hexdigest(),
        size_bytes=len(capture.data),
        media_type="image/png",
    )
    return (await LocalReader().answer(asked, open_picture(asked, capture.data))).answer


async def verdicts(session: PageSession, url: str, one: PullRequest) -> list[tuple[str, str | None]]:
    """The true and the read state of every check whose icon has no name."""
    result = (await session.act(Goto(url=url))).result
    assert result.ok, result.message
    page = compose(await session.observe(f"s{one.number}"), f"s{one.number}")
    found: list[tuple[str, str | None]] = []
    looks: dict[int, str] = {}
    for check in one.checks:
        icon = icon_of(page, check)
        if check.named:
            assert (icon.name, icon.look) == (check.state.capitalize(), 0)
            continue
        assert icon.name == ""
        assert icon.look > 0, page.text
        # What is drawn alike means the same: one answer holds for all of one number.
        assert looks.setdefault(icon.look, check.state) == check.state
        found.append((check.state, await read(session, page, icon)))
    assert len(set(looks.values())) == len(looks)
    assert sum(element.look > 0 for element in page.elements) == len(found)
    assert "icons" in page.triggers
    return found


@pytest.mark.parametrize("number", PULL_REQUESTS)
async def test_every_check_of_a_pull_request_is_read_from_its_icon(session: PageSession, number: int):
    repository = ground_truth().repositories[0]
    one = next(one for one in repository.pull_requests if one.number == number)
    async with serve(latency_ms=0) as origins:
        told = await verdicts(session, f"{origins.code}/harbourline/{repository.name}/pull/{number}/checks", one)
    assert [pair for pair in told if pair[1] not in (pair[0], None)] == []
    # A dot within a ring is no shape that the reader knows: it says so.
    assert {state for state, answer in told if answer is None} <= {"pending"}
    assert {state for state, _ in told} == {64: {"passed", "pending"}, 117: {"passed", "failed", "skipped"}}[number]

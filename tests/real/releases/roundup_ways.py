"""A flow of Roundup's own template, run on 20 other issues with its templates changed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from shared.text.record_words import is_equal_text
from tests.drift.flows import Subject
from tests.real.apps.environment import python_of
from tests.real.releases.measuring import PLAIN, Served, WayOutcome, measure_ways
from tests.real.releases.roundup_templates import CHANGES, Change, Template
from tests.real.roundup_app import Issue, cells_of, ground_truth, roundup_tracker

SPEC = Path(__file__).parents[3] / "task_specs" / "roundup_issues.json"
LEARNED, EACH = 3, 20
OTHER_TEMPLATE = "Roundup's template jinja2"
WAYS = (PLAIN, *CHANGES, OTHER_TEMPLATE)


def subject_at(url: str) -> Subject:
    """Return issues to learn from, with and without an assignee and keywords, and others."""
    issues = ground_truth()
    whole = [one for one in issues if one.assigned_to and one.keywords]
    unassigned = [one for one in issues if not one.assigned_to and one.keywords]
    plain = [one for one in issues if one.assigned_to and not one.keywords]
    recorded = [whole[0], unassigned[0], plain[0], whole[1], unassigned[1], plain[1]]
    others = [one for one in issues if one not in recorded][:EACH]
    spec = {**json.loads(SPEC.read_text(encoding="utf-8")), "politeness": {}}
    rows = [[{"issue": one.name, "url": url + one.name.lower()} for one in some] for some in (recorded, others)]
    return Subject("roundup", spec, rows[0], rows[1], [truth_of(one) for one in others], learned=LEARNED)


def truth_of(issue: Issue) -> dict[str, str]:
    compact = partial(json.dumps, separators=(",", ":"))
    return {name: cell or "" for name, cell in cells_of(issue, compact).items()}


async def measure_roundup(folder: Path) -> list[WayOutcome]:
    """Return what becomes of every issue in each of ``WAYS``."""
    async with roundup_tracker(folder / "own") as url:
        html = folder / "own" / "tracker" / "html"
        own = Template.of(html)

        @asynccontextmanager
        async def served(change: Change | None) -> AsyncGenerator[Subject]:
            (own if change is None else change(own)).write(html)
            yield subject_at(url)

        @asynccontextmanager
        async def other_template() -> AsyncGenerator[Subject]:
            python = await asyncio.to_thread(python_of, "roundup")
            async with roundup_tracker(folder / "jinja2", "jinja2", python) as other:
                yield replace(subject_at(other), same={"issue": is_equal_text})  # it writes `Issue 2` for `Issue2`

        ways: dict[str, Served] = {PLAIN: partial(served, None)}
        ways |= {way: partial(served, change) for way, change in CHANGES.items()}
        ways[OTHER_TEMPLATE] = other_template
        return await measure_ways(folder, partial(served, None), ways)

"""Correct fields per task family, by field: recorded answers in place of a model, beside the rules."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from benchmarks.report import Row, least
from practice.families import FAMILIES, Family, Score
from scripts.families import play_family, run_family
from shared.settings import Settings
from shared.testing.cassette import Cassette
from shared.testing.settings import isolated_settings

RECORDINGS = Path(__file__).parents[1] / "tests" / "recordings" / "planner" / "families"


async def by_rules(family: Family) -> Score:
    async with family.serve() as site:
        return (await run_family(family, site, _settings(), "rules")).score


async def by_recording(family: Family) -> Score:
    """Score a family with recorded answers. Raises SystemExit if a requested answer was not recorded."""
    cassette = Cassette.read(RECORDINGS / f"{family.name.replace(' ', '_')}.json")
    outcome, player = await play_family(family, cassette, _settings())
    if player.unexpected:
        raise SystemExit(f"{family.name}: {player.unexpected[0]}")
    return outcome.score


def family_rows() -> list[Row]:
    """Return one row per field: the share that equals the site's ground truth, recorded answers beside the rules."""
    rows: list[Row] = []
    for family in FAMILIES:
        recorded, rules = asyncio.run(by_recording(family)), asyncio.run(by_rules(family))
        for field, cells in recorded.cells.items():
            shares = (result.right[field] / cells for result in (recorded, rules))
            rows.append(least(1.0, f"{family.name}: {field}, right", f"share of {cells}", *shares))
    return rows


def _settings() -> Settings:
    folder = Path(tempfile.mkdtemp(prefix="exhibit-families-"))
    return isolated_settings(evidence_dir=folder, state_dir=folder.with_name(f"{folder.name}-state"), nats_url=None)

"""Fields right per task family, field by field: recorded answers of a reader in a model's place, beside the rules."""

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
    """Raises SystemExit where an answer was asked for that was not recorded: nothing would be shown by that."""
    cassette = Cassette.read(RECORDINGS / f"{family.name.replace(' ', '_')}.json")
    outcome, player = await play_family(family, cassette, _settings())
    if player.unexpected:
        raise SystemExit(f"{family.name}: {player.unexpected[0]}")
    return outcome.score


def family_rows() -> list[Row]:
    """One row a field: the share that is as the site's ground truth has it, recorded answers beside the rules."""
    rows: list[Row] = []
    for family in FAMILIES:
        recorded, rules = asyncio.run(by_recording(family)), asyncio.run(by_rules(family))
        for field, cells in recorded.cells.items():
            shares = (one.right[field] / cells for one in (recorded, rules))
            rows.append(least(1.0, f"{family.name}: {field}, right", f"share of {cells}", *shares))
    return rows


def _settings() -> Settings:
    folder = Path(tempfile.mkdtemp(prefix="exhibit-families-"))
    return isolated_settings(evidence_dir=folder, state_dir=folder.with_name(f"{folder.name}-state"), nats_url=None)

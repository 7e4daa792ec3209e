"""Status icons of four third-party packages at four sizes, in the real browser, read without a model."""

from __future__ import annotations

import pytest

from scripts.fetch_packages import npm_missing
from tests.real.icons_sheet import other_icons, read_all, status_icons, table, tiles_of

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(npm_missing("icons"), reason="npm is not on this machine: NO ICON IS READ"),
]
LEAST_ANSWERED = 0.9
MOST_MISTAKEN = 0.02
"""Of icons that stand for no state (a bowl, a hexagon) a few look like one that does."""


async def test_status_icons_are_read_and_never_wrong():
    reads = await read_all(tiles_of(status_icons()))
    print("\n" + table(reads))
    assert [(one.tile, one.reading) for one in reads if one.verdict == "WRONG"] == []
    asked = [one for one in reads if one.tile.icon.kind in ("check", "cross", "dot", "skip")]
    answered = sum(one.verdict == "right" for one in asked)
    assert len(asked) > 300
    assert answered >= LEAST_ANSWERED * len(asked), table(reads)


async def test_icons_that_stand_for_no_state_are_hardly_ever_taken_for_one():
    reads = await read_all(tiles_of(other_icons(10), (16, 24)))
    taken = [(one.tile.icon.package, one.tile.icon.name, one.reading) for one in reads if one.reading.state is not None]
    print(f"\nother icons taken for a state: {len(taken)} of {len(reads)}")
    assert len(taken) <= MOST_MISTAKEN * len(reads), taken

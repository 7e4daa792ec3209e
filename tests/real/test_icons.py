"""Status icons of four third-party packages, in the real browser, read without a model.

`REAL=all` reads each at four sizes and prints the table; otherwise at two.
"""

from __future__ import annotations

import os

import pytest

from scripts.fetch_packages import npm_missing
from tests.real.icons_sheet import SIZES_PX, other_icons, read_all, status_icons, table, tiles_of

pytestmark = pytest.mark.skipif(npm_missing("icons"), reason="npm is not on this machine: NO ICON IS READ")

ALL = os.environ.get("REAL") == "all"
LEAST_ANSWERED = 0.9
MOST_MISTAKEN = 0.02
"""Of icons that stand for no state (a bowl, a hexagon) a few look like one that does."""


async def test_status_icons_are_read_and_never_wrong():
    reads = await read_all(tiles_of(status_icons(), SIZES_PX if ALL else (16, 24)))
    print("\n" + table(reads))
    wrong = [(one.tile, one.reading) for one in reads if one.verdict == "WRONG"]
    assert not wrong
    asked = [one for one in reads if one.tile.icon.kind in ("check", "cross", "dot", "skip")]
    answered = sum(one.verdict == "right" for one in asked)
    assert len(asked) > 300
    assert answered >= LEAST_ANSWERED * len(asked), table(reads)


async def test_icons_that_stand_for_no_state_are_hardly_ever_taken_for_one():
    icons = other_icons(10 if ALL else 120)
    reads = await read_all(tiles_of(icons, (16, 24) if ALL else (16,)))
    taken = [(one.tile.icon.package, one.tile.icon.name, one.reading) for one in reads if one.reading.state is not None]
    print(f"\nother icons taken for a state: {len(taken)} of {len(reads)}")
    assert len(taken) <= MOST_MISTAKEN * len(reads), taken

"""The drift suite: a flow compiled on the plain site, run with some switches of the practice sites alone and in pairs.

The table is printed (``pytest -s``). Nothing wrong is ever done: false heals are 0. Each switch and each pair has its
day; all of them at once: ``make bench-drift``.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest

from practice.drift import Drift, alone, pairs
from tests.drift.flows import measure, told
from tests.drift.outcomes import Outcome, table_of
from tests.drift.subjects import FAMILIES

SEED = "DRIFT_SEED"
"""Environment variable that repeats another day; by default it is the number of the day."""
SWITCHES, PAIRS = 2, 1
"""Switches alone, and pairs, for each family and day: all pairs in three weeks."""


def pairs_of_day(family: str, day: int) -> list[Drift]:
    """Return the pairs of a family; they rotate, so that all of them come in turn."""
    known = pairs()
    first = (day + 2 * list(FAMILIES).index(family)) * PAIRS
    return [known[(first + at) % len(known)] for at in range(PAIRS)]


def drifts_of_day(family: str, day: int) -> list[Drift]:
    """Return the switches that are on alone, and the pairs of the day."""
    known, first = list(alone()), day + list(FAMILIES).index(family)
    return [*(known[(first + at) % len(known)] for at in range(SWITCHES)), *pairs_of_day(family, day)]


def assert_nothing_wrong(outcomes: list[Outcome]) -> None:
    print(f"\n{told(outcomes)}\n\n{table_of(outcomes)}")
    assert [one for one in outcomes if one.verdict == "false"] == []
    assert {one.verdict for one in outcomes if not one.drift} == {"right"}


@pytest.mark.parametrize(
    ("family", "each"), [("tickets", 3), ("people", 2), ("commits", 2), ("lines", 2), ("requests", 1)]
)
async def test_nothing_wrong_is_done_on_a_changed_site(with_library, family, each):
    day = int(os.environ.get(SEED) or datetime.now(UTC).date().toordinal())
    print(f"{SEED}={day}")
    async with FAMILIES[family](each) as subject:
        assert_nothing_wrong(await measure(with_library, subject, drifts_of_day(family, day)))


def test_every_switch_and_pair_has_its_day():
    days = range(len(pairs()))
    for family in FAMILIES:
        assert {one for day in days for one in drifts_of_day(family, day)} == {*alone(), *pairs()}

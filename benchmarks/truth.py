"""`make bench-truth`: right, wrong and done, for a person: over the practice sites and the apps of `make real`.

What is promised of lists, input files, downloads and forms is measured in `truth_promises.py`.

Decided by rules alone. An app that cannot be installed ends the benchmark with the reason.
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from benchmarks.ink_cost import milliseconds_a_value
from benchmarks.report import Row, at_most, least, report
from benchmarks.truth_practice import FamilyScore, practice_tickets, score_family
from benchmarks.truth_promises import LEAST_COMPLETE, file_rows, made_rows, none_of, send_rows
from practice.families import FAMILIES
from shared.host.services import run_embedded
from shared.settings import Settings
from shared.testing.settings import isolated_settings
from tests.real.apps.app import NAMES, real_app
from tests.real.apps.collect import Outcome, ScoredApp, collect_app
from tests.real.apps.collect import report as details
from tests.real.apps.score import Judged, counts

LEAST_RIGHT = 0.95
ASKS_FOR_SHARE = ("careful", "shipped")
"""Specs that must bring back `LEAST_RIGHT` of the cells; naive ones only must not be wrong."""
MOST_RIGHT_FOR_A_PERSON = {"careful": 0.02, "shipped": 0.02, "naive": 0.25}
"""Share of the cells whose value was read right, but whose sample a person has to look at."""
MOST_MS_A_VALUE = 5.0
MOST_FALSE_ALARMS = 0.005
"""Share of the right values of which the picture is told not to show them, or more than them."""


def main() -> None:
    asyncio.run(_measure())


async def _measure() -> None:
    with tempfile.TemporaryDirectory(prefix="exhibit-truth-") as folder:
        root = Path(folder)
        outcomes = await _collect(practice_tickets(), root / "tickets")
        for name in NAMES:
            outcomes += await _collect(real_app(name, root / name / "app"), root / name)
        families = [await score_family(family, _settings(root / family.name)) for family in FAMILIES]
        promised = await made_rows()
        async with run_embedded(_settings(root / "promised")) as client:
            promised += [*await file_rows(client, root / "files"), *await send_rows(client)]
    print(details(outcomes))
    rows = [row for one in outcomes for row in _rows(one)] + [row for one in families for row in _family_rows(one)]
    rows += [*_rows_of_all(outcomes, families), *promised]
    cost_ms, values = await milliseconds_a_value()
    rows.append(at_most(MOST_MS_A_VALUE, "the look at the picture", f"ms a value, of {values} on one page", cost_ms))
    setup = {"planner": "rules", "apps": list(NAMES), "families": [family.name for family in FAMILIES]}
    report("truth", "Right, or to a person: values and lists beside the databases of the sites", rows, setup)


async def _collect(app: AbstractAsyncContextManager[ScoredApp], folder: Path) -> list[Outcome]:
    async with app as served, run_embedded(_settings(folder)) as client:
        return await collect_app(client, served)


def _settings(folder: Path) -> Settings:
    return isolated_settings(
        evidence_dir=folder / "evidence", state_dir=folder / "state", nats_url=None, log_level="ERROR"
    )


def _rows(one: Outcome) -> list[Row]:
    place, cells = f"{one.app}, {one.care}", len(one.cells)
    of = counts(one.cells)
    share = of["right"] / cells
    right = f"{place}: right", f"share of {cells} cells", share
    return [
        at_most(0, f"{place}: wrong and done", "cells", of["wrong"]),
        least(LEAST_RIGHT, *right) if one.care in ASKS_FOR_SHARE else Row(*right),
        Row(f"{place}: for a person", "cells", of["review"] + of["left"]),
        Row(f"{place}: given up", "cells", of["failed"]),
        at_most(0, f"{place}: list falsely complete", "lists", int(one.listed.verdict == "false")),
        Row(f"{place}: list, right", f"share of {one.listed.wanted} items", one.listed.right / one.listed.wanted),
    ]


def _rows_of_all(outcomes: list[Outcome], families: list[FamilyScore]) -> list[Row]:
    cells = [cell for one in outcomes for cell in one.cells]
    asked = len(cells) + sum(one.cells for one in families)
    wrong = counts(cells)["wrong"] + sum(one.wrong for one in families)
    lists = [one.listed.verdict for one in outcomes]
    looked = [cell for cell in cells if cell.is_read_right and cell.has_text and cell.ink]
    alarms = sum(cell.ink != "seen" for cell in looked)
    return [
        none_of("all: wrong and done", wrong, asked, "cells"),
        none_of("all: lists falsely complete", lists.count("false"), len(lists), "lists"),
        _rightly_complete([one.listed.verdict for one in outcomes if one.care in ASKS_FOR_SHARE]),
        *[
            _right_for_a_person(care, [c for one in outcomes if one.care == care for c in one.cells])
            for care in dict.fromkeys(one.care for one in outcomes)
        ],
        at_most(
            MOST_FALSE_ALARMS,
            "all: ink false alarms",
            f"share of {len(looked)} right values, {alarms} alarms",
            alarms / max(1, len(looked)),
        ),
    ]


def _rightly_complete(verdicts: list[str]) -> Row:
    share = verdicts.count("exact") / max(1, len(verdicts))
    return least(LEAST_COMPLETE, "careful specs: lists rightly complete", f"share of {len(verdicts)}", share)


def _right_for_a_person(care: str, cells: list[Judged]) -> Row:
    kept = sum(cell.is_read_right and cell.verdict != "right" for cell in cells)
    what = f"{care} specs: for a person though read right"
    return at_most(MOST_RIGHT_FOR_A_PERSON[care], what, f"share of {len(cells)} cells", kept / len(cells))


def _family_rows(one: FamilyScore) -> list[Row]:
    return [
        at_most(0, f"family {one.name}: wrong and done", "cells", one.wrong),
        # No aim: two families ask for a judgment, which rules leave to a person.
        Row(f"family {one.name}: right", f"share of {one.cells} cells", one.right / one.cells),
    ]


if __name__ == "__main__":
    main()

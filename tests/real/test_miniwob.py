"""MiniWoB's (third-party) tasks, solved with the observation and the typed actions only.

`make test` plays a few; `make real` (REAL=all) plays all whose names begin with a, b or c, with three seeds each, and
prints which were solved, which not, and why.
"""

from __future__ import annotations

import os
from pathlib import Path

from tests.real.miniwob_play import Episode, html_folder, miniwob_site, play, report, tasks
from tests.real.player import Player, play_all, pool

SEEDS = (1, 2, 3)
FEW = (
    *("buy-ticket", "choose-date", "choose-list", "circle-center", "click-checkboxes-large", "click-collapsible-2"),
    *("click-color", "click-dialog-2", "click-link", "click-menu", "click-option", "click-scroll-list"),
    *("click-tab-2-hard", "copy-paste-2"),
)

# Once a task has been solved with every seed it stays solved.
SOLVED = frozenset(
    {
        "ascending-numbers",
        "bisect-angle",
        "book-flight",
        "book-flight-nodelay",
        "button-delay",
        "buy-ticket",
        "choose-date",
        "choose-date-easy",
        "choose-date-medium",
        "choose-date-nodelay",
        "choose-list",
        "circle-center",
        "click-button",
        "click-button-sequence",
        "click-checkboxes",
        "click-checkboxes-large",
        "click-checkboxes-soft",
        "click-checkboxes-transfer",
        "click-collapsible",
        "click-collapsible-2",
        "click-collapsible-2-nodelay",
        "click-collapsible-nodelay",
        "click-color",
        "click-dialog",
        "click-dialog-2",
        "click-link",
        "click-menu",
        "click-menu-2",
        "click-option",
        "click-scroll-list",
        "click-shades",
        "click-shape",
        "click-tab",
        "click-tab-2",
        "click-tab-2-easy",
        "click-tab-2-hard",
        "click-tab-2-medium",
        "click-test",
        "click-test-2",
        "click-test-transfer",
        "click-widget",
        "copy-paste",
        "copy-paste-2",
        "count-shape",
        "count-sides",
    }
)


async def _played(folder: Path, names: list[str], seeds: tuple[int, ...]) -> list[Episode]:
    async with miniwob_site(html_folder()) as site, pool(folder) as settings:

        async def turn(somebody: Player, asked: tuple[str, int]) -> Episode:
            return await play(somebody, site, *asked)

        return await play_all(settings, site.url, [(name, seed) for name in names for seed in seeds], turn)


async def test_tasks_that_were_solved_are_solved(tmp_path: Path):
    whole = os.environ.get("REAL") == "all"
    played = await _played(tmp_path, tasks(html_folder()) if whole else list(FEW), SEEDS if whole else SEEDS[:1])
    print("\n" + report(played))
    lost = {one.task for one in played if not one.solved} & SOLVED
    assert not lost, report(one for one in played if one.task in lost)


def test_every_task_is_tried():
    found = tasks(html_folder())
    assert len(found) == 48
    assert set(FEW) <= SOLVED <= set(found)


def test_the_table_counts_what_was_tried_and_says_why():
    told = report([Episode("a", 1, 1.0, ""), Episode("a", 2, -1.0, "reward -1.00"), Episode("b", 1, None, "not seen")])
    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert lines[1:] == [
        "a 1 / 2",
        "seed 2: reward -1.00",
        "b 0 / 1",
        "seed 1: not seen",
        "tasks solved with every seed: 0 / 2",
        "MiniWoB, episodes solved / tried: 1 / 3",
    ]

"""Three published widget kits: tasks, and probes around them. Whatever is told of an action is what the page holds.

`make test` tries a few with one kit; `make real` (REAL=all) tries all.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scripts.fetch_packages import npm_missing
from tests.real.kits.lists import FEW, FEW_KIT, PROBES, TASKS
from tests.real.kits.session import trier
from tests.real.kits.site import KIND, KITS
from tests.real.kits.trials import report_trials, untrue_results

pytestmark = pytest.mark.skipif(npm_missing(KIND), reason="npm is not on this machine: NO KIT IS TRIED")
ALL = os.environ.get("REAL") == "all"


async def test_every_task_is_done_and_every_result_is_true(tmp_path: Path):
    async with trier(tmp_path, KITS if ALL else (FEW_KIT,)) as somebody:
        tried = [await somebody.play(trial) for trial in ((*TASKS, *PROBES) if ALL else FEW)]
    print("\n" + report_trials(tried))
    assert (untrue_results(tried), [one for one in tried if one.trial.is_task and one.why]) == (0, []), report_trials(
        tried
    )


def test_there_are_enough_tasks_and_probes_with_each_kit():
    counts = [sum(one.kit == kit for one in trials) for kit in KITS for trials in (TASKS, PROBES)]
    assert min(counts) >= 20
    assert len({one.title for one in (*TASKS, *PROBES)}) == len(TASKS) + len(PROBES)

"""Three published widget kits: tasks, and probes around them. Whatever is told of an action is what the page holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.fetch_packages import npm_missing
from tests.real.kits.lists import PROBES, TASKS
from tests.real.kits.session import trier
from tests.real.kits.site import KIND, KITS
from tests.real.kits.trials import report_trials, untrue_results

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(npm_missing(KIND), reason="npm is not on this machine: NO KIT IS TRIED"),
]


async def test_every_task_is_done_and_every_result_is_true(tmp_path: Path):
    async with trier(tmp_path, KITS) as somebody:
        tried = [await somebody.play(trial) for trial in (*TASKS, *PROBES)]
    print("\n" + report_trials(tried))
    lost = [one for one in tried if one.trial.is_task and one.why]
    assert (untrue_results(tried), lost) == (0, []), report_trials(tried)
    assert min(sum(one.kit == kit for one in trials) for kit in KITS for trials in (TASKS, PROBES)) >= 20

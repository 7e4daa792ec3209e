"""What is learned from two or three written rows of third-party pages reads the others right, or leaves them.

It serves four apps and opens about 170 pages. What it scores is in `learn_cases.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.settings import Settings
from tests.real.learn_cases import CASES, see_cases
from tests.real.learn_score import score_case

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
LEAST_RIGHT = 0.95
LEAST_SCORED = 16


async def test_nothing_is_read_wrongly_and_almost_all_is_read(tmp_path: Path):
    scores = [score_case(seen) for seen in await see_cases(tmp_path, Settings(state_dir=tmp_path / "state"))]
    said = "\n".join(["", *(one.line for one in scores)])
    print(said)
    assert len(scores) == len(CASES) >= 6
    assert sum(not one.labelled for one in CASES) >= 4
    for one in scores:
        assert one.counts["wrong"] == 0, (one.wrong, said)
        assert one.counts.total() >= LEAST_SCORED, said
    right = sum(one.counts["right"] for one in scores)
    assert right >= LEAST_RIGHT * sum(one.counts.total() for one in scores), said

"""What is learned from two or three written rows of third-party pages reads the others right, or leaves them.

``make real`` runs it: it serves four apps and opens about 170 pages. What it scores is in `learn_cases.py`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shared.settings import Settings
from tests.real.learn_cases import CASES, see_cases
from tests.real.learn_score import score_case

LEAST_RIGHT = 0.95
LEAST_SCORED = 16


def test_at_least_six_pages_are_tried_and_four_of_them_have_no_labels():
    assert len(CASES) >= 6
    assert sum(not one.labelled for one in CASES) >= 4


@pytest.mark.skipif(os.environ.get("REAL") != "all", reason="takes a minute and other packages: make real")
async def test_nothing_is_read_wrongly_and_almost_all_is_read(tmp_path: Path):
    scores = [score_case(seen) for seen in await see_cases(tmp_path, Settings(state_dir=tmp_path / "state"))]
    said = "\n".join(["", *(one.line for one in scores)])
    print(said)
    assert len(scores) == len(CASES)
    for one in scores:
        assert one.counts["wrong"] == 0, (one.wrong, said)
        assert one.counts.total() >= LEAST_SCORED, said
    right = sum(one.counts["right"] for one in scores)
    assert right >= LEAST_RIGHT * sum(one.counts.total() for one in scores), said

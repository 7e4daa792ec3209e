"""Flows on Roundup's pages where its templates have changed. ``make real`` runs it and prints the table."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.real.releases.measuring import assert_nothing_wrong
from tests.real.releases.roundup_ways import EACH, WAYS, measure_roundup

pytestmark = pytest.mark.skipif(os.environ.get("REAL") != "all", reason="takes minutes: make real")


async def test_nothing_wrong_is_done_where_templates_have_changed(tmp_path: Path):
    found = await measure_roundup(tmp_path)
    assert_nothing_wrong(found)
    assert {one.way: len(one.outcomes) for one in found} == dict.fromkeys(WAYS, EACH)

"""Flows on another release of a third-party app, newer or older. ``make real`` runs it and prints the tables."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.real.apps.environment import NEWER, OLDER
from tests.real.releases.app_releases import APPS, EACH, measure_release
from tests.real.releases.measuring import assert_nothing_wrong

pytestmark = pytest.mark.skipif(os.environ.get("REAL") != "all", reason="takes minutes: make real")


@pytest.mark.parametrize("learned", [OLDER, NEWER])
@pytest.mark.parametrize("name", APPS)
async def test_nothing_wrong_is_done_on_another_release(name: str, learned: str, tmp_path: Path):
    found = await measure_release(tmp_path, name, learned)
    assert_nothing_wrong(found)
    assert [len(one.outcomes) for one in found] == [EACH, EACH]

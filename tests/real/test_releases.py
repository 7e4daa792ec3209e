"""Flows on third-party pages that have changed: another release of an app, and Roundup with other templates.

Prints the tables (``pytest -s``), as ``make real`` does.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.apps.environment import NEWER, OLDER
from tests.real.releases import app_releases, redesigns, roundup_ways
from tests.real.releases.app_releases import APPS, measure_release
from tests.real.releases.measuring import assert_nothing_wrong
from tests.real.releases.redesigns import measure_app, told
from tests.real.releases.roundup_ways import WAYS, measure_roundup

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]


@pytest.mark.parametrize("learned", [OLDER, NEWER])
@pytest.mark.parametrize("name", APPS)
async def test_nothing_wrong_is_done_on_another_release(name: str, learned: str, tmp_path: Path):
    found = await measure_release(tmp_path, name, learned)
    assert_nothing_wrong(found)
    assert [len(one.outcomes) for one in found] == [app_releases.EACH] * 2


async def test_nothing_wrong_is_done_where_templates_have_changed(tmp_path: Path):
    found = await measure_roundup(tmp_path)
    assert_nothing_wrong(found)
    assert {one.way: len(one.outcomes) for one in found} == dict.fromkeys(WAYS, roundup_ways.EACH)


@pytest.mark.parametrize("name", redesigns.APPS)
async def test_nothing_wrong_is_done_where_records_are_drawn_in_another_layout(name: str, tmp_path: Path):
    found = await measure_app(tmp_path, name)
    print(f"\n{told(found)}")
    assert [(one.layout, one.wrong, one.rules_wrong) for one in found if one.wrong or one.rules_wrong] == []
    plain, *others = found
    assert plain.right == plain.samples
    assert any(one.rules_right for one in others)

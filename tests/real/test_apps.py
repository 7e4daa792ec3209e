"""The whole system on eight third-party apps of different families, two of them single-page, with naive and with
careful specs.

Prints the score (``pytest -s``), as ``make real`` does.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.host.services import run_embedded
from shared.settings import Settings
from tests.real.apps.app import NAMES, Truth, real_app
from tests.real.apps.collect import collect_app, report
from tests.real.apps.score import counts

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
WITHOUT_EMPTY = ("klaus",)
"""Apps whose records have a value in every field, as commits do."""
LEAST_ASKED = 25
LEAST_LISTED, MOST_LISTED = 60, 120
LEAST_RIGHT = 0.95
"""Share of the cells that a careful spec brings back right, of records that do not quote the page's own labels."""


@pytest.mark.parametrize("name", NAMES)
async def test_nothing_wrong_is_done_and_no_list_is_falsely_complete(name: str, tmp_path: Path):
    settings = Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state", planner="rules")
    async with real_app(name, tmp_path / "app") as app, run_embedded(settings) as client:
        assert_hard(app.truth, has_empty=name not in WITHOUT_EMPTY)
        outcomes = await collect_app(client, app)
    said = report(outcomes)
    print("\n" + said)
    for one in outcomes:
        assert counts(one.cells)["wrong"] == 0, said
        assert one.listed.verdict != "false", said
    careful = next(one for one in outcomes if one.care == "careful")
    plain = [cell for cell in careful.cells if cell.record not in app.truth.quoting]
    assert counts(plain)["right"] >= LEAST_RIGHT * len(plain), said


def assert_hard(truth: Truth, *, has_empty: bool) -> None:
    """Assert that there are missing records, empty values, and a list of several pages."""
    assert len(truth.records) >= LEAST_ASKED
    assert truth.quoting < truth.records.keys()
    assert truth.missing
    assert truth.missing.keys().isdisjoint(truth.records)
    assert LEAST_LISTED <= len(truth.listed) <= MOST_LISTED
    values = [value for record in truth.records.values() for value in record.values.values()]
    assert any(value is None for value in values) == has_empty
    assert any(not str(value).isascii() for value in values)

"""The apps have the assumed data: known records, missing ones, empty values, and a list of several pages."""

from __future__ import annotations

import asyncio
import urllib.request
from pathlib import Path

import pytest

from shared.task.spec import check_spec
from tests.real.apps.app import CARES, NAMES, RealApp, Truth, read_spec, real_app, seed_app
from tests.real.apps.environment import python_of

WITHOUT_EMPTY = ("klaus",)
"""Apps whose records have a value in every field, as commits do."""
LEAST_LISTED, MOST_LISTED = 60, 120


@pytest.mark.parametrize("name", NAMES)
async def test_an_app_has_known_data_and_shows_it(name: str, tmp_path: Path):
    async with real_app(name, tmp_path / "one") as app:
        paths = [app.truth.list_path, *(record.path for record in app.truth.records.values())]
        for path in paths[:3]:
            assert await asyncio.to_thread(status_of, app.url + path) == 200
    check_truth(app.truth, has_empty=name not in WITHOUT_EMPTY)
    check_specs(app)
    again = await seed_app(name, await asyncio.to_thread(python_of, name), tmp_path / "two")
    assert again == app.truth


def status_of(url: str) -> int:
    with urllib.request.urlopen(url, timeout=20) as response:
        return response.status


def check_truth(truth: Truth, *, has_empty: bool) -> None:
    assert len(truth.records) == 40
    assert truth.missing.keys().isdisjoint(truth.records)
    assert LEAST_LISTED <= len(truth.listed) <= MOST_LISTED
    values = [value for record in truth.records.values() for value in record.values.values()]
    assert any(value is None for value in values) == has_empty
    assert any(not str(value).isascii() for value in values)


def check_specs(app: RealApp) -> None:
    """The specs are valid, and the truth of what they ask for is known."""
    for care in CARES:
        for name in (care, f"list_{care}"):
            _, problems = check_spec(read_spec(app.name, name))
            assert not problems
        assert all(app.spec(care)["output_schema"].keys() <= one.values.keys() for one in app.truth.records.values())
        assert all(app.listing(care)["output_schema"].keys() == one.keys() for one in app.truth.listed.values())

"""The apps have the assumed data: known records, missing ones, empty values, and a list of several pages."""

from __future__ import annotations

import asyncio
import urllib.request
from pathlib import Path

import pytest

from shared.task.spec import check_spec
from tests.real.apps.app import CARES, NAMES, read_spec, real_app, seed_app
from tests.real.apps.environment import python_of

LEAST_LISTED, MOST_LISTED = 60, 120


@pytest.mark.parametrize("name", NAMES)
async def test_an_app_is_seeded_as_often_as_one_likes_with_the_same_known_data(name: str, tmp_path: Path):
    python = python_of(name)
    truth = await seed_app(name, python, tmp_path / "one")
    assert truth == await seed_app(name, python, tmp_path / "two")
    assert len(truth.records) == 40
    assert truth.missing.keys().isdisjoint(truth.records)
    assert LEAST_LISTED <= len(truth.listed) <= MOST_LISTED
    values = [str(value) for record in truth.records.values() for value in record.values.values() if value is not None]
    assert any(not value.isascii() for value in values)
    assert any(value is None for record in truth.records.values() for value in record.values.values())


@pytest.mark.parametrize("name", NAMES)
async def test_an_app_shows_its_records_and_its_list(name: str, tmp_path: Path):
    async with real_app(name, tmp_path) as app:
        for path in (app.truth.list_path, next(iter(app.truth.records.values())).path):
            assert await asyncio.to_thread(status_of, app.url + path) == 200


def status_of(url: str) -> int:
    with urllib.request.urlopen(url, timeout=20) as response:
        return response.status


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("care", CARES)
async def test_the_specs_of_an_app_are_valid_and_ask_for_what_is_known(name: str, care: str, tmp_path: Path):
    truth = await seed_app(name, python_of(name), tmp_path)
    for spec in (read_spec(name, care), read_spec(name, f"list_{care}")):
        checked, problems = check_spec(spec)
        assert not problems
        assert checked is not None
    assert all(set(read_spec(name, care)["output_schema"]) <= set(one.values) for one in truth.records.values())
    assert all(set(read_spec(name, f"list_{care}")["output_schema"]) == set(one) for one in truth.listed.values())

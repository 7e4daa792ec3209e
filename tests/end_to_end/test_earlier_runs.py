"""Evidence of an earlier version: it verifies, re-performs, answers SQL and exports as before."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shared.client import Client, connect
from shared.contracts.evidence import SqlRefused
from tests.end_to_end.conftest import Cli, System
from tests.end_to_end.earlier_runs import FOLDER, RUNS, answers, unpack

FINGERPRINT = "1fcb7b8e7d10c544844f246ec21691bc2a67e78b236cf01c11a70a3a5f8a9f0f"
NOT_THE_SAME_ELSEWHERE = " exclude (location, read_from)"
"""Of the view runs: where the evidence lies, and what it was read from."""
COLUMNS_SINCE = {
    "runs": {"population_reason": None, "population_counted": None, "controls": [], "tags": []},
    "artifacts": dict.fromkeys(("content_kind", "content_problem")),
    "fields": dict.fromkeys(
        (
            *("ink", "items", "lacking", "response_sha256", "response_pointer", "response_url"),
            *("decision", "reviewed_value", "reviewed_by"),
        )
    ),
    "samples": dict.fromkeys(
        (
            *("drivers", "no_flow", "settled", "settled_by", "settled_at", "settled_reason"),
            *("decision", "reviewed_by", "signed_off_at"),
        )
    ),
    "steps": {"plain_confidence": None},
}
"""Columns that the views have gained; a run made before has nothing in them."""
WITHOUT_IDENTITY = ("submitted",)
"""Runs whose task compares no record. They said once that each of their pages was proven to show it."""
COUNTS_SINCE = {"done_without_page": 0, "drawn_again": 0, "drawn_otherwise": 0}
"""Counts that re-performance has gained."""


@pytest.fixture(params=RUNS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def run_here(name: str, system: System) -> Iterator[Path]:
    """The run's folder, among those of services that run already."""
    run = unpack(name, system.evidence)
    yield run
    shutil.rmtree(run)


async def rows_of(client: Client, run: Path, view: str) -> list[dict[str, Any]]:
    columns = NOT_THE_SAME_ELSEWHERE if view == "runs" else ""
    answered = await client.sql(f"select *{columns} from {view} order by all", [run.name])
    assert not isinstance(answered, SqlRefused), answered
    return json.loads(answered[1] or b"[]")


def not_asked(name: str, view: str, row: dict[str, Any]) -> dict[str, Any]:
    if name not in WITHOUT_IDENTITY:
        return {}
    if view == "steps":
        return {"proof": row["proof"] and "not_asked"}
    return {"proven": None} if view == "samples" else {}


def test_its_zip_and_its_folder_verify_and_a_changed_byte_is_found(cli: Cli, name: str):
    run = unpack(name, cli.folder / "evidence")
    key = ("--key", str(run / "public_key.pem"))
    for place in (FOLDER / f"{name}.zip", run):
        ended = cli.run("verify", str(place), *key, "--json")
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert FINGERPRINT in ended.stdout
    result = next(iter(sorted(run.glob("*/result.json"))))
    result.write_bytes(result.read_bytes().replace(b'"steps": ', b'"steps":  ', 1))
    ended = cli.run("verify", str(run), *key)
    assert ended.returncode == 1
    assert f"{result.parent.name}/result.json" in ended.stdout


def test_every_value_is_extracted_again_with_the_same_verdict(online: Cli, run_here: Path, name: str):
    ended = online.run("reperform", run_here.name, "--json")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    expected = answers(name, "reperform")
    expected["counts"] |= COUNTS_SINCE
    answer = json.loads(ended.stdout)
    drawn = [(value.pop("ink"), value.pop("ink_found")) for one in answer["samples"] for value in one["values"]]
    assert answer == expected
    # Pictures were not compared with values then. The stored pages are drawn as they are read.
    assert set(drawn) <= {(None, "seen"), (None, None)}
    assert (None, "seen") in drawn


async def test_it_answers_sql_from_its_tables_and_from_its_json_files(system: System, run_here: Path, name: str):
    expected = {
        view: [row | COLUMNS_SINCE.get(view, {}) | not_asked(name, view, row) for row in rows]
        for view, rows in answers(name, "sql").items()
    }
    async with connect(system.url) as client:
        assert {view: await rows_of(client, run_here, view) for view in expected} == expected
        shutil.rmtree(run_here / "tables")
        assert {view: await rows_of(client, run_here, view) for view in expected} == expected


def test_it_is_exported_with_the_same_sealed_files(cli: Cli, name: str):
    run = unpack(name, cli.folder / "evidence")
    out = cli.folder / "again.zip"
    ended = cli.run("export", run.name, "--evidence", str(run.parent), "--out", str(out))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert sealed_in(out) == sealed_in(FOLDER / f"{name}.zip")
    assert cli.run("verify", str(out), "--key", str(run / "public_key.pem")).returncode == 0


def sealed_in(zipped: Path) -> dict[str, int]:
    """Checksum by name of all files but the instructions beside them, which each version words for itself."""
    with zipfile.ZipFile(zipped) as file:
        return {one.filename: one.CRC for one in file.infolist() if not one.filename.endswith("VERIFY.txt")}

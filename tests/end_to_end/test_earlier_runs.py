"""Evidence of an earlier version: it verifies, re-performs, answers SQL and exports as before."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from shared.client import Client
from shared.contracts.evidence import SqlRefused
from shared.host.services import run_embedded
from shared.settings import Settings
from tests.end_to_end.conftest import ROOT, Cli

FOLDER = ROOT / "tests" / "fixtures" / "earlier_runs"
RUNS = ("resumed", "replayed", "judged", "submitted")
FINGERPRINT = "1fcb7b8e7d10c544844f246ec21691bc2a67e78b236cf01c11a70a3a5f8a9f0f"
NOT_THE_SAME_ELSEWHERE = " exclude (location, read_from)"
"""Of the view runs: where the evidence lies, and what it was read from."""


def answers(name: str, of: str) -> Any:
    with zipfile.ZipFile(FOLDER / "answers.zip") as file:
        return json.loads(file.read(f"{name}.{of}.json"))


def unpack(name: str, folder: Path) -> Path:
    """The run's folder, in a folder of runs."""
    run_id = answers(name, "reperform")["run_id"]
    run = folder / run_id
    with zipfile.ZipFile(FOLDER / f"{name}.zip") as file:
        names = file.namelist()
        file.extractall(run if all(not one.startswith(f"{run_id}/") for one in names) else folder)
    assert (run / "run.json").is_file()
    return run


async def rows_of(client: Client, run: Path, view: str) -> list[dict[str, Any]]:
    columns = NOT_THE_SAME_ELSEWHERE if view == "runs" else ""
    answered = await client.sql(f"select *{columns} from {view} order by all", [run.name])
    assert not isinstance(answered, SqlRefused), answered
    return json.loads(answered[1] or b"[]")


@pytest.mark.parametrize("name", RUNS)
def test_its_zip_and_its_folder_verify_with_the_public_key(cli: Cli, name: str, tmp_path: Path):
    run = unpack(name, tmp_path / "evidence")
    for place in (FOLDER / f"{name}.zip", run):
        ended = cli.run("verify", str(place), "--key", str(run / "public_key.pem"), "--json")
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert FINGERPRINT in ended.stdout


COLUMNS_SINCE = {
    "runs": {"population_reason": None, "population_counted": None},
    "fields": dict.fromkeys(("response_sha256", "response_pointer", "response_url")),
    "samples": dict.fromkeys(("way", "no_flow", "settled", "settled_by", "settled_at", "settled_reason")),
}
"""Columns that the views have gained; a run made before has nothing in them."""
WITHOUT_IDENTITY = ("submitted",)
"""Runs whose task compares no record. They said once that each of their pages was proven to show it."""


def not_asked(name: str, view: str, row: dict[str, Any]) -> dict[str, Any]:
    if name not in WITHOUT_IDENTITY:
        return {}
    if view == "steps":
        return {"proof": row["proof"] and "not_asked"}
    return {"proven": None} if view == "samples" else {}


COUNTS_SINCE = {"done_without_page": 0}
"""Counts that re-performance has gained."""


@pytest.mark.parametrize("name", RUNS)
def test_a_changed_byte_of_it_is_found(cli: Cli, name: str, tmp_path: Path):
    run = unpack(name, tmp_path / "evidence")
    result = next(iter(sorted(run.glob("*/result.json"))))
    result.write_bytes(result.read_bytes().replace(b'"steps": ', b'"steps":  ', 1))
    ended = cli.run("verify", str(run), "--key", str(run / "public_key.pem"))
    assert ended.returncode == 1
    assert f"{result.parent.name}/result.json" in ended.stdout


@pytest.mark.parametrize("name", RUNS)
def test_every_value_is_extracted_again_with_the_same_verdict(cli: Cli, name: str):
    ended = cli.run("reperform", str(FOLDER / f"{name}.zip"), "--json")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    expected = answers(name, "reperform")
    expected["counts"] |= COUNTS_SINCE
    assert json.loads(ended.stdout) == expected


@pytest.mark.parametrize("name", RUNS)
async def test_it_answers_sql_from_its_tables_and_from_its_json_files(settings: Settings, name: str):
    run = unpack(name, Path(settings.evidence_dir))
    expected = {
        view: [row | COLUMNS_SINCE.get(view, {}) | not_asked(name, view, row) for row in rows]
        for view, rows in answers(name, "sql").items()
    }
    async with run_embedded(settings) as client:
        assert {view: await rows_of(client, run, view) for view in expected} == expected
        shutil.rmtree(run / "tables")
        assert {view: await rows_of(client, run, view) for view in expected} == expected


@pytest.mark.parametrize("name", RUNS)
def test_it_is_exported_with_the_same_sealed_files(cli: Cli, name: str, tmp_path: Path):
    run = unpack(name, tmp_path / "evidence")
    out = tmp_path / "again.zip"
    ended = cli.run("export", run.name, "--evidence", str(run.parent), "--out", str(out))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert sealed_in(out) == sealed_in(FOLDER / f"{name}.zip")
    assert cli.run("verify", str(out), "--key", str(run / "public_key.pem")).returncode == 0


def sealed_in(zipped: Path) -> dict[str, int]:
    """Checksum by name of all files but the instructions beside them, which each version words for itself."""
    with zipfile.ZipFile(zipped) as file:
        return {one.filename: one.CRC for one in file.infolist() if not one.filename.endswith("VERIFY.txt")}

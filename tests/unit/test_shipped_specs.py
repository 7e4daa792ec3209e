"""The shipped task specs, their JSON Schema, and the page that explains them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from practice.hr_portal import server as hr_portal
from practice.people import server as people
from services.discovery.planning.search_plan import discovery_plan
from shared.contracts.discovery import SubmitRun
from shared.task.spec import check_spec, json_schema, placeholders
from shared.task.unused_keys import find_unused_keys

FOLDER = Path(__file__).parents[2] / "task_specs"
SPECS = sorted(path for path in FOLDER.glob("*.json") if path.name != "schema.json")


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_specs_are_all_there():
    assert {path.stem for path in SPECS} == {
        "_template",
        "github_commit_audit",
        "github_commits",
        "github_discovery",
        "github_profile",
        "linear_tickets",
        "practice_blame",
        "practice_commit_audit",
        "practice_commits",
        "practice_hr_request",
        "practice_people",
        "practice_people_list",
        "practice_tickets",
        "roundup_issues",
    }


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_a_shipped_spec_is_right_and_no_key_of_it_is_without_effect(path: Path):
    spec, problems = check_spec(read(path))
    assert problems == ()
    assert spec is not None
    assert spec.schema_ == "./schema.json"
    assert spec.task_id == ("unique_name" if path.stem == "_template" else path.stem)
    used = {name for text in (spec.start_url, spec.sample_id, *spec.identity.values()) for name in placeholders(text)}
    assert used <= set(spec.input_schema)
    assert find_unused_keys(spec) == ()
    assert path.stem.startswith(("practice", "_")) or spec.politeness.interval_s


def test_the_schema_for_editors_is_up_to_date():
    """If not: python scripts/write_schema.py"""
    written = (FOLDER / "schema.json").read_text(encoding="utf-8")
    assert written == json.dumps(json_schema(), indent=2) + "\n"


def test_the_readme_explains_every_key():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    schema = json_schema()
    keys = {*schema["properties"], *schema["$defs"]["OutputField"]["properties"]}
    assert {key for key in keys if f"`{key}`" not in readme} == set()


@pytest.mark.parametrize(
    ("name", "port"),
    [("practice_people", people.PORT), ("practice_people_list", people.PORT), ("practice_hr_request", hr_portal.PORT)],
)
def test_a_practice_spec_points_to_where_its_site_is_by_default(name: str, port: int):
    assert urlsplit(read(FOLDER / f"{name}.json")["start_url"]).netloc == f"127.0.0.1:{port}"


@pytest.mark.parametrize(
    ("finds", "works", "row"),
    [
        ("github_commits", "github_commit_audit", {"org": "o", "repo": "r", "branch": "main"}),
        ("github_discovery", "github_profile", {"org": "o"}),
        ("practice_commits", "practice_commit_audit", {"repository": "r", "url": "http://127.0.0.1/commits"}),
    ],
)
def test_what_one_shipped_spec_lists_another_can_work_on(finds: str, works: str, row: dict[str, str]):
    found, task = (read(FOLDER / f"{name}.json") for name in (finds, works))
    plan, problems = discovery_plan(SubmitRun(spec=task, discovery=found, discovery_row=row))
    assert problems == ()
    assert plan is not None

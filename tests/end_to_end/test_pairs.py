"""Shipped specs that belong together: what one lists, the other is carried out on, in one run on a practice site."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from practice.code_host import audit
from practice.code_host import server as code_host
from practice.code_host.data import Repository, ground_truth, words
from practice.comparing import rows_of
from practice.people import demo as people_demo
from practice.people import server as people_server
from practice.people.data import ground_truth as people_of
from shared.client import Client
from shared.contracts.evidence import RunFinished

SPECS = Path(__file__).parents[2] / "task_specs"
SOME = 2
"""So many of the 60 commits are audited here; that the specs as shipped list 60 is another test."""


def spec_of(name: str, base_url: str, **changes: Any) -> dict[str, Any]:
    """Return the spec as shipped, but for the host of the site, where it names one."""
    spec = json.loads((SPECS / f"{name}.json").read_text())
    path = spec["start_url"].partition("://")[2].partition("/")[2]
    start_url = f"{base_url}/{path}" if path else spec["start_url"]
    return {**spec, "start_url": start_url, "allowed_hosts": ["127.0.0.1"], "politeness": {}, **changes}


async def run_pair(
    client: Client, finds: dict[str, Any], works: dict[str, Any] | None, row: dict[str, str]
) -> RunFinished:
    """Run both, or the listing alone."""
    if works is None:
        accepted = await client.submit(finds, discovery_row=row)
    else:
        accepted = await client.submit(works, discovery=finds, discovery_row=row)
    return await client.result(accepted.run_id)


def large_repository() -> Repository:
    return next(one for one in ground_truth().repositories if len(one.commits) > audit.COMMITS)


def filling(name: str, url: str, repository: Repository) -> dict[str, str]:
    """Return the row that fills the listing."""
    if name == "practice_commits":
        return {"repository": repository.name, "url": f"{audit.repository_url(url, repository)}/commits/main"}
    return {"org": words.ORG, "repo": repository.name, "branch": "main"}


@pytest.mark.parametrize(
    ("finds", "works"),
    [
        ("practice_commits", "practice_commit_audit"),
        pytest.param("github_commits", "github_commit_audit", marks=pytest.mark.long),
    ],
)
async def test_the_commits_that_one_spec_lists_are_audited_by_the_other(finds: str, works: str, client: Client):
    repository = large_repository()
    truth = audit.audit_truth(repository)
    async with code_host.serve(latency_ms=0) as origins:
        listing = spec_of(finds, origins.code, limit=SOME)
        task = spec_of(works, origins.code, concurrency=2)
        finished = await run_pair(client, listing, task, filling(finds, origins.code, repository))
    assert (finished.population_complete, finished.samples) == (True, SOME)
    first = list(truth)[:SOME]
    assert [row["sample_id"] for row in rows_of(Path(finished.location) / "discovered_samples.csv")] == first
    audited = {row["sample_id"]: row for row in rows_of(Path(finished.table))}
    assert set(audited) == set(first)
    for sha, row in audited.items():
        assert (row["status"], row["reason"]) == ("needs_review", "judgment_missing")
        assert row["commit_sha"] == sha
        if works == "practice_commit_audit":
            check_fields(row, truth[sha])


def check_fields(row: dict[str, str], expected: dict[str, str]) -> None:
    """What only icons say is not guessed."""
    assert row["pr_number"].removeprefix("#") == expected["pr_number"]
    assert (row["pr_creator"], row["merger"]) == (expected["pr_creator"], expected["merger"])
    assert row["jira_url"].endswith(expected["jira_url"])
    assert bool(row["jira_url"]) == bool(expected["jira_url"])
    assert [row[name] for name in ("checks_passed", "checks_failed", "merged_with_failures")] == ["", "", ""]
    assert ("pr_number" in row["not_present"]) == (not expected["pr_number"])


@pytest.mark.parametrize("finds", ["github_commits", pytest.param("practice_commits", marks=pytest.mark.long)])
async def test_the_last_60_commits_are_60_in_the_order_of_the_list(finds: str, client: Client):
    repository = large_repository()
    async with code_host.serve(latency_ms=0) as origins:
        row = filling(finds, origins.code, repository)
        finished = await run_pair(client, spec_of(finds, origins.code), None, row)
    assert (finished.population_complete, finished.samples) == (True, audit.COMMITS)
    listed = rows_of(Path(finished.location) / "discovered_samples.csv")
    assert [row["sha"] for row in listed] == list(audit.audit_truth(repository))


@pytest.mark.long
async def test_the_people_of_a_company_are_listed_along_a_route_and_looked_up(client: Client):
    people, company = people_of(), "Quillfeather Press"
    async with people_server.serve() as url:
        route = {"start_url": f"{url}/companies", "route": [{"follow": "{company}"}]}
        listing = spec_of("practice_people_list", url, **route)
        task = spec_of("practice_people", url, concurrency=2)
        finished = await run_pair(client, listing, task, {"company": company})
        rows = rows_of(Path(finished.table))
        expected = [people_demo.expected_cells(people, {**row, "company": company}, url) for row in rows]
    assert finished.population_complete
    assert {row["name"] for row in rows} == {person.name for person in people_demo.people_of(people, company)}
    for row, wanted in zip(rows, expected, strict=True):
        if row["status"] == "done":
            assert {name: row[name] for name in wanted} == wanted
    assert sum(row["status"] == "done" for row in rows) >= len(rows) // 2

"""The OSCAL assessment results of a run, checked by the schema of models that others have made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema

from shared.papers.oscal import assessment_results, token
from tests.handlers.evidence.evidence_desk import Desk, found, sample, started
from tests.handlers.evidence.paper_world import (
    HOSTILE,
    SPEC,
    corrected_run,
    exported,
    filed_run,
    paper_of,
    reviewed_run,
    timed_run,
)

SCHEMA = json.loads((Path(__file__).parents[2] / "fixtures" / "oscal" / "assessment_results.schema.json").read_text())
DOUBTFUL, LOST = f"T-{len(HOSTILE) + 1}", f"T-{len(HOSTILE) + 2}"


def made(desk: Desk) -> bytes:
    return assessment_results(paper_of(desk)[0], lambda path: f"run_1/{path}")


def checked(data: bytes) -> Any:
    """Return the assessment results, which the schema takes and whose identifiers are each defined once."""
    document = json.loads(data)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    results = document["assessment-results"]
    defined = [one["uuid"] for one in _objects(results) if "uuid" in one]
    assert len(defined) == len(set(defined))
    named = [
        text for one in _objects(results) for text in (one.get("observation-uuid"), *one.get("party-uuids", ())) if text
    ]
    assert [one for one in named if one not in defined] == []
    assert results["import-ap"]["href"].removeprefix("#") in defined
    return results


def _objects(part: Any) -> list[Any]:
    if isinstance(part, dict):
        return [part, *(one for value in part.values() for one in _objects(value))]
    return [one for value in part for one in _objects(value)] if isinstance(part, list) else []


def props(of: Any) -> dict[str, str]:
    return {one["name"]: one["value"] for one in of["props"]}


def observation(results: Any, title: str) -> Any:
    return next(one for one in results["results"][0]["observations"] if one["title"] == title)


async def test_a_sample_is_an_observation_with_its_values_and_its_evidence(desk: Desk):
    await filed_run(desk)
    one = observation(checked(made(desk)), "Sample T-1")
    assert (props(one)["value.number"], props(one)["value.owner"], props(one)["status"]) == ("1", "=1+1", "done")
    assert [prop["class"] for prop in one["props"] if prop["name"] == "value.owner"] == ["traced"]
    links = {unquote(evidence["href"]): props(evidence)["sha256"] for evidence in one["relevant-evidence"]}
    assert links.keys() == {"run_1/T-1/01_ticket.png", "run_1/T-1/01_ticket.mhtml.zst"}
    sealed = desk.check().sealed
    assert {path: sealed[path.removeprefix("run_1/")].sha256 for path in links} == links


async def test_what_people_decided_and_signed_is_told(desk: Desk):
    await reviewed_run(desk)
    results = checked(made(desk))
    told = props(observation(results, f"Sample {DOUBTFUL}"))
    assert (told["decision.owner"], told["reviewed-value.owner"], told["decided-by.owner"]) == (
        "correct",
        "=Ann",
        "ann",
    )
    titles = [one["title"] for one in results["results"][0]["findings"]]
    # One of the doubtful sample with its corrected value, and what was rejected: that is no evidence, and open.
    assert titles == ["Open exceptions: 1 of 2"] * 2
    one = props(observation(results, f"Exception 1: Sample of sample {DOUBTFUL}"))
    assert (one["decision"], one["decision.owner"], one["reviewed-value.owner"]) == ("accept", "correct", "=Ann")
    (attested,) = results["results"][0]["attestations"]
    assert [one["role-id"] for one in attested["responsible-parties"]] == ["reviewer", "approver"]
    assert props(results["results"][0])["draw-seed"] == "Q1"


async def test_the_decided_value_is_the_value_and_what_was_read_is_told_beside_it(desk: Desk):
    await corrected_run(desk)
    one = observation(checked(made(desk)), "Sample T-1")
    told = props(one)
    assert (told["value.owner"], told["read.owner"]) == ("2026-10-31", "4 weeks ago")
    assert [prop["class"] for prop in one["props"] if prop["name"] == "value.owner"] == ["reviewed"]
    assert (told["value.number"], "read.number" in told) == ("1", False)
    assert told["where.owner"] == "T-1/01_ticket.mhtml.zst"


async def test_how_many_of_those_for_review_are_decided_is_told(desk: Desk):
    await corrected_run(desk)
    result = checked(made(desk))["results"][0]
    told = props(result)
    assert [told[name] for name in ("for-review", "for-review-decided", "failed", "failed-decided")] == ["1"] * 4


async def test_the_assessment_ends_with_the_last_sample_and_not_with_its_review(desk: Desk):
    await timed_run(desk)
    result = checked(made(desk))["results"][0]
    assert (result["start"], result["end"]) == ("2026-11-21T07:50:00Z", "2026-11-21T07:55:00Z")


async def test_each_control_has_a_finding_that_names_all_exceptions(desk: Desk):
    await filed_run(desk)
    result = checked(made(desk))["results"][0]
    selected = result["reviewed-controls"]["control-selections"]
    assert [[one["control-id"] for one in each["include-controls"]] for each in selected] == [["CC6.1"], ["ITGC-03"]]
    assert [one["target"]["target-id"] for one in result["findings"]] == ["CC6.1", "ITGC-03"]
    titles = {one["uuid"]: one["title"] for one in result["observations"]}
    related = [titles[one["observation-uuid"]] for one in result["findings"][0]["related-observations"]]
    exceptions = [f"Exception {number}: Sample of sample {one}" for number, one in enumerate((DOUBTFUL, LOST), 1)]
    assert related == [*exceptions, f"Sample {DOUBTFUL}", f"Sample {LOST}"]


async def test_a_task_without_controls_selects_none_and_has_no_finding(desk: Desk):
    await filed_run(desk, ("Ann",), spec={**SPEC, "controls": []})
    result = checked(made(desk))["results"][0]
    (selected,) = result["reviewed-controls"]["control-selections"]
    assert selected["include-controls"] == [{"control-id": "no-control-named"}]
    assert selected["description"] == "The task names no control; the id is a stand-in."
    assert "findings" not in result


async def test_text_of_pages_stands_in_properties_only(desk: Desk):
    """All other texts are Markdown."""
    await filed_run(desk, ("# [x](http://evil.example)\n\n<img src=x>",))
    results = checked(made(desk))
    evil = [key for one in _objects(results) for key, text in one.items() if isinstance(text, str) and "evil" in text]
    assert set(evil) == {"value"}
    assert props(observation(results, "Sample T-1"))["value.owner"] == "# [x](http://evil.example) <img src=x>"


async def test_the_same_evidence_gives_the_same_bytes(desk: Desk):
    await filed_run(desk)
    assert made(desk) == made(desk)


async def test_a_run_at_work_is_valid_and_says_that_it_is_not_sealed(desk: Desk):
    await desk.tell(started(), found(sample()))
    data = made(desk)
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(data))
    assert props(json.loads(data)["assessment-results"]["metadata"])["evidence"].startswith("NOT SEALED")


async def test_it_is_exported_without_an_extra(desk: Desk, tmp_path: Path):
    await filed_run(desk, ("Ann",))
    out = tmp_path / "x.json"
    code, words = exported(desk.root / "run_1", tmp_path / "s", "--format", "oscal", "--out", out)
    assert code == 0, words
    links = [one["href"] for one in _objects(checked(out.read_bytes())) if "hashes" in one]
    assert {Path(one).name for one in links} >= {"run.json", "samples.csv"}
    assert [one for one in links if not (tmp_path / unquote(one)).is_file()] == []


def test_an_id_that_is_no_token_becomes_one():
    assert [token(text) for text in ("CC6.1", "1.2.3", "AC-2(1)", "A.5.15", "")] == [
        "CC6.1",
        "_1.2.3",
        "AC-2_1_",
        "A.5.15",
        "_",
    ]

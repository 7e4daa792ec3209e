"""The facts of one sample in the report."""

from __future__ import annotations

import json
from typing import Any

import pytest

from services.evidence.report.run_summary import RunSums
from services.evidence.sql.sample_rows import sample_rows
from shared.contracts.explained import KEY_WORDS, NEAR_WORDS
from shared.evidence_view.sample_details import detail_of, row_of
from tests.handlers.evidence.written_sample import facts_of

SOURCE: dict[str, Any] = {
    **{"snapshot_id": "s", "observation_sha256": "", "url": "", "ref": 1, "role": "", "label": None, "frame": "main"},
}
OLD = ["differs: step 2: address: then a, now b", "owner: gone"]
TYPED: list[Any] = [
    {"kind": "differs", "step": 2, "text": "address: then a, now b"},
    {"kind": "remark", "field": "owner", "text": "gone"},
]


@pytest.mark.parametrize("notes", [OLD, TYPED], ids=["strings of an older run", "typed"])
def test_what_differs_stands_apart_from_other_notes(notes: list[Any]):
    facts = facts_of({"sample_id": "A-1"}, {"status": "needs_review", "notes": notes})
    detail, sums = detail_of(facts), RunSums()
    sums.add(facts)
    assert (detail["differs"], detail["notes"]) == (["step 2: address: then a, now b"], ["owner: gone"])
    assert row_of(facts)[-1] == "; ".join(OLD)
    assert sums.differing == 1


def test_the_texts_between_which_a_person_decides_stand_with_their_places():
    source = {**SOURCE, "box": {"x": 1.0, "y": 2.0, "width": 3.0, "height": 4.0}, "screenshot_sha256": "f" * 64}
    open_between = [{"shown": "Ann", "source": source}, {"shown": "Bo", "source": None}]
    facts = facts_of({"sample_id": "A-1"}, {"fields": {"owner": {"state": "not_found", "candidates": open_between}}})
    (field,) = detail_of(facts)["fields"]
    ann, bo = field["candidates"]
    assert (ann["shown"], ann["src"]["shot"], ann["src"]["box"].y) == ("Ann", "f" * 64, 2.0)
    assert (bo["shown"], bo["src"]["box"]) == ("Bo", None)


def test_what_would_settle_a_field_stands_beside_it_ready_to_paste():
    entry = {"type": "string | null", "labels": ["Assigned to"]}
    key = {"keys": {"labels": ["Assigned to"]}, "entry": entry, "why": "label_alike", "state": "value", "value": "Ann"}
    none = {"keys": {}, "entry": {"type": "string | null"}, "why": "of_another_version", "state": "not_present"}
    near = [{"shown": "Bo", "why": "past", "label": "Owner"}]
    told = {"owner": {"state": "not_found", "near": near, "settled_by": [key, none]}}
    (field,) = detail_of(facts_of({"sample_id": "A-1"}, {"fields": told}))["fields"]
    assert field["near"] == [{"shown": "Bo", "label": "Owner", "why": NEAR_WORDS["past"]}]
    first, second = field["settled_by"]
    assert json.loads(f"{{{first['paste']}}}") == {"owner": entry}
    assert (first["gives"], first["why"]) == ("Ann", KEY_WORDS["label_alike"])
    assert (second["gives"], second["why"]) == (None, "of_another_version")


def test_the_search_for_samples_counts_with_its_own_steps_and_is_no_sample():
    log = [{"step": n, "attempt": 1, "decided_by": "rules"} for n in (1, 2, 3)]
    sums = RunSums()
    sums.add_work(facts_of({"sample_id": "_discovery"}, {"status": "done"}, log))
    assert (sums.steps, sums.workers["rules"].steps, sums.attempted, sums.statuses.total()) == (3, 3, 0, 0)


def test_a_value_of_an_api_names_its_place_in_the_stored_response():
    response = {"url": "https://api.example/1", "sha256": "e" * 64, "pointer": "/data/owner"}
    owner = {"state": "value", "value": "Ann", "shown": "Ann", "origin": "api", "read_by": "api", "response": response}
    facts = facts_of({"sample_id": "A-1"}, {"fields": {"owner": owner}})
    (field,) = detail_of(facts)["fields"]
    assert (field["origin"], field["response"].pointer, field["response"].sha256) == ("api", "/data/owner", "e" * 64)
    assert (facts.from_api, facts.inferred) == (["owner"], [])


@pytest.mark.parametrize(
    ("identity", "proof", "told"),
    [
        ({"number": "{number}"}, "proven", (True, "proven", "proven")),
        ({"number": "{number}"}, "mismatch", (False, "mismatch", "mismatch")),
        ({"number": "{number}"}, "unproven", (False, "unproven", None)),
        ({}, "proven", (None, "not_asked", None)),
        ({}, "unproven", (None, "not_asked", None)),
    ],
)
def test_no_page_is_the_right_record_where_the_task_has_no_identity(identity: Any, proof: str, told: Any):
    seen = {"snapshot_id": "s", "sha256": "", "url": "", "title": "", "http_status": 200, "dom_confidence": 1.0}
    log = [{"step": 1, "observation": {**seen, "proof": proof}}]
    facts = facts_of({"sample_id": "A-1"}, {}, log, fields=["number"], identity=identity)
    rows = dict(sample_rows("run_1", facts, facts.attempts()))
    (step,) = detail_of(facts)["steps"]
    assert (rows["samples"]["proven"], rows["steps"]["proof"], step.get("proof")) == told


@pytest.mark.parametrize(
    ("ended", "http_status", "told"),
    [
        ({"status": "failed", "reason": "not_found"}, 404, (False, "unproven", None)),
        ({"status": "failed", "reason": "not_found"}, 200, (False, "unproven", None)),
        ({"status": "failed", "reason": "http_error"}, 500, (False, "unproven", None)),
        (None, 404, (False, "unproven", None)),
        ({"status": "done"}, 404, (True, "proven", "proven")),
        ({"status": "needs_review", "reason": "ambiguous_value"}, 200, (True, "proven", "proven")),
    ],
)
def test_a_page_that_repeats_what_was_asked_for_shows_no_record_where_there_is_none(
    ended: Any, http_status: int, told: Any
):
    seen = {"snapshot_id": "s", "sha256": "", "url": "", "title": "", "dom_confidence": 1.0, "proof": "proven"}
    log = [{"step": 1, "observation": {**seen, "http_status": http_status}}]
    facts = facts_of({"sample_id": "A-1"}, ended, log, fields=["number"], identity={"number": "{number}"})
    rows = dict(sample_rows("run_1", facts, facts.attempts()))
    (step,) = detail_of(facts)["steps"]
    assert (rows["samples"]["proven"], rows["steps"]["proof"], step.get("proof")) == told

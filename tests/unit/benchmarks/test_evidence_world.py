"""The synthetic run of the evidence benchmarks is consistent."""

from __future__ import annotations

import hashlib
import json

from benchmarks.evidence_facts import SCHEMA
from benchmarks.evidence_files import artifact_bytes
from benchmarks.evidence_world import World, sample_of, spec, texts_of
from shared.field_types import BARE_TYPES, base_type
from shared.task.spec import check_spec


def test_its_task_is_one_and_has_twenty_fields_of_all_types():
    checked, problems = check_spec(spec())
    assert problems == ()
    assert checked is not None
    types = {base_type(field.type) for field in checked.output_schema.values()}
    assert (len(SCHEMA), types) == (20, {*BARE_TYPES, "enum"})


def test_what_lies_in_the_folder_is_what_the_results_say(tmp_path):
    folder = World(3).write(tmp_path, artifacts=True)
    for number in (1, 2, 3):
        own = folder / sample_of(number).sample_id
        result = json.loads((own / "result.json").read_text())
        assert {one["filename"] for one in result["artifacts"]} == set(artifact_bytes(number))
        for one in result["artifacts"]:
            assert hashlib.sha256((own / one["filename"]).read_bytes()).hexdigest() == one["sha256"]
        names = {"sample.json", "result.json", "action_log.json", *artifact_bytes(number)}
        assert {path.name for path in own.iterdir()} == names


def test_no_two_artifacts_are_equal_and_a_sample_is_the_same_whenever_it_is_made():
    files = [data for number in range(1, 201) for data in artifact_bytes(number).values()]
    assert len(set(files)) == len(files)
    first = texts_of(7)
    texts_of(8)
    assert texts_of(7) == first


def test_all_ways_to_end_are_in_it_and_counted():
    world = World(200)
    finished = world.finished()
    assert sum(one.samples for one in finished.outcomes) == 200
    assert {one.status for one in finished.outcomes} == {
        "done",
        "needs_review",
        "partial_success",
        "failed",
        "auth_required",
    }
    ends = [facts.status for facts in world.facts()]
    assert ends.count("done") == sum(one.samples for one in finished.outcomes if one.status == "done")

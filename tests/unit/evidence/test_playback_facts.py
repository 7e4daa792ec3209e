"""What the playback in the report has of a flow: its source only where that has the hash that the steps name."""

from __future__ import annotations

import msgspec
import pytest

from services.evidence.report.pictures import PictureBudget, picture_plan
from shared.evidence_format.files.flow import FlowFile, parse_flow_file
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_view.playback_facts import source_of
from shared.workflow_source.files import hash_of_version

SOURCE = "async def run() -> None:\n    pass\n"
FILES = {"workspace/fields.json": "{}"}
HASH = hash_of_version(SOURCE, FILES)
FLOW = FlowFile(name="read_ticket", hash=HASH, source=SOURCE, files=FILES)


def test_the_source_is_shown_where_it_has_the_hash_of_the_steps():
    assert source_of(parse_flow_file(encode_file(FLOW)), HASH) == SOURCE


@pytest.mark.parametrize(
    "changed",
    [
        {"source": SOURCE.replace("pass", "return")},
        {"files": {"workspace/fields.json": '{"fields": {}}'}},
        {"files": {}},
    ],
)
def test_a_source_of_another_hash_is_not_shown(changed: dict[str, object]):
    assert source_of(msgspec.structs.replace(FLOW, **changed), HASH) is None


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\xff"])
def test_a_file_that_is_no_flow_has_no_source(data: bytes):
    assert source_of(parse_flow_file(data), HASH) is None


def test_the_pictures_of_a_sample_are_embedded_all_or_none():
    budget = PictureBudget(picture_plan(2))
    most = budget.plan.step_pictures
    assert budget.grant_steps(most - 1)
    assert not budget.grant_steps(2)
    assert budget.grant_steps(1)


def test_large_runs_have_their_pictures_of_steps_beside_the_page():
    assert not PictureBudget(picture_plan(61)).grant_steps(1)

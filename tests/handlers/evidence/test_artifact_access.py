"""Read access for re-performance: results as stored, artifacts as stored."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import pytest

from services.evidence.read_api.read_handlers import load_result, provide_artifact
from shared.contracts.evidence import (
    ArtifactMissing,
    ArtifactProvided,
    ListedArtifact,
    LoadResult,
    ProvideArtifact,
    ResultLoaded,
    ResultUnknown,
)
from shared.contracts.steps import FieldValue
from shared.streams import ANSWERS
from tests.handlers.evidence.evidence_desk import Desk, ended, sample, took
from tests.typed import expect

BYTES = b"\x28\xb5 a page" * 60_000


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path / "evidence", products=())
    one = sample(team="red")
    await desk.begun(one)
    filed = await desk.capture(one, BYTES)
    await desk.tell(took(one, filed), ended(one, filed))
    desk.restart()
    return desk


def asked(sample_id: str = "A-1", run_id: str = "run_1") -> LoadResult:
    return LoadResult(run_id=run_id, sample_id=sample_id)


def request(filename: str, sample_id: str = "A-1", run_id: str = "run_1") -> ProvideArtifact:
    return ProvideArtifact(run_id=run_id, sample_id=sample_id, filename=filename)


async def test_a_result_is_told_as_it_stands(desk: Desk):
    reply = expect(await load_result(asked(), desk.deps), ResultLoaded)
    assert (reply.sample, reply.status, reply.attempt) == (sample(team="red"), "done", 1)
    assert reply.spec["output_schema"] == {"number": "string", "owner": "string | null"}
    assert reply.values == (
        FieldValue(field="number", state="value", value="7"),
        FieldValue(field="owner", state="not_present"),
    )
    [kept] = reply.artifacts
    assert kept == ListedArtifact(
        filename="01_t.png", kind="screenshot", sha256=hashlib.sha256(BYTES).hexdigest(), size_bytes=len(BYTES)
    )


@pytest.mark.parametrize("where", ["extracted", "fields"])
async def test_a_result_that_says_two_things_is_told_with_both(desk: Desk, where: str):
    path = desk.root / "run_1/A-1/result.json"
    result = json.loads(path.read_text())
    if where == "extracted":
        result["extracted"]["number"] = "8"
    else:
        result["fields"]["number"]["value"] = "8"
    path.write_text(json.dumps(result))
    reply = expect(await load_result(asked(), desk.deps), ResultLoaded)
    assert [(one.field, one.value) for one in reply.values] == [
        ("number", "8" if where == "fields" else "7"),
        ("number", "7" if where == "fields" else "8"),
        ("owner", None),
    ]


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (asked("B-1"), "no sample 'B-1'"),
        (asked(run_id="run_2"), "no run 'run_2'"),
        (asked(run_id="../run_1"), "no run"),
        (asked("../A-1"), "no sample"),
    ],
)
async def test_what_is_not_there_is_said(desk: Desk, request_: LoadResult, words: str):
    reply = expect(await load_result(request_, desk.deps), ResultUnknown)
    assert not reply.known
    assert words in reply.message


async def test_a_result_that_is_missing_or_broken_is_said(desk: Desk):
    path = desk.root / "run_1/A-1/result.json"
    broken = json.dumps({**json.loads(path.read_text()), "fields": 3})
    for text, words in ((broken, "cannot be read"), (None, "no result of A-1")):
        path.unlink()
        if text is not None:
            path.write_text(text)
        reply = expect(await load_result(asked(), desk.deps), ResultUnknown)
        assert reply.known
        assert words in reply.message


async def test_an_artifact_is_lent_as_it_lies(desk: Desk):
    changed = BYTES[:-1] + b"X"
    for data in (BYTES, changed):
        (desk.root / "run_1/A-1/01_t.png").unlink()
        (desk.root / "run_1/A-1/01_t.png").write_bytes(data)
        reply = expect(await provide_artifact(request("01_t.png"), desk.deps), ArtifactProvided)
        assert (reply.sha256, reply.size_bytes) == (hashlib.sha256(data).hexdigest(), len(data))
        assert await desk.bus.get(ANSWERS, reply.blob) == data


@pytest.mark.parametrize(
    "request_",
    [
        request("02_t.png"),
        request("result.json"),
        request("../sample.json"),
        request("x.png", run_id=".."),
        request("x", "../A-1"),
    ],
)
async def test_what_is_no_artifact_is_not_lent(desk: Desk, request_: ProvideArtifact):
    assert isinstance(await provide_artifact(request_, desk.deps), ArtifactMissing)
    assert not desk.bus._blobs.keys() - {key for key in desk.bus._blobs if key[0] != ANSWERS.name}


def test_a_service_of_before_reads_the_request_and_the_answer():
    answer = ArtifactProvided(blob="lent/1", sha256="ab", size_bytes=1)
    assert b'"type":"LendArtifact"' in msgspec.json.encode(request("01_t.png"))
    assert b'"type":"ArtifactLent"' in msgspec.json.encode(answer)

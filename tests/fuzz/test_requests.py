"""Whatever a request for a run holds, discovery starts it whole, or says all that is wrong and starts nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from services.discovery.handlers import submit_run
from shared.bus.decoding import decode
from shared.contracts.discovery import RunAccepted, RunRejected, RunStarted, SubmitRun
from shared.contracts.planner import WorkSample
from shared.errors import InvalidMessage
from shared.task.spec import check_spec, read_spec
from shared.testing.bus import MemoryBus
from shared.text.names import RESERVED
from tests.fuzz.hostile import EXAMPLES, VALUES, WHATEVER, changed
from tests.handlers.discovery.discovery_bench import deps_on, knowing_nothing

SPECS: list[Any] = [
    json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(Path("task_specs").glob("*.json"))
    if path.name != "schema.json"
]
FOLDER = re.compile(r"[A-Za-z0-9_-]{1,80}")
EXECUTED = [one for one in SPECS if one.get("phase") != "discovery"]
ROW = {
    "ticket_number": "TCK-1",
    "url": "http://127.0.0.1:8000/1",
    "name": "Ann",
    "org": "acme",
    "repo": "r",
    "sha": "a1",
}
REQUESTS: list[Any] = [
    {"type": "SubmitRun", "spec": one, "samples": [ROW, {**ROW, "ticket_number": "TCK-2"}], "concurrency": 2}
    for one in EXECUTED
]


@settings(WHATEVER, max_examples=EXAMPLES * 3)
@given(changed(SPECS, 4))
def test_a_spec_is_valid_or_every_problem_has_its_place(value: Any):
    spec, problems = check_spec(value)
    assert (spec is None) == bool(problems)
    for one in problems:
        assert one.where.startswith("spec")
        assert one.message
    if spec is not None:
        again, none = check_spec(json.loads(spec.model_dump_json(by_alias=True)))
        assert (again, none) == (spec, ())


@settings(WHATEVER, max_examples=EXAMPLES)
@given(changed(REQUESTS, 4))
@example({"type": "SubmitRun", "spec": EXECUTED[0], "samples": []})
async def test_a_request_is_accepted_whole_or_rejected_with_its_problems(value: Any):
    try:
        request: SubmitRun = decode(json.dumps(value).encode(), SubmitRun)
    except InvalidMessage:
        return
    bus = knowing_nothing(MemoryBus())
    reply = await submit_run(request, deps_on(bus))
    if isinstance(reply, RunRejected):
        assert reply.problems
        assert all(one.message for one in reply.problems)
        assert bus.events(WorkSample) == []
        assert bus.events(RunStarted) == []
        return
    assert isinstance(reply, RunAccepted)
    work = [one for one in bus.events(WorkSample) if not one.discover]
    assert len(work) == reply.samples
    assert len({one.sample_id.lower() for one in work}) == len(work), "each sample has a folder of its own"
    for one in work:
        assert FOLDER.fullmatch(one.sample_id)
        assert one.sample_id.lower() not in RESERVED
        assert decode(msgspec.json.encode(one), WorkSample) == one


@settings(WHATEVER, max_examples=EXAMPLES)
@given(st.one_of(st.binary(max_size=200), VALUES.map(lambda one: json.dumps(one).encode())))
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
@example(b"\xff\xfe{}")
@example(b'{"a": 1e999, "b": NaN}')
@example(b'"\\ud800"')
def test_any_file_is_a_spec_or_told_why_not(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    path = tmp_path_factory.getbasetemp() / "spec.json"
    path.write_bytes(data)
    spec, problems = read_spec(path)
    assert (spec is None) == bool(problems)
    assert all(one.message for one in problems)
    if spec is not None:
        assert check_spec(spec)[0] is not None or check_spec(spec)[1]

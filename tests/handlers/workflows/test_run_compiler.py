"""The flow of a run is compiled once two of its samples are done: once, from evidence, and never over another."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import pytest

from services.workflows.run_flows.run_compiler import RunCompiler
from shared.bus.actor import Actor
from shared.contracts.discovery import RunRecord, Sample
from shared.contracts.evidence import (
    ArtifactProvided,
    ListedArtifact,
    LoadResult,
    LoadSteps,
    ProvideArtifact,
    ProvideReply,
    ResultLoaded,
    ResultReply,
    ResultUnknown,
    StepsLoaded,
    StepsReply,
)
from shared.contracts.planner import SampleFinished
from shared.contracts.results import CaptureFacts, Viewport
from shared.contracts.steps import FieldValue
from shared.contracts.workflows.flows import OpenAddress, ReadFields, TakeScreenshot
from shared.contracts.workflows.run_flows import RunFlow
from shared.errors import Unavailable
from shared.evidence_format.files.sample import StoredObservation
from shared.recordings.recording import Recording
from shared.streams import ANSWERS, RUN_FLOWS, RUNS
from shared.subjects import LOAD_RESULT, LOAD_STEPS, PROVIDE_ARTIFACT
from shared.testing.bus import MemoryBus
from shared.zstd import pack_zstd
from tests.handlers.planner.scripted_flows import ScriptedFlows, flows
from tests.handlers.planner.scripted_library import HASH, ScriptedLibrary, library, version
from tests.unit.shared.flows.recorded_world import NOW, Recorder, element

SPEC = {
    "task_id": "a_task",
    "goal": "Read it.",
    "output_schema": {"status": "string"},
    "input_schema": {"number": "string"},
    "start_url": "http://site/{number}",
}


def recorded(number: str, status: str, due: str = "") -> Recording:
    """``due``: shown and read; empty: the page has nothing of it."""
    one = Recorder(number, {"number": number})
    shown = (element(4, "term", "Due"), element(5, "definition", due, header="Due")) if due else ()
    one.open(
        f"http://site/{number}",
        element(1, "heading", "A ticket", level=1),
        element(2, "term", "Status"),
        element(3, "definition", status, header="Status"),
        *shown,
    )
    one.screenshot("ticket")
    one.read("status", 3)
    if due:
        one.read("due", 5)
    else:
        one.values.append(FieldValue(field="due", state="not_found"))
    return one.sample


@dataclass
class Kept:
    """Evidence of these samples. ``blobs``: where it puts what it lends."""

    samples: Mapping[str, Recording]
    blobs: MemoryBus
    asked: list[str] = field(default_factory=list)


evidence: Actor[Kept] = Actor("evidence")


@evidence.answers(LOAD_RESULT)
async def load_result(request: LoadResult, deps: Kept) -> ResultReply:
    deps.asked.append(request.sample_id)
    one = deps.samples.get(request.sample_id)
    if one is None:
        return ResultUnknown(run_id=request.run_id, sample_id=request.sample_id, message="there is no result yet")
    files = tuple(
        ListedArtifact(filename=f"{sha}.observation.json.zst", kind="observation", sha256=sha, size_bytes=1)
        for sha in one.pages
    )
    return ResultLoaded(
        run_id=request.run_id,
        sample=Sample(sample_id=one.sample_id, key=one.sample_id, row=1, fields=dict(one.row)),
        spec=SPEC,
        attempt=1,
        status="done" if one.status == "done" else "failed",
        reason="",
        values=one.values,
        artifacts=files,
    )


@evidence.answers(LOAD_STEPS)
async def load_steps(request: LoadSteps, deps: Kept) -> StepsReply:
    one = deps.samples[request.sample_id]
    left = tuple(step for step in one.steps if step.step > request.after_step)[:1]  # a page holds one
    return StepsLoaded(
        run_id=request.run_id,
        sample=Sample(sample_id=one.sample_id, key=one.sample_id, row=1),
        spec=SPEC,
        attempt=1,
        steps=left,
        total=len(one.steps),
        status="done",
        reason="",
        problem="",
    )


@evidence.answers(PROVIDE_ARTIFACT)
async def lend(request: ProvideArtifact, deps: Kept) -> ProvideReply:
    sha = request.filename.partition(".")[0]
    page = deps.samples[request.sample_id].pages[sha]
    facts = CaptureFacts(url=page.url, title=page.title, observation_sha256=sha, **FACTS)
    stored = StoredObservation(capture=facts, headers=(), elements=page.elements)
    data = pack_zstd(msgspec.json.encode(stored))
    await deps.blobs.put(ANSWERS, request.filename, data)
    return ArtifactProvided(blob=request.filename, sha256=sha, size_bytes=len(data))


FACTS: dict[str, Any] = {
    "capture_id": "1",
    "http_status": 200,
    "browser": "",
    "viewport": Viewport(width_px=1280, height_px=800),
    "captured_at": NOW,
}
SAMPLES = {"T-100": recorded("T-100", "open"), "T-207": recorded("T-207", "closed")}


def read_ticket(number: str):
    yield OpenAddress(url=f"http://site/{number}")
    yield TakeScreenshot(label="ticket")
    return (yield ReadFields(fields=("status",)))


@dataclass
class World:
    bus: MemoryBus
    library: ScriptedLibrary
    kept: Kept
    compiler: RunCompiler

    async def end(self, sample_id: str, **changes: Any) -> None:
        await self.compiler.learn(ended(sample_id, **changes))

    async def change(self, **changes: Any) -> None:
        """Change the record as planners do."""
        known = await self.record()
        await self.bus.modify(RUN_FLOWS, "run_1", RunFlow, lambda _: msgspec.structs.replace(known, **changes))

    async def record(self) -> RunFlow:
        found = await self.bus.read(RUN_FLOWS, "run_1", RunFlow)
        assert found is not None
        return found


def ended(sample_id: str, **changes: Any) -> SampleFinished:
    given = {
        "run_id": "run_1",
        "sample_id": sample_id,
        "attempt": 1,
        "status": "done",
        "sample": Sample(sample_id=sample_id, key=sample_id, row=1),
        "started_at": NOW,
        "finished_at": NOW,
    }
    return SampleFinished(**{**given, **changes})


DATED = {"T-100": recorded("T-100", "open"), "T-207": recorded("T-207", "closed"), "T-3": recorded("T-3", "new", "May")}


def read_due(number: str):
    yield OpenAddress(url=f"http://site/{number}")
    yield TakeScreenshot(label="ticket")
    return (yield ReadFields(fields=("status", "due")))


async def world(
    flow: Any = read_ticket, spec: dict[str, Any] = SPEC, samples: Mapping[str, Recording] = SAMPLES
) -> World:
    bus = MemoryBus()
    one = ScriptedLibrary({})
    kept = Kept(samples, bus)
    for actor, deps in ((evidence, kept), (library, one), (flows, ScriptedFlows(flow))):
        bus.host(actor, deps)
    record = RunRecord(run_id="run_1", spec=spec, planner=None, concurrency=2, created_at=NOW, compiles=True)
    await bus.create(RUNS, "run_1", record)
    await bus.create(RUN_FLOWS, "run_1", RunFlow(since=NOW, learners=("T-100", "T-207")))
    return World(bus, one, kept, RunCompiler(bus))


async def test_the_flow_of_two_samples_is_published_under_the_name_of_the_task():
    one = await world()
    await one.end("T-100")
    assert one.library.created == []
    await one.end("T-207")
    (made,) = one.library.created
    assert (made.name, made.source_run, made.replace) == ("a_task", "run_1", "")
    assert "read('status')" in ast.unparse(ast.parse(made.source))
    assert set(made.files) >= {"workspace/fields.json", "data/structured_output_schema.json"}
    assert made.samples is not None
    assert [(kept.sample_id, kept.use) for kept in made.samples.samples] == [
        ("T-100", "compiled_from"),
        ("T-207", "compiled_from"),
    ]
    record = await one.record()
    assert (record.state, record.name, record.hash, record.tries) == ("compiled", "a_task", HASH, 1)


async def test_a_sample_is_waited_for_that_shows_the_field_that_the_first_ones_do_not():
    spec = {**SPEC, "output_schema": {"status": "string", "due": "string"}, "required_fields": ["status"]}
    one = await world(read_due, spec, DATED)
    await one.end("T-100")
    await one.end("T-207")
    assert one.library.created == []
    assert ((await one.record()).wanted, (await one.record()).lacking) == (3, ("due",))
    await one.end("T-207")  # the event is delivered again
    await one.change(learners=("T-100", "T-207", "T-3"))
    await one.end("T-3")
    (made,) = one.library.created
    assert "read('status', 'due')" in ast.unparse(ast.parse(made.source))
    assert (await one.record()).state == "compiled"


async def test_a_flow_that_leaves_to_a_model_what_labels_tell_is_not_published():
    spec = {**SPEC, "output_schema": {"status": "string", "due": "string"}, "required_fields": ["status"]}
    status, _ = DATED["T-3"].values
    overlooked = replace(DATED["T-3"], values=(status, FieldValue(field="due", state="not_found")))
    one = await world(read_ticket, spec, {**DATED, "T-3": overlooked})
    await one.change(wanted=3, learners=("T-100", "T-207", "T-3"), lost=("T-4", "T-5", "T-6", "T-7"))
    for name in ("T-100", "T-207", "T-3"):
        await one.end(name)
    assert one.library.created == []
    record = await one.record()
    assert record.state == "failed"
    assert "due would be lost: of 3 samples the rules of the task read it in 1" in record.reason


async def test_events_that_come_again_compile_nothing_again():
    one = await world()
    for name in ("T-100", "T-207", "T-100", "T-207"):
        await one.end(name)
    again = RunCompiler(one.bus)  # another process
    await again.learn(ended("T-207"))
    assert len(one.library.created) == 1


async def test_a_name_that_is_taken_meanwhile_is_used_and_not_written_over():
    one = await world()
    one.library.versions["a_task"] = version("a_task")
    await one.end("T-100")
    await one.end("T-207")
    assert one.library.created == []
    assert ((await one.record()).state, (await one.record()).hash) == ("compiled", HASH)


async def test_a_flow_that_does_not_do_its_own_samples_is_not_published():
    def other(number: str):
        yield OpenAddress(url=f"http://site/{number}")
        return {"status": "something else"}

    one = await world(other)
    await one.end("T-100")
    await one.end("T-207")
    assert one.library.created == []
    record = await one.record()
    assert record.state == "failed"
    assert record.reason.startswith("no flow was compiled: T-100: ")


async def test_a_result_that_evidence_has_not_written_yet_is_asked_for_again():
    one = await world()
    one.kept.samples = {"T-100": SAMPLES["T-100"]}
    await one.end("T-100")
    with pytest.raises(Unavailable):
        await one.end("T-207")
    one.kept.samples = SAMPLES
    await one.end("T-207")  # the event is delivered again
    assert (await one.record()).state == "compiled"


async def test_a_run_that_compiles_nothing_costs_one_look():
    one = await world()
    await one.compiler.learn(ended("T-100", run_id="run_2"))
    assert one.kept.asked == []


async def test_a_sample_whose_files_turned_out_to_be_wrong_is_not_compiled_from():
    one = await world()
    one.kept.samples = {**SAMPLES, "T-207": replace(SAMPLES["T-207"], status="failed")}
    await one.end("T-100")
    await one.end("T-207")
    assert one.library.created == []
    assert (await one.record()).reason == "no flow was compiled: T-207 is not done after all"

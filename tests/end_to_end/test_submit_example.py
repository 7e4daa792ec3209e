"""The plain client of examples/ in its own process, against a real server and the real contracts."""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from shared.bus.actor import Actor
from shared.bus.nats_bus import Bus, connect_bus
from shared.bus.serving import serve
from shared.contracts.actions import Goto
from shared.contracts.discovery import Problem, RunAccepted, RunRejected, Sample, SubmitReply, SubmitRun
from shared.contracts.evidence import OutcomeCount, RunFinished
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import ObservationRef, StepTaken
from shared.subjects import RUN_FINISHED, SAMPLE_FINISHED, STEP_TAKEN, SUBMIT_RUN
from tests.followed_runs import answer_follow_run

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "task_specs" / "practice_tickets.json"
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SAMPLE = Sample(sample_id="TCK-1", key="TCK-1", row=1)


@asynccontextmanager
async def _answering(url: str, actor: Actor[Bus]) -> AsyncGenerator[None]:
    async with connect_bus(url, name=actor.name) as bus:
        stop, ready = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(serve(bus, actor, bus, capacity=1, stop=stop, ready=ready))
        await ready.wait()
        yield
        stop.set()
        await task


async def _example(url: str, folder: Path) -> tuple[int | None, str]:
    samples = folder / "samples.json"
    samples.write_text(json.dumps([{"ticket_number": "TCK-1", "url": "http://127.0.0.1:1/"}]), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "examples" / "submit_run.py"), str(SPEC), str(samples), "--nats", url),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode, said.decode()


async def _tell_of(run_id: str, bus: Bus) -> None:
    """What the services would say of a run of one sample."""
    of_sample = {"run_id": run_id, "sample_id": "TCK-1", "attempt": 1}
    page = ObservationRef(snapshot_id="s", sha256="0", url="", title="", http_status=None, dom_confidence=1.0)
    step = StepTaken(
        **of_sample, step=1, started_at=NOON, ended_at=NOON, observation=page, decided_by="rules", action=Goto(url="x")
    )
    await bus.publish(STEP_TAKEN, step)
    end = SampleFinished(
        **of_sample, status="failed", reason="not_found", sample=SAMPLE, started_at=NOON, finished_at=NOON
    )
    await bus.publish(SAMPLE_FINISHED, end)
    outcome = OutcomeCount(status="failed", reason="not_found", samples=1)
    await bus.publish(
        RUN_FINISHED,
        RunFinished(
            run_id=run_id,
            attempt_base=0,
            samples=1,
            outcomes=(outcome,),
            location="evidence/run",
            table="evidence/run/combined.csv",
            llm_calls=0,
            cost_usd=0.0,
            started_at=NOON,
            finished_at=NOON,
        ),
    )


async def test_it_requests_a_run_and_follows_it_to_its_end(nats_url: str, tmp_path: Path):
    actor: Actor[Bus] = Actor("standin")
    run_id = f"run_{uuid.uuid4().hex[:8]}"
    asked: list[SubmitRun] = []

    @actor.answers(SUBMIT_RUN)
    async def submit(request: SubmitRun, bus: Bus) -> SubmitReply:
        asked.append(request)
        await _tell_of(run_id, bus)
        return RunAccepted(run_id=run_id, samples=1)

    answer_follow_run(actor)
    async with _answering(nats_url, actor):
        code, said = await _example(nats_url, tmp_path)
    assert code == 2, said
    assert asked[0].spec == json.loads(SPEC.read_text(encoding="utf-8"))
    assert asked[0].samples == ({"ticket_number": "TCK-1", "url": "http://127.0.0.1:1/"},)
    assert said.splitlines()[-4:] == [
        "TCK-1: step 1, goto",
        "TCK-1: failed not_found",
        "finished: 1 failed",
        "table: evidence/run/combined.csv",
    ]


async def test_it_shows_what_is_wrong_with_a_request(nats_url: str, tmp_path: Path):
    actor: Actor[Bus] = Actor("standin")

    @actor.answers(SUBMIT_RUN)
    async def submit(request: SubmitRun, bus: Bus) -> SubmitReply:
        return RunRejected(problems=(Problem(where="row 3", message="no url"),))

    async with _answering(nats_url, actor):
        code, said = await _example(nats_url, tmp_path)
    assert code == 1
    assert "row 3" in said


async def test_it_says_so_when_nobody_is_there(nats_url: str, tmp_path: Path):
    code, said = await _example(nats_url, tmp_path)
    assert code == 1
    assert "Nobody takes run requests" in said

"""A small run with one sample of each kind that auditors query, sent to the real handlers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from services.evidence.deps import EvidenceDeps
from services.evidence.handlers import add_sample, close_population, file_result, file_step, open_run
from shared.bus.ports import Blobs
from shared.contracts.actions import AskPicture, ByRef, Click, Done, Goto, Judgment, Screenshot
from shared.contracts.base import Usage, add_usage
from shared.contracts.discovery import PopulationClosed, RunRecord, RunStarted, Sample, SampleFound
from shared.contracts.planner import SampleFinished
from shared.contracts.results import (
    ActionResult,
    Artifact,
    Box,
    CaptureFacts,
    Change,
    Locator,
    Navigated,
    TargetFound,
    Viewport,
)
from shared.contracts.steps import FieldValue, FiledArtifact, ObservationRef, StepTaken, ValueSource, plain_note
from shared.contracts.vision import VisionAnswered
from shared.streams import ARTIFACTS

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
MODEL = "claude-sonnet-5-5"
SPEC: dict[str, Any] = {
    "task_id": "audit",
    "goal": "Say who owns each ticket.",
    "output_schema": {
        "assignee": "string | null",
        "merged_with_failures": "boolean",
        "checks": {"type": "enum", "values": ["passing", "failing"]},
        "amount": "decimal",
        "due": "date",
        "changed": "date-time",
    },
    "required_fields": ["assignee"],
    "identity": {"assignee": "{owner}"},
    "judgment_required": True,
    "controls": [{"id": "CC6.1", "framework": "SOC 2"}, {"id": "ITGC-03", "title": "Owners are named"}],
}
SHOT = b"one picture, taken twice"
ASKED = Usage(llm_calls=1, input_tokens=1000, output_tokens=50, cost_usd=0.0123)
SEEN_BY_MODEL = Usage(llm_calls=1, input_tokens=300, output_tokens=10, cost_usd=0.0011)
LEARNED = Usage(llm_calls=1, input_tokens=90, output_tokens=9, cost_usd=0.0005)


def at(second: float) -> datetime:
    return NOW + timedelta(seconds=second)


def sample(number: int, **fields: str) -> Sample:
    key = f"TCK-{number}"
    return Sample(sample_id=key, key=key, row=number, url=f"http://site/{key}", fields={"ticket": key, **fields})


SAMPLES = tuple(sample(number, team="red" if number % 2 else "blue") for number in range(1, 6))


def looked(url: str, *, proof: Any = "proven", sha256: str = "a" * 64, confidence: float = 0.9) -> ObservationRef:
    return ObservationRef(
        snapshot_id="s",
        sha256=sha256,
        url=url,
        title="A ticket",
        http_status=200,
        dom_confidence=confidence,
        proof=proof,
    )


def step(one: Sample, number: int, action: Any, *, attempt: int = 1, **more: Any) -> StepTaken:
    told = {"observation": looked(f"http://site/{one.key}"), "decided_by": "rules", "total_ms": 250.0, **more}
    return StepTaken(
        run_id="run_1",
        sample_id=one.sample_id,
        attempt=attempt,
        step=number,
        started_at=at(number),
        ended_at=at(number + 0.25),
        action=action,
        **told,
    )


def opened(one: Sample, status: int = 200, **more: Any) -> StepTaken:
    url, ok = f"http://site/{one.key}", status == 200
    change = Change(url_before="about:blank", url_after=url, http_status=status, title="A ticket")
    effect = Navigated(url=url, http_status=status) if ok else None
    result = ActionResult(ok=ok, code="ok" if ok else "http_error", message="", change=change, effect=effect)
    return step(one, 1, Goto(url=url, reason="The task starts here."), observation=None, result=result, **more)


def clicked(one: Sample, number: int, **more: Any) -> StepTaken:
    target = TargetFound(
        role="button",
        name="More",
        tag="button",
        fingerprint="f" * 16,
        box=Box(x=1, y=2, width=30, height=40),
        locators=(Locator(kind="text", value="More", matches=2), Locator(kind="id", value="#more", matches=1)),
    )
    change = Change(url_before="http://site", url_after="http://site")
    result = ActionResult(ok=True, code="ok", message="clicked", change=change, target=target)
    action = Click(target=ByRef(ref=1, snapshot_id="s"), reason="There is more.")
    return step(one, number, action, result=result, **more)


def value(field: str, shown: Any, **more: Any) -> FieldValue:
    source = ValueSource(
        snapshot_id="s",
        observation_sha256="a" * 64,
        url="http://site/x",
        ref=3,
        role="cell",
        label=field.title(),
        box=Box(x=10.5, y=20, width=300, height=18),
        frame="main",
        locators=(Locator(kind="css", value="td", matches=9), Locator(kind="id", value=f"#{field}", matches=1)),
        page_sha256=hashlib.sha256(SHOT).hexdigest(),
        screenshot_sha256=hashlib.sha256(SHOT).hexdigest(),
    )
    if more.pop("derived", False):
        source, more = msgspec.structs.replace(source, page_sha256=""), {"origin": "derived"}
    told = {"shown": str(shown), "source": source, "read_by": "rules", **more}
    return FieldValue(field=field, state="value", value=shown, **told)


def absent(field: str, shown: str = "Unassigned") -> FieldValue:
    return FieldValue(field=field, state="not_present", shown=shown, read_by="rules")


def not_found(field: str) -> FieldValue:
    return FieldValue(field=field, state="not_found")


def judged(answer: str, confidence: float) -> Judgment:
    return Judgment(
        question="Is it in order?",
        answer=answer,
        confidence=confidence,
        reasoning="It says so.",
        evidence_refs=("01_t.png",),
        decided_by=MODEL,
    )


async def captured(blobs: Blobs, one: Sample, data: bytes = SHOT, attempt: int = 1, **more: Any) -> FiledArtifact:
    blob = f"{one.sample_id}/{attempt}/{hashlib.sha256(data).hexdigest()[:8]}"
    await blobs.put(ARTIFACTS, blob, data)
    facts = CaptureFacts(
        capture_id=f"c-{one.sample_id}",
        url=f"http://site/{one.key}",
        title="A ticket",
        http_status=200,
        observation_sha256="a" * 64,
        browser="Chromium 156",
        viewport=Viewport(width_px=1280, height_px=720),
        captured_at=at(2),
    )
    artifact = Artifact(
        kind="screenshot",
        label="ticket",
        media_type="image/png",
        suffix=".png",
        size_bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        blob=blob,
        source_url=f"http://site/{one.key}",
        captured_at=at(2),
        area=Box(x=0, y=0, width=1280, height=720),
        capture=facts,
        **more,
    )
    return FiledArtifact(filename="01_t.png", artifact=artifact)


def finished(one: Sample, steps: Sequence[StepTaken], *, attempt: int = 1, **more: Any) -> SampleFinished:
    used = Usage()
    for taken in steps:
        used = add_usage(used, taken.usage)
    told = {"status": "done", "decided_by": "rules", "usage": used, **more}
    return SampleFinished(
        run_id=steps[0].run_id,
        sample_id=one.sample_id,
        attempt=attempt,
        sample=one,
        steps=len(steps),
        started_at=at(0),
        finished_at=at(12.5),
        artifacts=tuple(filed for taken in steps for filed in taken.artifacts),
        **told,
    )


async def story(blobs: Blobs, run_id: str = "run_1") -> list[list[Any]]:
    """Return the messages of each sample, in row order."""
    one, two, three, four, five = SAMPLES
    whole = (
        value("assignee", "=Ann \U0001f600"),
        value("merged_with_failures", True),
        value("checks", "failing"),
        value("amount", "1234567.89"),
        value("due", "2026-02-28", derived=True),
        value("changed", "2026-02-28T23:30:00+02:00"),
    )
    first = [
        opened(one),
        step(one, 2, Screenshot(label="ticket", reason="To show it."), artifacts=(await captured(blobs, one),)),
        clicked(one, 3),
        step(one, 4, Done(values={}, reason="All is read."), values=whole, total_ms=750.0),
    ]
    rest = (absent("assignee"), value("merged_with_failures", True), value("checks", "passing"), not_found("amount"))
    second = [
        opened(two),
        step(two, 2, Screenshot(label="ticket"), artifacts=(await captured(blobs, two),)),
        step(two, 3, Done(values={}), values=rest),
    ]
    wrong = looked("http://site/TCK-33", proof="mismatch", sha256="c" * 64)
    third = [opened(three), step(three, 2, Done(values={}), observation=wrong, refused=True)]
    fourth = [opened(four, 404)]
    early = opened(five, 503, usage=ASKED, decided_by=MODEL)
    answer = VisionAnswered(
        answer="failing", confidence=0.4, reasoning="It is red.", answered_by="claude-haiku-5-5", usage=SEEN_BY_MODEL
    )
    asked = AskPicture(question="Is it red?", field="checks")
    seen: dict[str, Any] = {"values": (value("checks", "failing", origin="vision", read_by=MODEL),)}
    later = [
        step(five, 1, asked, attempt=2, decided_by=MODEL, vision=answer, usage=add_usage(ASKED, SEEN_BY_MODEL)),
        step(five, 2, Done(values={}, reason="That is all."), attempt=2, decided_by=MODEL, usage=ASKED, **seen),
    ]
    used = add_usage(add_usage(later[0].usage, later[1].usage), LEARNED)
    review: dict[str, Any] = {"status": "needs_review", "reason": "missing_fields", "usage": used, "decided_by": MODEL}
    doubt: dict[str, Any] = {"judgment": judged("yes", 0.55), "flagged": True, "notes": (plain_note("look"),)}
    another: dict[str, Any] = {"reason": "identity_mismatch", "message": "TCK-33"}
    told = [
        [*first, finished(one, first, values=whole, judgment=judged("no", 0.95))],
        [*second, finished(two, second, values=rest, **doubt)],
        [*third, finished(three, third, status="failed", fault="record", **another)],
        [*fourth, finished(four, fourth, status="failed", fault="record", reason="not_found")],
        [early, *later, finished(five, later, attempt=2, **review, **seen)],
    ]
    return [[msgspec.structs.replace(message, run_id=run_id) for message in messages] for messages in told]


HANDLERS: dict[type, Any] = {StepTaken: file_step, SampleFinished: file_result}


async def file_run(deps: EvidenceDeps, blobs: Blobs, run_id: str = "run_1", *, samples: int = 5) -> None:
    """Send the whole run, or only its first ``samples`` samples with the next one in progress."""
    record = RunRecord(run_id=run_id, spec=SPEC, planner="rules", concurrency=2, created_at=NOW, requested_by="Eve")
    await open_run(RunStarted(run_id=run_id, record=record), deps, 1)
    for one in SAMPLES:
        await add_sample(SampleFound(run_id=run_id, sample_id=one.sample_id, sample=one, found_at=NOW), deps, 1)
    await close_population(PopulationClosed(run_id=run_id, samples=len(SAMPLES)), deps, 1)
    told = await story(blobs, run_id)
    for messages in told[:samples]:
        for message in messages:
            await HANDLERS[type(message)](message, deps, 1)
    for message in [m for messages in told[samples : samples + 1] for m in messages[:1]]:
        await HANDLERS[type(message)](message, deps, 1)

"""Recordings asked of evidence over the bus: the step log page by page, the stored files one by one."""

from __future__ import annotations

import io
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec

from shared.bus.ports import Asks, Blobs
from shared.contracts.evidence import (
    ArtifactMissing,
    ArtifactProvided,
    LoadResult,
    LoadSteps,
    ProvideArtifact,
    ResultReply,
    ResultUnknown,
    StepsReply,
    StepsUnknown,
)
from shared.contracts.steps import StepTaken
from shared.errors import PermanentError, Unavailable
from shared.recordings.logged_rows import complete_steps
from shared.recordings.recording import Recording, steps_on_pages, values_of_pages
from shared.recordings.stored_pages import OBSERVATION_SUFFIX, RecordedPage, captured_hashes, page_by_hashes
from shared.streams import ANSWERS
from shared.subjects import LOAD_RESULT, LOAD_STEPS, PROVIDE_ARTIFACT

ASK_BOUND_S = 60.0
PROVIDE_BOUND_S = 120.0
NOT_YET_S = 0.5
"""Evidence writes a result a moment after it was published."""


@dataclass(frozen=True)
class LoadedSteps:
    """The step log of one attempt. ``reason``: of its result. ``problem``: why the log does not show how the attempt
    ended; empty if it does."""

    steps: tuple[StepTaken, ...] = ()
    reason: str = ""
    problem: str = ""


async def load_steps(asks: Asks, run_id: str, sample_id: str, *, attempt: int | None = None) -> LoadedSteps:
    """Return the step log of an attempt, of the latest one by default; without steps where there is none."""
    steps: list[StepTaken] = []
    while True:
        after = steps[-1].step if steps else 0
        request = LoadSteps(run_id=run_id, sample_id=sample_id, attempt=attempt, after_step=after)
        reply: StepsReply = await asks.ask(LOAD_STEPS, request, timeout_s=ASK_BOUND_S)
        if isinstance(reply, StepsUnknown):
            return LoadedSteps(problem=reply.message)
        steps += reply.steps
        attempt = reply.attempt
        if len(steps) >= reply.total or not reply.steps:
            try:
                return LoadedSteps(tuple(complete_steps(steps)), reply.reason, reply.problem)
            except msgspec.ValidationError as exc:
                return LoadedSteps((), reply.reason, f"its log is damaged: {exc}")


async def load_recording(asks: Asks, blobs: Blobs, run_id: str, sample_id: str) -> Recording:
    """Return the latest attempt at a sample.

    Raises Unavailable where evidence has no result of it yet, and PermanentError where its files cannot be read.
    """
    request = LoadResult(run_id=run_id, sample_id=sample_id)
    result: ResultReply = await asks.ask(LOAD_RESULT, request, timeout_s=ASK_BOUND_S)
    if isinstance(result, ResultUnknown):
        raise Unavailable(f"{sample_id}: {result.message}", retry_after_s=NOT_YET_S)
    log = await load_steps(asks, run_id, sample_id, attempt=result.attempt)
    if log.problem:
        raise PermanentError(f"{sample_id}: {log.problem}", code="nothing_to_replay")
    captured = captured_hashes(log.steps)
    pages: dict[str, RecordedPage] = {}
    for kept in result.artifacts:
        if kept.filename.endswith(OBSERVATION_SUFFIX):
            packed = await _load_file(
                asks, blobs, ProvideArtifact(run_id=run_id, sample_id=sample_id, filename=kept.filename)
            )
            pages |= page_by_hashes(packed, captured.get(kept.filename, kept.sha256))
    sample = result.sample
    return Recording(
        run_id=run_id,
        sample_id=sample_id,
        row={"sample_id": sample_id, "key": sample.key, **sample.fields},
        steps=steps_on_pages(log.steps),
        pages=pages,
        values=values_of_pages(result.values),
        status=str(result.status),
        reason=str(result.reason),
    )


@asynccontextmanager
async def provided_file(
    asks: Asks, blobs: Blobs, request: ProvideArtifact
) -> AsyncGenerator[ArtifactProvided | ArtifactMissing]:
    """Yield where a copy of a stored file lies among the blobs ANSWERS, or why there is none.

    The copy is removed at the end."""
    provided: ArtifactProvided | ArtifactMissing = await asks.ask(PROVIDE_ARTIFACT, request, timeout_s=PROVIDE_BOUND_S)
    try:
        yield provided
    finally:
        if isinstance(provided, ArtifactProvided):
            await blobs.remove(ANSWERS, provided.blob)


async def _load_file(asks: Asks, blobs: Blobs, request: ProvideArtifact) -> bytes:
    """Return the bytes of a stored file. Raises PermanentError (``no_blob``)."""
    async with provided_file(asks, blobs, request) as provided:
        if isinstance(provided, ArtifactMissing):
            raise PermanentError(f"{request.sample_id}: {provided.message}", code="no_blob")
        sink = io.BytesIO()
        await blobs.fetch(ANSWERS, provided.blob, sink)
        return sink.getvalue()

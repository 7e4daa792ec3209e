"""Samples of a run in progress, as evidence has recorded them: what a flow is compiled from, over the bus."""

from __future__ import annotations

import io

from shared.bus.ports import Asks, Blobs
from shared.client.recorded_steps import load_all_steps
from shared.contracts.evidence import (
    ArtifactMissing,
    LendArtifact,
    LendReply,
    LoadResult,
    ResultReply,
    ResultUnknown,
)
from shared.errors import PermanentError, Unavailable
from shared.flows.compiling.recording import RecordedPage, RecordedSample, steps_on_pages, values_of_pages
from shared.flows.compiling.recording_sources import OBSERVATION_SUFFIX, unpack_page
from shared.streams import ANSWERS
from shared.subjects import LEND_ARTIFACT, LOAD_RESULT

ASK_BOUND_S = 60.0
NOT_YET_S = 0.5
"""Evidence writes a result a moment after it was published."""


async def load_recorded_sample(asks: Asks, blobs: Blobs, run_id: str, sample_id: str) -> RecordedSample:
    """Return the latest attempt at a sample.

    Raises Unavailable where evidence has no result of it yet, and PermanentError where its files cannot be read.
    """
    request = LoadResult(run_id=run_id, sample_id=sample_id)
    result: ResultReply = await asks.ask(LOAD_RESULT, request, timeout_s=ASK_BOUND_S)
    if isinstance(result, ResultUnknown):
        raise Unavailable(f"{sample_id}: {result.message}", retry_after_s=NOT_YET_S)
    steps, problem = await load_all_steps(asks, run_id, sample_id, attempt=result.attempt)
    if problem:
        raise PermanentError(f"{sample_id}: {problem}", code="nothing_to_replay")
    hashes = {filed.filename: filed.artifact.sha256 for step in steps for filed in step.artifacts}
    pages: dict[str, RecordedPage] = {}
    for kept in result.artifacts:
        if kept.filename.endswith(OBSERVATION_SUFFIX):
            packed = await _borrow(
                asks, blobs, LendArtifact(run_id=run_id, sample_id=sample_id, filename=kept.filename)
            )
            sha256, page = unpack_page(packed)
            pages[sha256] = page
            pages[hashes.get(kept.filename, kept.sha256)] = page
    sample = result.sample
    return RecordedSample(
        run_id=run_id,
        sample_id=sample_id,
        row={"sample_id": sample_id, "key": sample.key, **sample.fields},
        steps=steps_on_pages(steps),
        pages=pages,
        values=values_of_pages(result.values),
        status=str(result.status),
        reason=str(result.reason),
    )


async def _borrow(asks: Asks, blobs: Blobs, request: LendArtifact) -> bytes:
    """Return the bytes of an artifact; the copy that evidence lends is removed. Raises PermanentError (``no_blob``)."""
    lent: LendReply = await asks.ask(LEND_ARTIFACT, request, timeout_s=ASK_BOUND_S)
    if isinstance(lent, ArtifactMissing):
        raise PermanentError(f"{request.sample_id}: {lent.message}", code="no_blob")
    try:
        sink = io.BytesIO()
        await blobs.fetch(ANSWERS, lent.blob, sink)
        return sink.getvalue()
    finally:
        await blobs.remove(ANSWERS, lent.blob)

"""Answers questions about one sample: the step log of an attempt, the result, and the artifacts as stored now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import msgspec
from msgspec.structs import replace

from services.evidence.deps import EvidenceDeps
from services.evidence.state.reply_pages import page_of_steps
from services.evidence.state.run_state import RunState
from services.evidence.step_files import read_log
from shared.contracts.evidence import (
    ArtifactMissing,
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
    StepsUnknown,
)
from shared.contracts.steps import FieldValue, StepTaken
from shared.errors import PermanentError
from shared.evidence_format import chain, layout
from shared.evidence_format.files.sample import ResultFile, StoredArtifact, parse_result
from shared.evidence_format.log_codec import step_of
from shared.hashing import HashingReader
from shared.recordings.recording import step_log_problem
from shared.streams import ANSWERS

# --- the step log


async def read_steps(deps: EvidenceDeps, state: RunState | None, request: LoadSteps) -> StepsReply:
    """Return a page of the requested log, or what is missing."""
    run_id, sample_id = request.run_id, request.sample_id
    if state is None:
        return _steps_unknown(request, layout.no_run(run_id, deps.store.location("")))
    if sample_id not in state.samples:
        return _steps_unknown(request, f"{run_id} has no sample {sample_id!r}")
    latest = await deps.ledger.latest_attempt(run_id, sample_id)
    attempt = request.attempt or latest
    folder = layout.sample_key(run_id, sample_id, "" if attempt == latest else layout.attempt_folder(attempt))
    try:
        entries = await read_log(deps.store, folder)
        if entries is None:
            return _steps_unknown(request, f"{run_id} has no step log of {sample_id}, attempt {attempt}")
        steps = [step_of(entry, run_id, sample_id) for entry in entries]
    except chain.NOT_JSON as exc:
        return _steps_unknown(request, f"{deps.store.location(folder)}/{layout.ACTION_LOG} cannot be read: {exc}")
    written = await deps.store.read(f"{folder}/{layout.RESULT}")
    try:
        result = parse_result(written) if written is not None else None
    except chain.NOT_JSON as exc:
        return _steps_unknown(request, f"{deps.store.location(folder)}/{layout.RESULT} cannot be read: {exc}")
    return _loaded(state, request, attempt, steps, result)


def _loaded(
    state: RunState, request: LoadSteps, attempt: int, steps: list[StepTaken], result: ResultFile | None
) -> StepsLoaded:
    status, reason = (result.status, result.reason) if result is not None else (None, "")
    taken = result.steps if result is not None and result.attempt == attempt else None
    return StepsLoaded(
        run_id=request.run_id,
        sample=state.samples[request.sample_id][0],
        spec=state.record.spec,
        attempt=attempt,
        steps=() if request.count_only else page_of_steps(steps, request.after_step),
        total=len(steps),
        status=status,
        reason=reason,
        problem=step_log_problem(steps, taken, status, reason),
    )


def _steps_unknown(request: LoadSteps, message: str) -> StepsUnknown:
    return StepsUnknown(run_id=request.run_id, sample_id=request.sample_id, message=message)


# --- the result


async def read_result(deps: EvidenceDeps, state: RunState | None, request: LoadResult) -> ResultReply:
    """Return the result of a sample, or what is missing."""
    run_id, sample_id = request.run_id, request.sample_id
    if state is None:
        return _result_unknown(request, layout.no_run(run_id, deps.store.location("")))
    if sample_id not in state.samples:
        return _result_unknown(request, f"{run_id} has no sample {sample_id!r}")
    key = layout.sample_key(run_id, sample_id, layout.RESULT)
    data = await deps.store.read(key)
    if data is None:
        return _result_unknown(request, f"{run_id} has no result of {sample_id} yet", known=True)
    try:
        result = parse_result(data)
    except chain.NOT_JSON as exc:
        return _result_unknown(request, f"{deps.store.location(key)} cannot be read: {exc}", known=True)
    return ResultLoaded(
        run_id=run_id,
        sample=state.samples[sample_id][0],
        spec=state.record.spec,
        attempt=result.attempt,
        status=result.status,
        reason=result.reason,
        values=tuple(_values(result)),
        artifacts=tuple(map(_stored_file, result.artifacts)),
    )


def _values(result: ResultFile) -> Iterator[FieldValue]:
    """Yield the values that tables and report are made of, and each value of ``extracted`` that differs from its field,
    so that a change of either is found."""
    for name, stored in result.fields.items():
        value = stored.to_value(name)
        yield value
        other = result.extracted.get(name)
        if msgspec.json.encode(other) != msgspec.json.encode(value.value):
            yield replace(value, value=other)


def _stored_file(artifact: StoredArtifact) -> ListedArtifact:
    return ListedArtifact(
        filename=artifact.filename, kind=artifact.kind, sha256=artifact.sha256, size_bytes=artifact.size_bytes
    )


def _result_unknown(request: LoadResult, message: str, *, known: bool = False) -> ResultUnknown:
    return ResultUnknown(run_id=request.run_id, sample_id=request.sample_id, message=message, known=known)


# --- the artifacts


async def copy_artifact(deps: EvidenceDeps, request: ProvideArtifact) -> ProvideReply:
    """Copy an artifact to the blobs ANSWERS, piece by piece, and return its SHA-256; or say what is missing."""
    if not (layout.is_safe(request.run_id) and layout.is_safe(request.sample_id)):
        return ArtifactMissing(filename=request.filename, message="there is no such sample")
    if not layout.is_filename(request.filename):
        return ArtifactMissing(filename=request.filename, message="an artifact cannot have this name")
    key = layout.artifact_key(request.run_id, request.sample_id, request.filename)
    try:
        async with deps.store.local_file(key) as path:
            if path is None:
                return ArtifactMissing(filename=request.filename, message=f"{deps.store.location(key)} is not there")
            return await _copy_to_blob(deps, f"lent/{request.run_id}/{request.sample_id}/{uuid4().hex}", path)
    except PermanentError as exc:  # its name exists, but its bytes are missing or others
        return ArtifactMissing(filename=request.filename, message=str(exc))


async def _copy_to_blob(deps: EvidenceDeps, blob: str, path: Path) -> ArtifactProvided:
    with path.open("rb", buffering=0) as file:
        source = HashingReader(file)
        await deps.blobs.put(ANSWERS, blob, source)
    return ArtifactProvided(blob=blob, sha256=source.sha256, size_bytes=source.size_bytes)

"""Files what events bring: artifacts and registers, which are hashed again on the way, lessons and pauses."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from services.evidence.deps import EvidenceDeps
from services.evidence.ports import NameTakenError, Store
from shared.bus.ports import Blobs
from shared.contracts.discovery import Register
from shared.contracts.outages import RunPause
from shared.contracts.planner import SampleFinished
from shared.contracts.sessions.control import CloseRun, InterruptRun, PauseRun, ResumePaused, RunControlled
from shared.contracts.steps import FiledArtifact, StepTaken
from shared.errors import PermanentError
from shared.evidence_format import layout
from shared.evidence_format.files.json_files import BYTES_GONE, ArtifactProblem, encode_file, problems_of
from shared.evidence_format.files.run import Lesson, parse_lessons
from shared.streams import ARTIFACTS
from shared.submission.input_files import fetch_input

# --- artifacts


async def store_artifact(store: Store, blobs: Blobs, step: StepTaken, filed: FiledArtifact) -> ArtifactProblem | None:
    """Store one artifact under its name, piece by piece. Return what is wrong with it, None if it is as captured.
    Idempotent."""
    name = filed.filename
    if not layout.is_filename(name):
        return ArtifactProblem(filename=name, code="unsafe_name", text="an artifact cannot have this name")
    key = layout.artifact_key(step.run_id, step.sample_id, name)
    try:
        return await _store_checked(store, blobs, key, filed)
    except NameTakenError as exc:
        return ArtifactProblem(filename=name, code=exc.code, text=exc.reason)
    except PermanentError as exc:
        return ArtifactProblem(filename=name, code=exc.code, text=str(exc))


async def _store_checked(store: Store, blobs: Blobs, key: str, filed: FiledArtifact) -> ArtifactProblem | None:
    async with store.spooled_file(key) as file:
        try:
            await blobs.fetch(ARTIFACTS, filed.artifact.blob, file)
        except PermanentError as exc:
            if exc.code != "no_blob":
                raise
            return await _check_stored(store, key, filed)
        problem = _artifact_problem(file.size_bytes, file.finish(), filed)
        if problem is None:
            await store.store_captured(key, filed.artifact.sha256, file.path)
        return problem


async def _check_stored(store: Store, key: str, filed: FiledArtifact) -> ArtifactProblem | None:
    """Check an artifact that is no longer on the bus: an earlier try may have stored it before it was interrupted."""
    async with store.local_file(key) as path:
        if path is None:
            return ArtifactProblem(filename=filed.filename, code=BYTES_GONE, text="the captured bytes are gone")
        return _artifact_problem(path.stat().st_size, await asyncio.to_thread(_sha256, path), filed)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _artifact_problem(size_bytes: int, sha256: str, filed: FiledArtifact) -> ArtifactProblem | None:
    """Return how bytes of this size and hash differ from the captured ones; None if they do not."""
    artifact = filed.artifact
    if size_bytes != artifact.size_bytes:
        text = f"{size_bytes} bytes arrived, {artifact.size_bytes} were captured"
        return ArtifactProblem(filename=filed.filename, code="size_differs", text=text)
    if sha256 != artifact.sha256:
        text = "its SHA-256 is not that of the capture"
        return ArtifactProblem(filename=filed.filename, code="hash_differs", text=text)
    return None


async def remove_stored_blobs(blobs: Blobs, message: StepTaken, problems: Sequence[ArtifactProblem]) -> None:
    """Remove from the bus what the store has now. The blob of an artifact with a problem stays: it may be the only
    copy."""
    for filed in message.artifacts:
        if not problems_of(filed.filename, problems):
            await blobs.remove(ARTIFACTS, filed.artifact.blob)
    named = {filed.artifact.blob for filed in message.artifacts}
    for artifact in message.result.artifacts if message.result is not None else ():
        if artifact.blob not in named:  # a file that an earlier step has stored
            await blobs.remove(ARTIFACTS, artifact.blob)


# --- lessons


async def store_lessons(store: Store, message: SampleFinished) -> None:
    """Add the lessons of this sample to those of its run. Idempotent."""
    if message.lessons is None:
        return
    for name, texts in (("patterns", message.lessons.patterns), ("failures", message.lessons.failures)):
        key = layout.run_key(message.run_id, f"{layout.MEMORY}/{name}.json")
        written = await store.read(key)
        known = parse_lessons(written)
        lessons = _with_lessons(known, message, texts)
        if written is None or lessons != known:
            await store.write(key, encode_file(lessons))


def _with_lessons(known: Sequence[Lesson], message: SampleFinished, texts: Sequence[str]) -> tuple[Lesson, ...]:
    """Return the known lessons followed by the new ones of this sample."""
    present = {(lesson.sample_id, lesson.attempt, lesson.text) for lesson in known}
    lessons = (Lesson(sample_id=message.sample_id, attempt=message.attempt, text=text) for text in texts)
    return (*known, *(new for new in lessons if (new.sample_id, new.attempt, new.text) not in present))


# --- what a run is compared with


async def store_register(store: Store, blobs: Blobs, run_id: str, register: Register) -> str:
    """Store the register of a run, piece by piece. Return why it cannot be stored, for people; empty if it is stored.
    Idempotent."""
    name = layout.register_path(register.file.sha256, register.file.name)
    folder, _, file_name = name.rpartition("/")
    if file_name in await store.names(layout.run_key(run_id, folder)):
        return ""
    key = layout.run_key(run_id, name)
    async with store.spooled_file(key) as file:
        try:
            await fetch_input(blobs, register.file, file)
        except PermanentError as exc:
            return f"the register {register.file.name} could not be filed: {exc}"
        if (file.size_bytes, file.finish()) != (register.file.size_bytes, register.file.sha256.lower()):
            return f"the register {register.file.name} could not be filed: its bytes are not those that were checked"
        await store.write_file(key, file.path)
    await store.make_durable(layout.run_key(run_id, folder))
    return ""


# --- the pauses of a run for an outage

MAX_PAUSES = 100
"""Of one run; the first ones are kept."""


async def note_pause(message: RunControlled, deps: EvidenceDeps) -> None:
    """Note in run.json that a pause for an outage has begun or ended. Idempotent; a run that is finished stays so."""
    state = await deps.ledger.lock_and_read(message.run_id)
    after = pauses_after(state.pauses, message)
    if after != state.pauses and state.current_summary is None:
        state.pauses = after
        await deps.ledger.save(state)
    await deps.ledger.unlock_if_finished(message.run_id)


def pauses_after(known: tuple[RunPause, ...], told: RunControlled) -> tuple[RunPause, ...]:
    """Return the pauses after a control."""
    match told.control:
        case PauseRun(outage=outage) if outage is not None:
            begun = any(one.at == told.at and one.outage == outage for one in known)
            return known if begun or len(known) >= MAX_PAUSES else (*known, RunPause(outage=outage, at=told.at))
        case ResumePaused() | CloseRun() | InterruptRun():
            return tuple(
                replace(one, ended_at=told.at, ended_by=told.by) if one.ended_at is None and one.at <= told.at else one
                for one in known
            )
        case _:
            return known

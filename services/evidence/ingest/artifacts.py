"""Artifacts on their way from the bus into the sample's folder, hashed again at rest."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path

from services.evidence.ports import Store
from services.evidence.state.file_contents import AttemptLog
from shared.bus.ports import Blobs
from shared.contracts.planner import SampleFinished
from shared.contracts.steps import FiledArtifact, StepTaken
from shared.errors import PermanentError
from shared.evidence_format import layout
from shared.evidence_format.files.base import ArtifactProblem, problems_of
from shared.streams import ARTIFACTS


async def file_artifact(store: Store, blobs: Blobs, step: StepTaken, filed: FiledArtifact) -> ArtifactProblem | None:
    """Puts one artifact in its place, piece by piece; returns what is wrong where it is not what was captured."""
    name = filed.filename
    if not layout.is_filename(name):
        return ArtifactProblem(filename=name, code="unsafe_name", text="an artifact cannot have this name")
    key = layout.artifact_key(step.run_id, step.sample_id, name)
    try:
        return await _kept(store, blobs, key, filed)
    except PermanentError as exc:
        return ArtifactProblem(filename=name, code=exc.code, text=str(exc).removeprefix(f"{name}: "))


async def _kept(store: Store, blobs: Blobs, key: str, filed: FiledArtifact) -> ArtifactProblem | None:
    async with store.incoming(key) as file:
        try:
            await blobs.fetch(ARTIFACTS, filed.artifact.blob, file)
        except PermanentError as exc:
            if exc.code != "no_blob":
                raise
            return await _kept_before(store, key, filed)
        problem = difference(file.size_bytes, file.done(), filed)
        if problem is None:
            await store.keep(key, filed.artifact.sha256, file.path)
        return problem


async def _kept_before(store: Store, key: str, filed: FiledArtifact) -> ArtifactProblem | None:
    """An earlier try may have filed it and been cut off before it wrote that down."""
    async with store.local(key) as path:
        if path is None:
            return ArtifactProblem(filename=filed.filename, code="bytes_gone", text="the captured bytes are gone")
        return difference(path.stat().st_size, await asyncio.to_thread(_sha256, path), filed)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def difference(size_bytes: int, sha256: str, filed: FiledArtifact) -> ArtifactProblem | None:
    """Why bytes of this size and hash are not those that were captured; None where they are."""
    artifact = filed.artifact
    if size_bytes != artifact.size_bytes:
        text = f"{size_bytes} bytes arrived, {artifact.size_bytes} were captured"
        return ArtifactProblem(filename=filed.filename, code="size_differs", text=text)
    if sha256 != artifact.sha256:
        text = "its SHA-256 is not that of the capture"
        return ArtifactProblem(filename=filed.filename, code="hash_differs", text=text)
    return None


def not_filed(message: SampleFinished, log: AttemptLog) -> list[ArtifactProblem]:
    """Artifacts that the result names and no step left behind."""
    filed = {(one.filename, one.artifact.sha256) for one in log.artifacts}
    return [
        ArtifactProblem(filename=one.filename, code="never_filed", text="it was never filed")
        for one in message.artifacts
        if (one.filename, one.artifact.sha256) not in filed
    ]


async def remove_filed(blobs: Blobs, message: StepTaken, problems: Sequence[ArtifactProblem]) -> None:
    """Removes from the bus what is in the folder now; what is in trouble stays there, for it may be the only copy."""
    for filed in message.artifacts:
        if not problems_of(filed.filename, problems):
            await blobs.remove(ARTIFACTS, filed.artifact.blob)

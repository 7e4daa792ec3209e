"""Artifacts on their way from the bus into the sample's folder, hashed again at rest."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

from services.evidence import layout
from services.evidence.deps import Deps
from services.evidence.filing.contents import AttemptLog, in_trouble
from shared.contracts.planner import SampleFinished
from shared.contracts.results import Artifact
from shared.contracts.steps import FiledArtifact, StepTaken
from shared.errors import PermanentError
from shared.streams import ARTIFACTS


async def file_artifact(deps: Deps, step: StepTaken, filed: FiledArtifact) -> str | None:
    """Puts one artifact in its place, piece by piece; says what is wrong where it is not what was captured."""
    if not layout.is_filename(filed.filename):
        return f"{filed.filename}: an artifact cannot have this name"
    key = layout.artifact_key(step.run_id, step.sample_id, filed.filename)
    try:
        problem = await _kept(deps, key, filed.artifact)
    except PermanentError as exc:
        problem = str(exc).removeprefix(f"{filed.filename}: ")
    return f"{filed.filename}: {problem}" if problem else None


async def _kept(deps: Deps, key: str, artifact: Artifact) -> str | None:
    async with deps.store.incoming(key) as file:
        try:
            await deps.blobs.fetch(ARTIFACTS, artifact.blob, file)
        except PermanentError as exc:
            if exc.code != "no_blob":
                raise
            return await _kept_before(deps, key, artifact)
        problem = differs(file.size_bytes, file.done(), artifact)
        if problem is None:
            await deps.store.keep(key, artifact.sha256, file.path)
        return problem


async def _kept_before(deps: Deps, key: str, artifact: Artifact) -> str | None:
    """An earlier try may have filed it and been cut off before it wrote that down."""
    async with deps.store.local(key) as path:
        if path is None:
            return "the captured bytes are gone"
        return differs(path.stat().st_size, await asyncio.to_thread(_sha256, path), artifact)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def differs(size_bytes: int, sha256: str, artifact: Artifact) -> str | None:
    """Why these bytes are not those that were captured."""
    if size_bytes != artifact.size_bytes:
        return f"{size_bytes} bytes arrived, {artifact.size_bytes} were captured"
    if sha256 != artifact.sha256:
        return "its SHA-256 is not that of the capture"
    return None


def not_filed(message: SampleFinished, log: AttemptLog) -> list[str]:
    """Artifacts that the result names and no step left behind."""
    filed = {(one.filename, one.artifact.sha256) for one in log.artifacts}
    return [
        f"{one.filename}: it was never filed"
        for one in message.artifacts
        if (one.filename, one.artifact.sha256) not in filed
    ]


async def let_go(deps: Deps, message: StepTaken, problems: list[str]) -> None:
    """Removes from the bus what lies in the folder now; what is in trouble stays there, for it may be the only copy."""
    for filed in message.artifacts:
        if not in_trouble(filed, problems):
            await deps.blobs.remove(ARTIFACTS, filed.artifact.blob)

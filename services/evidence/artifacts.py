"""Artifacts on their way from the bus into the sample's folder, hashed again at rest."""

from __future__ import annotations

import hashlib

from services.evidence import layout
from services.evidence.deps import Deps
from services.evidence.filing import AttemptLog, in_trouble
from shared.contracts.actions import Artifact
from shared.contracts.planner import FiledArtifact, SampleFinished, StepTaken
from shared.errors import PermanentError
from shared.streams import ARTIFACTS


async def file_artifact(deps: Deps, step: StepTaken, filed: FiledArtifact) -> str | None:
    """Puts one artifact in its place; says what is wrong where it is not what was captured."""
    if not layout.is_filename(filed.filename):
        return f"{filed.filename}: an artifact cannot have this name"
    key = layout.artifact_key(step.run_id, step.sample_id, filed.filename)
    try:
        data = await deps.blobs.get(ARTIFACTS, filed.artifact.blob)
    except PermanentError:
        # An earlier try may have filed it and been cut off before it wrote that down.
        data = await deps.store.read(key)
        if data is None:
            return f"{filed.filename}: the captured bytes are gone"
    if problem := differs(data, filed.artifact):
        return f"{filed.filename}: {problem}"
    standing = await deps.store.read(key)
    if standing is not None and differs(standing, filed.artifact):
        return f"{filed.filename}: another file stands under this name, and evidence is never overwritten"
    await deps.store.write(key, data)
    return None


def differs(data: bytes, artifact: Artifact) -> str | None:
    """Why these bytes are not those that were captured."""
    if len(data) != artifact.size_bytes:
        return f"{len(data)} bytes arrived, {artifact.size_bytes} were captured"
    if hashlib.sha256(data).hexdigest() != artifact.sha256:
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

"""Files what a planner itself has made with a step of a sample: nobody has captured it from a page."""

from __future__ import annotations

import hashlib
from typing import Literal
from uuid import uuid4

from services.planner.deps import PlannerDeps
from shared.contracts.planner import WorkSample
from shared.contracts.results import Artifact
from shared.contracts.steps import FiledArtifact
from shared.streams import ARTIFACTS
from shared.text.names import safe_id

_MEDIA_TYPES = {".json": "application/json", ".json.zst": "application/zstd"}


async def file_own(
    data: bytes,
    filename: str,
    kind: Literal["flow", "prompt"],
    suffix: Literal[".json", ".json.zst"],
    *,
    work: WorkSample,
    deps: PlannerDeps,
) -> tuple[FiledArtifact, ...]:
    """Store the bytes as an artifact of the sample. Without an object store there is none."""
    if deps.blobs is None:
        return ()
    blob = f"{safe_id(work.run_id)}/{safe_id(work.sample_id)}/{uuid4().hex}"
    await deps.blobs.put(ARTIFACTS, blob, data)
    artifact = Artifact(
        kind=kind,
        label=kind,
        media_type=_MEDIA_TYPES[suffix],
        suffix=suffix,
        size_bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        blob=blob,
        source_url="",
        captured_at=deps.now(),
    )
    return (FiledArtifact(filename=filename, artifact=artifact),)

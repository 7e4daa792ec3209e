"""What a workflow has saved and captured, as files of the sample. Pure."""

from __future__ import annotations

from pathlib import PurePosixPath

from services.planner.state.attempt_state import AttemptState
from shared.contracts.results import Artifact
from shared.contracts.steps import FiledArtifact
from shared.contracts.workflows.invocations import SavedBlob, WorkflowRan
from shared.evidence_format.layout import artifact_filename


def workflow_files(state: AttemptState, ran: WorkflowRan) -> tuple[FiledArtifact, ...]:
    """Return the pictures and files of a workflow with the next file names of the sample's folder."""
    artifacts = (*ran.captured, *map(_to_artifact, ran.saved))
    first = len(state.artifacts) + 1
    return tuple(
        FiledArtifact(filename=artifact_filename(number, one), artifact=one)
        for number, one in enumerate(artifacts, start=first)
    )


def _to_artifact(saved: SavedBlob) -> Artifact:
    entry, path = saved.artifact, PurePosixPath(saved.artifact.name)
    return Artifact(
        kind="workflow",
        label=path.stem,
        media_type=entry.media_type,
        suffix=path.suffix.removeprefix("."),
        size_bytes=entry.size_bytes,
        sha256=entry.sha256,
        blob=saved.blob,
        source_url="",
        captured_at=entry.saved_at,
        original_name=entry.name,
    )

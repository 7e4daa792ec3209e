"""Files the version of a flow with the first step that it asks for, so that the evidence has the program that ran."""

from __future__ import annotations

import hashlib
from uuid import uuid4

from services.planner.deps import FlowProgress, PlannerDeps
from services.planner.state.attempt_state import Act, AttemptState, Decision
from shared.contracts.planner import WorkSample
from shared.contracts.results import Artifact
from shared.contracts.steps import FiledArtifact
from shared.contracts.workflows.library import WorkflowShown
from shared.evidence_format.files.flow import FlowFile
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.layout import FLOW_FILE
from shared.streams import ARTIFACTS
from shared.text.names import safe_id


def encode_flow(shown: WorkflowShown) -> bytes:
    """Return flow.json of this version. Equal versions have equal bytes, which evidence stores once for a run."""
    version = shown.workflow
    files = dict(sorted(shown.files.items()))
    return encode_file(FlowFile(name=version.name, hash=version.hash, source=shown.source, files=files))


async def file_flow(
    flow: FlowProgress | None, decision: Decision, state: AttemptState, work: WorkSample, deps: PlannerDeps
) -> tuple[FiledArtifact, ...]:
    """File the version of the flow with the first step that it has asked for."""
    if flow is None or not flow.filed_as or not isinstance(decision, Act) or decision.flow is None:
        return ()
    if any(one.artifact.kind == "flow" for one in state.stored):
        return ()
    return await store_flow(flow.filed_as, work, deps)


async def store_flow(data: bytes, work: WorkSample, deps: PlannerDeps) -> tuple[FiledArtifact, ...]:
    """Store flow.json for a sample. Without an object store there is none."""
    if deps.blobs is None:
        return ()
    blob = f"{safe_id(work.run_id)}/{safe_id(work.sample_id)}/{uuid4().hex}"
    await deps.blobs.put(ARTIFACTS, blob, data)
    artifact = Artifact(
        kind="flow",
        label="flow",
        media_type="application/json",
        suffix=".json",
        size_bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        blob=blob,
        source_url="",
        captured_at=deps.now(),
    )
    return (FiledArtifact(filename=FLOW_FILE, artifact=artifact),)

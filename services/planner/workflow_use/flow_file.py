"""Files the version of a flow with the first step that it asks for, so that the evidence has the program that ran."""

from __future__ import annotations

from services.planner.deps import FlowProgress, PlannerDeps
from services.planner.own_files import file_own
from services.planner.state.attempt_state import Act, AttemptState, Decision
from shared.contracts.planner import WorkSample
from shared.contracts.steps import FiledArtifact
from shared.contracts.workflows.library import WorkflowShown
from shared.evidence_format.files.flow import FlowFile
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.layout import FLOW_FILE


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
    return await file_own(flow.filed_as, FLOW_FILE, "flow", ".json", work=work, deps=deps)

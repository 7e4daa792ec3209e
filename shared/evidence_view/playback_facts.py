"""What the playback shows of each step beside its words: the picture, the boxes on it, the line of the flow."""

from __future__ import annotations

from typing import Any

from shared.contracts.steps import StepTaken
from shared.evidence_format.files.flow import FlowFile
from shared.evidence_view.sample_facts import SampleFacts
from shared.workflow_source.files import hash_of_version

PICTURES = ("step", "screenshot")
"""Kinds of artifacts that a step is shown with, the best first."""
MOST_FLOWS = 40
"""Versions whose source is in the page. A run goes on by a few at most."""


def playback_step(step: StepTaken, facts: SampleFacts) -> dict[str, Any]:
    """Return the picture that was taken at the step, what it acted on, and the fields whose values it shows."""
    outcome, flow = step.result, step.flow
    target = outcome.target if outcome is not None else None
    return {
        "shot": _picture(step),
        "box": target.box if target is not None else None,
        "found": [f"{one.kind}: {one.value}" for one in target.locators] if target is not None else [],
        "marks": _shown_fields(step, facts),
        "line": flow.line if flow is not None else None,
        "section": flow.section if flow is not None else None,
        "once": True if flow is not None and flow.irreversible else None,
        "url": step.observation.url if step.observation is not None else None,
    }


def _picture(step: StepTaken) -> str | None:
    taken = [filed for kind in PICTURES for filed in step.artifacts if filed.artifact.kind == kind]
    return taken[0].filename if taken else None


def _shown_fields(step: StepTaken, facts: SampleFacts) -> list[str]:
    """Return the fields whose values stand on the page that was stored at this step."""
    stored = {filed.artifact.sha256 for filed in step.artifacts if filed.artifact.kind in ("page", "observation")}
    sources = {name: field.source for name, field in facts.fields.items() if field.source is not None}
    return [name for name, source in sources.items() if {source.page_sha256, source.observation_file_sha256} & stored]


def flow_of(facts: SampleFacts) -> dict[str, Any] | None:
    """Return the version of the flow that the steps name, with the file that holds it; None where no flow did."""
    place = next((one.step.flow for one in facts.log if one.step.flow is not None), None)
    if place is None:
        return None
    file = next((one for one in facts.artifacts if one.kind == "flow"), None)
    kept = {} if file is None else {"file": file.filename, "sha": file.sha256}
    return {"name": place.name, "hash": place.hash, **kept}


def source_of(flow: FlowFile | None, flow_hash: str) -> str | None:
    """Return the source of the version with this hash; None where the file holds another one, or none."""
    if flow is None or hash_of_version(flow.source, flow.files) != flow_hash:
        return None
    return flow.source

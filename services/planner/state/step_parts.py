"""Parts of a step as the step log records them: the observation that was decided on, and the captured files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from services.planner.state.attempt_state import AttemptState, is_unasked
from services.planner.state.limits import page_signature
from services.planner.state.value_sources import stored_pages
from shared.contracts.browser_pool import PageObserved
from shared.contracts.discovery import Sample
from shared.contracts.results import ActionResult, Artifact
from shared.contracts.steps import FiledArtifact, ObservationRef
from shared.evidence_format.layout import artifact_filename, step_picture_name
from shared.pages.identity.identity import identity_proof
from shared.task.spec import TaskSpec

PAGE_NAME = "page_"
"""Prefix of the files of a page that was stored without a picture."""


# --- the observation


def observation_ref(page: PageObserved, spec: TaskSpec, sample: Sample) -> ObservationRef:
    """Return what the step log records of an observed page."""
    proof = identity_proof(spec, sample, page).state
    return msgspec.structs.replace(ObservationRef.of(page), signature=page_signature(page), proof=proof)


def with_proof(ref: ObservationRef | None) -> ObservationRef | None:
    """Return the reference of a page on which the rules of a flow have read the record's own identity. What the page
    itself says of another record counts before that."""
    if ref is None or ref.proof != "unproven":
        return ref
    return msgspec.structs.replace(ref, proof="proven")


def with_page(ref: ObservationRef | None, stored: tuple[FiledArtifact, ...]) -> ObservationRef | None:
    """Return the reference with the hash of the stored page of this observation, if one was stored."""
    page = None if ref is None else stored_pages(stored).get(ref.sha256)
    return ref if ref is None or page is None else msgspec.structs.replace(ref, page_sha256=page.page or None)


# --- files


def to_filed(state: AttemptState, result: ActionResult | None) -> tuple[FiledArtifact, ...]:
    """Return an action's artifacts with the next file names of the sample's folder. A file that is stored already, and
    was captured of the same record, is not stored again.

    A stored page and its observation get the number of the first picture taken of it: `01_ticket.mhtml.zst`. The
    picture of a step gets the number of the step: `step_003.jpg`.
    """
    artifacts = result.artifacts if result is not None else ()
    first = len(state.artifacts) + 1
    asked = _new_files(state, [one for one in artifacts if not is_unasked(one)])
    names = [artifact_filename(number, one) for number, one in enumerate(asked, start=first)]
    beside = [one for one in artifacts if is_unasked(one)]
    names += [
        step_picture_name(state.steps + 1, one) if one.kind == "step" else artifact_filename(first, one)
        for one in beside
    ]
    return tuple(FiledArtifact(filename=name, artifact=one) for name, one in zip(names, (*asked, *beside), strict=True))


def _new_files(state: AttemptState, artifacts: Iterable[Artifact]) -> list[Artifact]:
    """Return the artifacts without downloads of an address, name and content that are stored already."""
    counted = (entry for entry in state.history if entry.proven or not state.proven)
    known = {_content(one.artifact) for entry in counted for one in entry.filed if one.artifact.kind == "download"}
    new: list[Artifact] = []
    for one in artifacts:
        if one.kind != "download" or _content(one) not in known:
            new.append(one)
            known |= {_content(one)} if one.kind == "download" else set()
    return new


def _content(artifact: Artifact) -> tuple[str, str, str]:
    return artifact.sha256, artifact.source_url, artifact.original_name or artifact.label


def to_filed_pages(
    state: AttemptState, stored: Iterable[FiledArtifact], artifacts: Sequence[Artifact]
) -> tuple[FiledArtifact, ...]:
    """Return pages stored without a picture, with numbers of their own: `page_01_tck_1001.mhtml.zst`."""
    captured = {one.artifact.capture for one in stored if one.filename.startswith(PAGE_NAME)}
    number = len(captured) + 1
    names = (
        step_picture_name(state.steps + 1, one)
        if one.kind == "step"
        else f"{PAGE_NAME}{artifact_filename(number, one)}"
        for one in artifacts
    )
    return tuple(FiledArtifact(filename=name, artifact=one) for name, one in zip(names, artifacts, strict=True))

"""Which pictures show an element or a field before and after a page has changed. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from shared.contracts.results import Artifact, Box
from shared.contracts.steps import FiledArtifact, StepTaken
from shared.contracts.workflows.heals import Heal, HealedKind
from shared.flows.files import FlowFiles
from shared.pages.boxes import MARGIN_PX, meet, part_around
from shared.recordings.recording import Recording

PART_WIDTH_PX, PART_HEIGHT_PX = 760.0, 320.0
"""Of the part of a picture that is shown around what is meant; more where that needs it."""
BEFORE_PX = 260.0
"""What is shown before it, where labels stand, at least."""


@dataclass(frozen=True)
class PicturePart:
    """A picture of a sample. ``area``: what it shows of the document; ``shown``: the part of that which is shown;
    ``box``: what is meant. None: it is not known where on the picture that is."""

    run_id: str
    sample_id: str
    filename: str
    area: Box | None = None
    shown: Box | None = None
    box: Box | None = None


def heal_found(
    samples: Sequence[Recording], kind: HealedKind, subject: str
) -> tuple[Recording, StepTaken, Heal] | None:
    """Return the first sample that has found this in another way, with the step and the heal."""
    for sample in samples:
        for step in sample.steps:
            for heal in step.heals:
                if (heal.kind, heal.subject) == (kind, subject):
                    return sample, step, heal
    return None


def picture_now(sample: Recording, step: StepTaken, heal: Heal) -> PicturePart | None:
    """Return what shows the element or the value where it is now; None: no picture was kept."""
    if heal.kind in ("field", "proof"):
        return _of_value(sample, heal.subject)
    target = step.result.target if step.result is not None else None
    return _of_step(sample, step, target.box if target is not None else None)


def picture_then(samples: Iterable[Recording], heal: Heal, files: FlowFiles) -> PicturePart | None:
    """Return what shows it where it was recorded, on the first of these samples that has a picture of it."""
    prints = {heal.fingerprint, *(files.locators[heal.subject].fingerprints if heal.subject in files.locators else ())}
    for sample in samples:
        if heal.kind in ("field", "proof"):
            found = _of_value(sample, heal.subject)
        else:
            found = _of_element(sample, prints - {""})
        if found is not None:
            return found
    return None


def _of_element(sample: Recording, fingerprints: Collection[str]) -> PicturePart | None:
    for step in sample.steps:
        target = step.result.target if step.result is not None else None
        if target is not None and target.fingerprint in fingerprints:
            found = _of_step(sample, step, target.box)
            if found is not None:
                return found
    return None


def _of_step(sample: Recording, step: StepTaken, box: Box | None) -> PicturePart | None:
    taken = [filed for kind in ("step", "screenshot") for filed in step.artifacts if filed.artifact.kind == kind]
    return _part(sample, taken, box)


def _of_value(sample: Recording, field: str) -> PicturePart | None:
    source = next((value.source for value in sample.values if value.field == field), None)
    if source is None or not source.screenshot_sha256:
        return None
    own = [
        filed for step in sample.steps for filed in step.artifacts if filed.artifact.sha256 == source.screenshot_sha256
    ]
    return _part(sample, own, source.box)


def _part(sample: Recording, taken: Sequence[FiledArtifact], box: Box | None) -> PicturePart | None:
    """Return the first picture that has the box on it, else the first one, whole."""
    for filed in taken:
        if box is not None and (area := _area_with(filed.artifact, box)) is not None:
            return PicturePart(sample.run_id, sample.sample_id, filed.filename, area, part_with_labels(box, area), box)
    if not taken:
        return None
    area = taken[0].artifact.area
    return PicturePart(sample.run_id, sample.sample_id, taken[0].filename, area, area)


def _area_with(artifact: Artifact, box: Box) -> Box | None:
    return artifact.area if artifact.area is not None and meet(artifact.area, box) else None


def part_with_labels(box: Box, area: Box) -> Box:
    """Return the part of a picture that shows the box, and what stands before it, as far as the picture goes."""
    width = min(max(PART_WIDTH_PX, BEFORE_PX + box.width + MARGIN_PX), area.width)
    height = max(PART_HEIGHT_PX, box.height + 2 * MARGIN_PX)
    left = min(box.x + box.width / 2 - width / 2, box.x - BEFORE_PX)
    return part_around(area, box, width, height, left)

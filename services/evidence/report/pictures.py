"""Chooses the pictures that are embedded in the page, their size, and the part that is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shared.contracts.results import Box
from shared.evidence_format.files.sample import StoredField
from shared.evidence_view.sample_facts import ArtifactFacts

MOST_PICTURE_BYTES = 40_000_000
TALLEST = 1.5
"""Maximum ratio of height to width of an embedded picture. Taller ones are cropped to the part with the values."""


@dataclass(frozen=True)
class PicturePlan:
    """``most``: maximum of samples with embedded pictures. ``for_trouble``: how many of them are reserved for samples
    that are not done or are flagged, because a reviewer opens those first."""

    width_px: int
    per_sample: int
    most: int
    for_trouble: int = 0
    step_pictures: int = 0
    """Maximum of pictures of steps that are embedded in the page, over all samples."""


def picture_plan(samples: int) -> PicturePlan:
    """Return the plan for a run of so many samples. Where pages are dense with text, its pictures take 20 MB."""
    if samples <= 60:
        return PicturePlan(width_px=720, per_sample=3, most=60, step_pictures=160)
    if samples <= 300:
        return PicturePlan(width_px=480, per_sample=1, most=300)
    return PicturePlan(width_px=256, per_sample=1, most=2000, for_trouble=500)


@dataclass
class PictureBudget:
    """Counts samples with embedded pictures. ``left_out``: samples whose pictures are not in the page."""

    plan: PicturePlan
    given: int = 0
    given_plain: int = 0
    left_out: int = 0
    given_steps: int = 0

    def grant(self, *, trouble: bool) -> bool:
        """Return whether the pictures of one more sample are embedded, and count it."""
        plain_full = self.given_plain >= self.plan.most - self.plan.for_trouble and self.plan.for_trouble
        if self.given >= self.plan.most or (plain_full and not trouble):
            self.left_out += 1
            return False
        self.given += 1
        self.given_plain += not trouble
        return True

    def grant_steps(self, pictures: int) -> bool:
        """Return whether so many pictures of a sample's steps are embedded, and count them. All of them or none."""
        if pictures > self.plan.step_pictures - self.given_steps:
            return False
        self.given_steps += pictures
        return True


BoxesByPicture = Mapping[str, Sequence[Box | None]]
"""Boxes of the values that a picture shows, by the hash of the picture; None for a value without a box."""


def boxes_by_picture(fields: Iterable[StoredField]) -> BoxesByPicture:
    """Return the boxes of the values whose source names a picture, by picture."""
    shown: dict[str, list[Box | None]] = {}
    for field in fields:
        if field.source is not None and field.source.screenshot_sha256:
            shown.setdefault(field.source.screenshot_sha256, []).append(field.source.box)
    return shown


def choose_pictures(artifacts: Iterable[ArtifactFacts], shown: BoxesByPicture, most: int) -> list[ArtifactFacts]:
    """Return up to ``most`` screenshots: those that show most values first, then the latest."""
    shots = [one for one in artifacts if one.stored.kind == "screenshot"]
    latest_first = [one for one in reversed(shots) if one.stored.size_bytes <= MOST_PICTURE_BYTES]
    return sorted(latest_first, key=lambda one: -len(shown.get(one.stored.sha256, ())))[:most]


def step_pictures(artifacts: Iterable[ArtifactFacts]) -> list[ArtifactFacts]:
    """Return the pictures of the steps."""
    return [one for one in artifacts if one.stored.kind == "step" and one.stored.size_bytes <= MOST_PICTURE_BYTES]


@dataclass(frozen=True)
class Crop:
    """The part of a picture that is embedded: top and bottom as fractions of its height."""

    top: float = 0.0
    bottom: float = 1.0


def crop_of(width: float, height: float, marked: Sequence[tuple[float, float]]) -> Crop:
    """Return the part to embed. ``marked``: spans of the values, as fractions; without any, the top of the page."""
    if height <= width * TALLEST:
        return Crop()
    share = width * TALLEST / height
    if not marked:
        return Crop(0.0, share)
    top, bottom = min(mark[0] for mark in marked), max(mark[1] for mark in marked)
    start = (top + bottom - share) / 2 if bottom - top < share else top - 0.02
    if bottom <= share:
        start = 0.0  # the top of the page shows best which page it is
    start = min(max(start, 0.0), 1.0 - share)
    return Crop(start, start + share)


def value_spans(picture: ArtifactFacts, shown: BoxesByPicture) -> list[tuple[float, float]]:
    """Return top and bottom of the boxes of values on this picture, as fractions of its height."""
    area = picture.area
    if area is None or area.height <= 0:
        return []
    boxes = [box for box in shown.get(picture.stored.sha256, ()) if box is not None]
    spans = [((box.y - area.y) / area.height, box.height / area.height) for box in boxes]
    return [(top, top + height) for top, height in spans if 0 <= top < 1]


def embedded_area(picture: ArtifactFacts, cut: Crop) -> Box | None:
    """Return the part of the document that the embedded picture shows, in CSS px; None if that is unknown."""
    area = picture.area
    if area is None:
        return None
    return Box(
        x=area.x, y=area.y + area.height * cut.top, width=area.width, height=area.height * (cut.bottom - cut.top)
    )

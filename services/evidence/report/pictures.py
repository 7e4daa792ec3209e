"""Pure: which pictures of a sample ride in the page itself, how small, and which part of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from services.evidence.facts.sample_facts import ArtifactFacts
from shared.contracts.results import Box
from shared.evidence_format.files.sample import StoredField

MOST_PICTURE_BYTES = 40_000_000
TALLEST = 1.5
"""Height to width of an embedded picture: of a taller one, the part that shows the values is cut out."""


@dataclass(frozen=True)
class PicturePlan:
    """``most``: samples with an embedded picture; ``for_trouble`` of them are kept for those that are not plainly done,
    for these are looked at first."""

    width_px: int
    per_sample: int
    most: int
    for_trouble: int = 0


def picture_plan(samples: int) -> PicturePlan:
    """A small run is whole even without its folder; a large one stays small enough to open at once. Each step keeps the
    page below about 12 MB and the making of it below half a minute."""
    if samples <= 60:
        return PicturePlan(width_px=720, per_sample=3, most=60)
    if samples <= 300:
        return PicturePlan(width_px=480, per_sample=1, most=300)
    return PicturePlan(width_px=256, per_sample=1, most=2000, for_trouble=500)


@dataclass
class PictureBudget:
    """Counts what was embedded; ``left_out`` samples have pictures that are not in the page."""

    plan: PicturePlan
    given: int = 0
    given_plain: int = 0
    left_out: int = 0

    def grant(self, *, trouble: bool) -> bool:
        """Whether one more sample gets its picture."""
        plain_full = self.given_plain >= self.plan.most - self.plan.for_trouble and self.plan.for_trouble
        if self.given >= self.plan.most or (plain_full and not trouble):
            self.left_out += 1
            return False
        self.given += 1
        self.given_plain += not trouble
        return True


BoxesByPicture = Mapping[str, Sequence[Box | None]]
"""By the hash of a picture: where on the page the values are that it shows; None where that is not known."""


def boxes_by_picture(fields: Iterable[StoredField]) -> BoxesByPicture:
    """The values that are known to be on a picture, by picture."""
    shown: dict[str, list[Box | None]] = {}
    for field in fields:
        if field.source is not None and field.source.screenshot_sha256:
            shown.setdefault(field.source.screenshot_sha256, []).append(field.source.box)
    return shown


def choose_pictures(artifacts: Iterable[ArtifactFacts], shown: BoxesByPicture, most: int) -> list[ArtifactFacts]:
    """Screenshots, those that show most values first, of equals the latest."""
    shots = [one for one in artifacts if one.stored.kind == "screenshot"]
    latest_first = [one for one in reversed(shots) if one.stored.size_bytes <= MOST_PICTURE_BYTES]
    return sorted(latest_first, key=lambda one: -len(shown.get(one.stored.sha256, ())))[:most]


@dataclass(frozen=True)
class Crop:
    """The part of a picture that is embedded, as fractions of its height."""

    top: float = 0.0
    bottom: float = 1.0


def crop_of(width: float, height: float, marked: Sequence[tuple[float, float]]) -> Crop:
    """``marked``: where the values stand, top and bottom as fractions; without any, the top of the page."""
    if height <= width * TALLEST:
        return Crop()
    share = width * TALLEST / height
    if not marked:
        return Crop(0.0, share)
    top, bottom = min(mark[0] for mark in marked), max(mark[1] for mark in marked)
    start = (top + bottom - share) / 2 if bottom - top < share else top - 0.02
    if bottom <= share:
        start = 0.0  # the head of the page tells most of where one is
    start = min(max(start, 0.0), 1.0 - share)
    return Crop(start, start + share)


def value_spans(picture: ArtifactFacts, shown: BoxesByPicture) -> list[tuple[float, float]]:
    """Top and bottom of the boxes of values that this picture is known to show, as fractions of its height."""
    area = picture.area
    if area is None or area.height <= 0:
        return []
    boxes = [box for box in shown.get(picture.stored.sha256, ()) if box is not None]
    spans = [((box.y - area.y) / area.height, box.height / area.height) for box in boxes]
    return [(top, top + height) for top, height in spans if 0 <= top < 1]


def embedded_area(picture: ArtifactFacts, cut: Crop) -> Box | None:
    """The part of the document that the embedded picture shows, in CSS px; None where that is not known."""
    area = picture.area
    if area is None:
        return None
    return Box(
        x=area.x, y=area.y + area.height * cut.top, width=area.width, height=area.height * (cut.bottom - cut.top)
    )

"""Which parts of which pictures a paper shows, with the boxes of the values on them. Pure; `cut_pictures` cuts them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import NamedTuple

from shared.contracts.results import Box
from shared.papers.paper import PaperPlace, PaperSample, PaperValue

MARGIN_PX = 48
"""CSS pixels of the page that are shown around the values."""
TALLEST = 0.62
"""Most height of a part, for its width; values that are further apart are on several parts. `LEAST`: the least."""
LEAST = 0.42
MOST_CROPS = 4
"""Most parts of pictures on the page of one sample. What is on none of them is said."""


@dataclass(frozen=True)
class BoxedValue:
    """``name``: the number of the value on the page of its sample, from 1; with a letter for one of several texts. Its
    box, as fractions of the part: left, top, width, height."""

    name: str
    field: str
    text: str
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class PictureCrop:
    """A part of a picture. ``top``, ``bottom``: as fractions of the height of the picture; its whole width is shown.
    ``boxes`` are empty where no value has a box on it."""

    path: str
    sha256: str
    top: float
    bottom: float
    boxes: tuple[BoxedValue, ...]


@dataclass(frozen=True)
class CropShape:
    """How parts are cut: at most ``most`` of a sample, each at least ``least`` and, where one value allows it, at most
    ``tallest`` as high as it is wide."""

    most: int = MOST_CROPS
    tallest: float = TALLEST
    least: float = LEAST


ON_PAGE = CropShape()
"""Of the parts that stand together on the page of a sample."""


@dataclass(frozen=True)
class CropPlan:
    """``left_out``: names of values whose picture is not shown, because there are too many parts."""

    crops: tuple[PictureCrop, ...]
    left_out: tuple[str, ...] = ()

    @property
    def boxed(self) -> frozenset[str]:
        """The names of all values that have a box."""
        return frozenset(box.name for crop in self.crops for box in crop.boxes)


def plan_crops(sample: PaperSample, numbered: Iterable[tuple[int, PaperValue]], shape: CropShape = ON_PAGE) -> CropPlan:
    """Return the parts of pictures that show the values of a sample: all values that have a box are on one.

    A sample none of whose values has a box shows the top of its last screenshot.
    """
    by_picture: dict[tuple[str, Box], list[_NamedBox]] = {}
    hashes: dict[str, str] = {}
    for number, value in numbered:
        for name, place in names_of(number, value):
            if place.box is not None and place.area is not None and place.picture:
                by_picture.setdefault((place.picture, place.area), []).append(
                    _NamedBox(name, value.field, place.text, place.box)
                )
                hashes[place.picture] = place.picture_sha256
    crops: list[PictureCrop] = []
    left_out: list[str] = []
    for (path, area), shown in by_picture.items():
        for part in _parts(shown, area, shape):
            if len(crops) < shape.most:
                crops.append(_crop(path, hashes[path], area, part, shape))
            else:
                left_out += [one.name for one in part]
    if not crops:
        shots = [one for one in sample.files if one.kind == "screenshot"]
        crops = [PictureCrop(one.path, one.sha256, 0.0, 1.0, ()) for one in shots[-1:]]
    return CropPlan(tuple(crops), tuple(left_out))


def names_of(number: int, value: PaperValue) -> list[tuple[str, PaperPlace]]:
    """Return the places of a value with their names: its number, with a letter for one of several texts."""
    if len(value.places) == 1:
        return [(str(number), value.places[0])]
    return [(f"{number}{ascii_lowercase[at % len(ascii_lowercase)]}", place) for at, place in enumerate(value.places)]


class _NamedBox(NamedTuple):
    name: str
    field: str
    text: str
    box: Box


def _parts(shown: Sequence[_NamedBox], area: Box, shape: CropShape) -> list[list[_NamedBox]]:
    """Return the values in groups that are each near enough for one part, from top to bottom."""
    parts: list[list[_NamedBox]] = []
    for one in sorted(shown, key=lambda one: (one.box.y, one.box.x, one.name)):
        bottom = one.box.y + one.box.height
        if parts and bottom - parts[-1][0].box.y + 2 * MARGIN_PX <= area.width * shape.tallest:
            parts[-1].append(one)
        else:
            parts.append([one])
    return parts


def _crop(path: str, sha256: str, area: Box, part: Sequence[_NamedBox], shape: CropShape) -> PictureCrop:
    top = max(min(one.box.y for one in part) - MARGIN_PX - area.y, 0.0)
    bottom = min(max(one.box.y + one.box.height for one in part) + MARGIN_PX - area.y, area.height)
    least = min(area.width * shape.least, area.height)
    if bottom <= area.width * shape.tallest:
        top = 0.0  # the top of the page shows best which page it is
    if bottom - top < least:
        bottom = min(top + least, area.height)
        top = bottom - least
    height = max(bottom - top, 1.0)
    boxes: list[BoxedValue] = []
    for one in part:
        box = one.box
        left, right = max(box.x, area.x), min(box.x + box.width, area.x + area.width)
        upper, lower = max(box.y, area.y + top), min(box.y + box.height, area.y + bottom)
        boxes.append(
            BoxedValue(
                name=one.name,
                field=one.field,
                text=one.text,
                left=(left - area.x) / area.width,
                top=(upper - area.y - top) / height,
                width=max(right - left, 0.0) / area.width,
                height=max(lower - upper, 0.0) / height,
            )
        )
    return PictureCrop(path, sha256, top / area.height, bottom / area.height, tuple(boxes))

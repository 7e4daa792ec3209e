"""The parts of pictures that show what a cell has, each with its box. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from services.console.web.library.heal_pictures import PicturePart
from shared.contracts.results import Box
from shared.pages.boxes import meet, part_around

CROP_WIDTH_PX, CROP_HEIGHT_PX, CROP_MARGIN_PX = 480.0, 220.0, 24.0
"""Of the part of a picture that is shown around a value; more where the value needs it."""
MOST_HEIGHT_PX = 900.0
BEFORE_PX = 200.0
"""What is shown before it, where labels stand."""
MOST_CROPS = 6
"""Of one cell. The sample shows all."""


@dataclass(frozen=True)
class CellCrop:
    """``number``: of the text between which a person decides; 0: the one value. ``sha256``: of the picture, as it was
    captured. ``part``: None: no picture shows it."""

    number: int
    shown: str
    sha256: str = ""
    part: PicturePart | None = None


def field_crops(run_id: str, detail: Mapping[str, Any], name: str) -> list[CellCrop]:
    """Return where a field was read, or the texts between which a person decides; none for a field that has neither.

    Args:
        run_id: of the run.
        detail: of the sample, as `detail_of` makes it.
        name: of the field.
    """
    field = next((one for one in detail.get("fields") or () if one["n"] == name), None)
    if field is None:
        return []
    candidates = field.get("candidates") or ()
    texts = [(number, one["shown"], one["src"]) for number, one in enumerate(candidates[:MOST_CROPS], 1)]
    if not texts and field["state"] != "not_found" and not field.get("rows"):
        texts = [(0, field.get("shown") or field.get("value") or "", field["src"])]
    return [_crop(run_id, detail, number, shown, source) for number, shown, source in texts]


def file_crops(run_id: str, detail: Mapping[str, Any], names: Sequence[str]) -> list[CellCrop]:
    """Return pictures as a whole, those of these names."""
    found = [file for file in _pictures(detail) if file["name"] in names][:MOST_CROPS]
    return [CellCrop(0, "", file["sha"], PicturePart(run_id, detail["id"], file["name"])) for file in found]


def picture_names(detail: Mapping[str, Any]) -> list[str]:
    """Return the names of the pictures of a sample that people look at."""
    return [file["name"] for file in _pictures(detail)]


def _crop(run_id: str, detail: Mapping[str, Any], number: int, shown: str, source: Mapping[str, Any]) -> CellCrop:
    box = _box(source["box"])
    for file in _pictures(detail):
        area = _box(file.get("area"))
        if box is not None and area is not None and file["sha"] == source["shot"] and meet(area, box):
            part = PicturePart(run_id, detail["id"], file["name"], area, crop_around(box, area), box)
            return CellCrop(number, shown, file["sha"], part)
    return CellCrop(number, shown)


def _pictures(detail: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [file for file in detail.get("files") or () if file["kind"] == "screenshot"]


def _box(told: Any) -> Box | None:
    return None if told is None else msgspec.convert(told, Box)


def crop_around(box: Box, area: Box) -> Box:
    """Return the part of a picture that shows a box and what stands before it, as far as the picture goes."""
    width = max(CROP_WIDTH_PX, min(BEFORE_PX, area.width) + box.width + CROP_MARGIN_PX)
    height = min(max(CROP_HEIGHT_PX, box.height + 2 * CROP_MARGIN_PX), MOST_HEIGHT_PX)
    return part_around(area, box, width, height, box.x - BEFORE_PX)

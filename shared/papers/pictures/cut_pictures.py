"""Cuts the parts of pictures that a paper shows, and makes them as small as paper needs. Pillow releases the
interpreter lock: threads cut several at once."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from shared.papers.pictures.crops import BoxedValue, PictureCrop

MAX_PIXELS = 120_000_000
QUALITY = 72
TALLEST_UNBOXED = 0.62
"""Height, for its width, of the part of a picture without boxes: its top."""
WIDTHS = ((100, 1280), (400, 1000))
"""Up to how many samples a picture has how many pixels across."""
NARROWEST = 800
FRAME_PX, FRAME_COLOUR = 3, "#c62828"
BETWEEN_PX, BETWEEN_COLOUR = 6, "#5b6b7b"
"""Of the line between two parts that are one picture."""


@dataclass(frozen=True)
class CutPicture:
    """A part of a picture, as JPEG. ``bottom``: where it ends, as a fraction of the height of the picture."""

    data: bytes
    width_px: int
    height_px: int
    bottom: float


def picture_width(samples: int) -> int:
    """Return how many pixels across the pictures of a paper have at most."""
    return next((width for most, width in WIDTHS if samples <= most), NARROWEST)


def cut_picture(data: bytes, crop: PictureCrop, width_px: int) -> CutPicture | None:
    """Return a part of a picture; None if it is no picture that can be shown."""
    whole = open_picture(data)
    if whole is None:
        return None
    part, bottom = cut_part(whole, crop, width_px)
    made = to_jpeg(part, width_px)
    return CutPicture(made, part.width, part.height, bottom) if made is not None else None


def open_picture(data: bytes) -> Image.Image | None:
    """Return a picture, decoded; None if it is none that can be shown."""
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                return None
            return picture.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None


def cut_part(picture: Image.Image, crop: PictureCrop, width_px: int) -> tuple[Image.Image, float]:
    """Return a part of a picture that is at most so wide, and where it ends, as a fraction of the picture's height."""
    top, bottom = round(picture.height * crop.top), max(round(picture.height * crop.bottom), 1)
    if not crop.boxes:
        bottom = min(bottom, max(round(picture.width * TALLEST_UNBOXED), 1))
    part = picture.crop((0, top, picture.width, max(bottom, top + 1)))
    if part.width > width_px:
        size = (width_px, max(round(part.height * width_px / part.width), 1))
        part = part.resize(size, Image.Resampling.BOX if part.width >= 2 * width_px else Image.Resampling.LANCZOS)
    return part, bottom / picture.height


def draw_boxes(part: Image.Image, boxes: Iterable[BoxedValue]) -> Image.Image:
    """Return a copy of a part with a frame around each box; what is in a box stays as it is, but at the edges of the
    part."""
    drawn = part.copy()
    pen = ImageDraw.Draw(drawn)
    for box in boxes:
        left, top = box.left * part.width - FRAME_PX, box.top * part.height - FRAME_PX
        right, bottom = left + box.width * part.width + 2 * FRAME_PX, top + box.height * part.height + 2 * FRAME_PX
        corner = max(round(left), 0), max(round(top), 0)
        end = min(max(round(right), corner[0]), part.width - 1), min(max(round(bottom), corner[1]), part.height - 1)
        pen.rectangle((min(corner[0], end[0]), min(corner[1], end[1]), *end), outline=FRAME_COLOUR, width=FRAME_PX)
    return drawn


def stack_parts(parts: Sequence[Image.Image]) -> Image.Image:
    """Return parts under each other, with a line between two."""
    if len(parts) == 1:
        return parts[0]
    height = sum(one.height for one in parts) + BETWEEN_PX * (len(parts) - 1)
    stacked = Image.new("RGB", (max(one.width for one in parts), height), BETWEEN_COLOUR)
    top = 0
    for one in parts:
        stacked.paste(one, (0, top))
        top += one.height + BETWEEN_PX
    return stacked


def to_jpeg(picture: Image.Image, width_px: int) -> bytes | None:
    """Return a picture as JPEG, with less detail of colour where paper has little room; None: it is too tall for
    one."""
    out = io.BytesIO()
    try:
        picture.save(out, "JPEG", quality=QUALITY, subsampling=0 if width_px >= 1000 else 2)
    except (OSError, ValueError):
        return None
    return out.getvalue()

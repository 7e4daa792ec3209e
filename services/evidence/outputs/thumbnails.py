"""Makes the small pictures in report.html. Pillow releases the interpreter lock: threads make several at once."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PIL import Image

from services.evidence.report.pictures import Crop, crop_of

MAX_PIXELS = 120_000_000
QUALITY = 45
ENCODER_EFFORT = 2
"""Of WebP, 0 to 6. A higher effort takes twice the time to save a few per cent."""
MAX_UNCHANGED_BYTES = 48_000
"""A JPEG of at most so many bytes is embedded unchanged. Pictures of steps are such files."""


@dataclass(frozen=True)
class Thumbnail:
    """A picture as it is embedded in the page. ``data``: ``kind`` in base64. ``cut``: the part of the full picture."""

    kind: Literal["webp", "jpeg"]
    data: str
    width_px: int
    height_px: int
    cut: Crop


def make_thumbnail(data: bytes, width_px: int, marked: Sequence[tuple[float, float]]) -> Thumbnail | None:
    """Return a thumbnail of at most ``width_px``, or the picture if it is a small JPEG; None if it cannot be shown.

    ``marked``: spans that should be visible, top and bottom as fractions of the height.
    """
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                return None
            cut = crop_of(picture.width, picture.height, marked)
            if picture.format == "JPEG" and len(data) <= MAX_UNCHANGED_BYTES and cut == Crop():
                return _unchanged(picture, data)
            return _shrink(picture, width_px, cut)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None


def _unchanged(picture: Image.Image, data: bytes) -> Thumbnail:
    width, height = picture.size
    # Raises where the bytes are damaged; at an eighth of the size, which is the fastest.
    picture.draft(None, (1, 1))
    picture.load()
    return Thumbnail("jpeg", _base64(data), width, height, Crop())


def _shrink(picture: Image.Image, width_px: int, cut: Crop) -> Thumbnail:
    top, bottom = round(picture.height * cut.top), max(round(picture.height * cut.bottom), 1)
    # `convert` copies the whole picture even if it is RGB already, as screenshots are.
    plain = picture if picture.mode == "RGB" else picture.convert("RGB")
    # The mean of each square of pixels takes a seventh of the time of `resize`.
    small = plain.reduce(math.ceil(picture.width / width_px), box=(0, top, picture.width, bottom))
    out = io.BytesIO()
    small.save(out, "WEBP", quality=QUALITY, method=ENCODER_EFFORT)
    exact = Crop(top / picture.height, bottom / picture.height)
    return Thumbnail("webp", _base64(out.getvalue()), small.width, small.height, exact)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()

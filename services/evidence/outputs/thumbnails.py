"""Makes thumbnails by Pillow. It is called in threads, because Pillow releases the interpreter lock while it works."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from services.evidence.report.pictures import Crop, crop_of

MAX_PIXELS = 120_000_000
QUALITY = 45
ENCODER_EFFORT = 2
"""0 to 6. A higher effort takes twice the time to save a few per cent."""


@dataclass(frozen=True)
class Thumbnail:
    """A picture as it is embedded in the page. ``data``: WebP in base64. ``cut``: the part of the full picture."""

    data: str
    width_px: int
    height_px: int
    cut: Crop


def make_thumbnail(data: bytes, width_px: int, marked: Sequence[tuple[float, float]]) -> Thumbnail | None:
    """Return a thumbnail; None if the bytes are no picture that can be shown.

    ``marked``: spans that should be visible, top and bottom as fractions of the height.
    """
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                return None
            return _shrink(picture, width_px, marked)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None


def _shrink(picture: Image.Image, width_px: int, marked: Sequence[tuple[float, float]]) -> Thumbnail:
    cut = crop_of(picture.width, picture.height, marked)
    top, bottom = round(picture.height * cut.top), max(round(picture.height * cut.bottom), 1)
    width = min(width_px, picture.width)
    height = max(round((bottom - top) * width / picture.width), 1)
    # `convert` copies the whole picture even if it is RGB already, as screenshots are.
    plain = picture if picture.mode == "RGB" else picture.convert("RGB")
    small = plain.resize(  # pyright: ignore[reportUnknownMemberType]
        (width, height), Image.Resampling.HAMMING, box=(0, top, picture.width, bottom), reducing_gap=2.0
    )
    out = io.BytesIO()
    small.save(out, "WEBP", quality=QUALITY, method=ENCODER_EFFORT)
    exact = Crop(top / picture.height, bottom / picture.height)
    return Thumbnail(base64.b64encode(out.getvalue()).decode(), width, height, exact)

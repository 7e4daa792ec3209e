"""Small copies of pictures, by Pillow, in threads of their own: it lets go of the interpreter while it works."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from services.evidence.report.pictures import Cut, cut_of

MOST_PIXELS = 120_000_000
QUALITY = 45
EFFORT = 2
"""Of 0 to 6: above it takes twice the time for a few per cent."""


@dataclass(frozen=True)
class Small:
    """A picture as it rides in the page: WebP in base64."""

    data: str
    width_px: int
    height_px: int
    cut: Cut


def small_copy(data: bytes, width_px: int, marked: Sequence[tuple[float, float]]) -> Small | None:
    """None where the bytes are no picture that can be shown: the page then says so."""
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                return None
            return _small(picture, width_px, marked)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None


def _small(picture: Image.Image, width_px: int, marked: Sequence[tuple[float, float]]) -> Small:
    cut = cut_of(picture.width, picture.height, marked)
    top, bottom = round(picture.height * cut.top), max(round(picture.height * cut.bottom), 1)
    width = min(width_px, picture.width)
    height = max(round((bottom - top) * width / picture.width), 1)
    # Converting copies the whole picture even where it is RGB already, as screenshots are.
    plain = picture if picture.mode == "RGB" else picture.convert("RGB")
    small = plain.resize(  # pyright: ignore[reportUnknownMemberType]
        (width, height), Image.Resampling.HAMMING, box=(0, top, picture.width, bottom), reducing_gap=2.0
    )
    out = io.BytesIO()
    small.save(out, "WEBP", quality=QUALITY, method=EFFORT)
    exact = Cut(top / picture.height, bottom / picture.height)
    return Small(base64.b64encode(out.getvalue()).decode(), width, height, exact)

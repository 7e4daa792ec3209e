"""Cuts the parts of pictures that a paper shows, and makes them as small as paper needs. Pillow releases the
interpreter lock: threads cut several at once."""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image

from shared.papers.pdf_pack.crops import PictureCrop

MAX_PIXELS = 120_000_000
QUALITY = 72
TALLEST_UNBOXED = 0.62
"""Height, for its width, of the part of a picture without boxes: its top."""
WIDTHS = ((100, 1280), (400, 1000))
"""Up to how many samples a picture has how many pixels across."""
NARROWEST = 800


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
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                return None
            top, bottom = round(picture.height * crop.top), max(round(picture.height * crop.bottom), 1)
            if not crop.boxes:
                bottom = min(bottom, max(round(picture.width * TALLEST_UNBOXED), 1))
            plain = picture if picture.mode == "RGB" else picture.convert("RGB")
            part = plain.crop((0, top, picture.width, max(bottom, top + 1)))
            if part.width > width_px:
                size = (width_px, max(round(part.height * width_px / part.width), 1))
                part = part.resize(
                    size, Image.Resampling.BOX if part.width >= 2 * width_px else Image.Resampling.LANCZOS
                )
            out = io.BytesIO()
            part.save(out, "JPEG", quality=QUALITY, subsampling=0 if width_px >= 1000 else 2)
            return CutPicture(out.getvalue(), part.width, part.height, bottom / picture.height)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None

"""Pictures, opened with Pillow: whatever the bytes are, the answer is a picture or a refusal in words."""

# pyright: reportUnknownMemberType=false
# Pillow's `resize` names NumPy's arrays, which are not here.
from __future__ import annotations

import io
import struct
import threading
import zlib

from PIL import Image

from services.vision.icons.grid import MOST_ICON_PX, MOST_PX, Grid
from services.vision.questions.regions import Place, Scaled, looked_at, size_to_send
from shared.contracts.vision import AskVision
from shared.errors import InvalidMessage, PermanentError

FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG"}
MOST_PIXELS = 40_000_000
"""A page of 1280 px may be 31,000 px long; decoded that is 160 MB."""
MOST_SENT_BYTES = 3_500_000
"""Encoded in base64 this stays below the 5 MB that the Messages API takes."""
JPEG_QUALITY = 80

Image.MAX_IMAGE_PIXELS = None  # refused below, by what the header says, before a pixel is decoded

_one_at_a_time = threading.Lock()
"""The pixels of two large pictures at once could be more memory than a small machine has."""
_UNREADABLE = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    IndexError,
    TypeError,
    OverflowError,
    struct.error,
    zlib.error,
)
"""What Pillow's decoders raise for broken files."""


class OpenedPicture:
    """The part of the picture that is asked about, as pixels."""

    def __init__(self, part: Image.Image, place: Place) -> None:
        self._part, self.place = part, place

    def grid(self) -> Grid | None:
        longest = max(self._part.size)
        if longest > MOST_ICON_PX:
            return None
        factor = min(1.0, MOST_PX / longest)
        width, height = (max(1, round(side * factor)) for side in self._part.size)
        part = self._part.resize((width, height), Image.Resampling.BOX)
        return Grid(width, height, part.tobytes())

    def scaled(self) -> Scaled:
        width, height = size_to_send(*self._part.size)
        kind = Image.Resampling.NEAREST if width > self._part.width else Image.Resampling.LANCZOS
        whole = self._part.resize((width, height), kind)
        data = _encoded(whole, "PNG")
        if len(data) <= MOST_SENT_BYTES:
            return Scaled(data, "image/png", width, height)
        return Scaled(_encoded(whole, "JPEG"), "image/jpeg", width, height)


def opened(request: AskVision, data: bytes) -> OpenedPicture:
    """The part of ``data`` that the request names. Raises PermanentError (`not_a_picture`, `too_large`) and, for a
    region that lies outside of it, InvalidMessage."""
    kind = FORMATS.get(request.media_type.partition(";")[0].strip().lower())
    if kind is None:
        told = f"{request.media_type[:80]!r} is no picture that can be looked at; {', '.join(FORMATS)} are"
        raise PermanentError(told, code="not_a_picture")
    with _one_at_a_time:
        try:
            return _part_of(data, kind, request)
        except _UNREADABLE as exc:
            told = f"the bytes are no whole {kind} picture ({type(exc).__name__})"
            raise PermanentError(told, code="not_a_picture") from exc


def _part_of(data: bytes, kind: str, request: AskVision) -> OpenedPicture:
    with Image.open(io.BytesIO(data), formats=[kind]) as picture:
        size = f"{picture.width} x {picture.height} pixels"
        if picture.width * picture.height > MOST_PIXELS:
            raise PermanentError(f"a picture of {size} is too large to look at", code="too_large")
        place = looked_at(picture.width, picture.height, request.region)
        if place is None:
            raise InvalidMessage(f"the region lies outside of the picture, which is {size}")
        picture.load()
        part = picture.crop((place.left, place.top, place.right, place.bottom))
        return OpenedPicture(_on_white(part.convert("RGBA")), place)


def _on_white(part: Image.Image) -> Image.Image:
    """What is transparent in an element's picture shows the page below, which is white more often than not."""
    white = Image.new("RGBA", part.size, (255, 255, 255, 255))
    return Image.alpha_composite(white, part).convert("RGB")


def _encoded(picture: Image.Image, kind: str) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, quality=JPEG_QUALITY)
    return out.getvalue()

"""Decode, crop and encode pictures with Pillow. Bytes that are no picture raise an error of ours."""

from __future__ import annotations

import io
import struct
import threading
import zlib

from PIL import Image

from services.vision.icons.pixels import MAX_GRID_PX, MAX_ICON_PX, PixelGrid
from services.vision.regions import PixelRect, ScaledImage, region_rect, size_to_send
from shared.contracts.vision import AskVision
from shared.errors import InvalidMessage, PermanentError

FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG"}
MAX_PIXELS = 40_000_000
"""A page of 1280 px may be 31,000 px long; decoded that is 160 MB."""
MAX_SENT_BYTES = 3_500_000
"""In base64 this stays below the 5 MB limit of the Messages API."""
JPEG_QUALITY = 80

Image.MAX_IMAGE_PIXELS = None  # `_crop` checks the size in the header before it decodes

_decode_lock = threading.Lock()
"""One decode at a time: two large pictures could exceed the memory of a small machine."""
_DECODE_ERRORS = (
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
"""Errors that Pillow's decoders raise for corrupt files."""


class PillowPicture:
    """The cropped part of a picture, in RGB."""

    def __init__(self, part: Image.Image, rect: PixelRect) -> None:
        self._part, self.rect = part, rect

    def grid(self) -> PixelGrid | None:
        longest = max(self._part.size)
        if longest > MAX_ICON_PX:
            return None
        factor = min(1.0, MAX_GRID_PX / longest)
        width, height = (max(1, round(side * factor)) for side in self._part.size)
        part = self._part.resize((width, height), Image.Resampling.BOX)
        return PixelGrid(width, height, part.tobytes())

    def scaled(self) -> ScaledImage:
        width, height = size_to_send(*self._part.size)
        resampling = Image.Resampling.NEAREST if width > self._part.width else Image.Resampling.LANCZOS
        resized = self._part.resize((width, height), resampling)
        data = _encode(resized, "PNG")
        if len(data) <= MAX_SENT_BYTES:
            return ScaledImage(data, "image/png", width, height)
        return ScaledImage(_encode(resized, "JPEG"), "image/jpeg", width, height)


def open_picture(request: AskVision, data: bytes) -> PillowPicture:
    """Return the region of the picture that the request names.

    Raises PermanentError (`not_a_picture`, `too_large`), and InvalidMessage for a region outside of the picture.
    """
    kind = FORMATS.get(request.media_type.partition(";")[0].strip().lower())
    if kind is None:
        message = f"{request.media_type[:80]!r} is no picture that can be looked at; {', '.join(FORMATS)} are"
        raise PermanentError(message, code="not_a_picture")
    with _decode_lock:
        try:
            return _crop(data, kind, request)
        except _DECODE_ERRORS as exc:
            message = f"the bytes are no whole {kind} picture ({type(exc).__name__})"
            raise PermanentError(message, code="not_a_picture") from exc


def _crop(data: bytes, kind: str, request: AskVision) -> PillowPicture:
    with Image.open(io.BytesIO(data), formats=[kind]) as picture:
        size = f"{picture.width} x {picture.height} pixels"
        if picture.width * picture.height > MAX_PIXELS:
            raise PermanentError(f"a picture of {size} is too large to look at", code="too_large")
        rect = region_rect(picture.width, picture.height, request.region)
        if rect is None:
            raise InvalidMessage(f"the region lies outside of the picture, which is {size}")
        picture.load()
        part = picture.crop((rect.left, rect.top, rect.right, rect.bottom))
        return PillowPicture(_on_white(part.convert("RGBA")), rect)


def _on_white(part: Image.Image) -> Image.Image:
    """Replace transparency by white, the most common colour of a page below an element."""
    white = Image.new("RGBA", part.size, (255, 255, 255, 255))
    return Image.alpha_composite(white, part).convert("RGB")


def _encode(picture: Image.Image, kind: str) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, quality=JPEG_QUALITY)
    return out.getvalue()

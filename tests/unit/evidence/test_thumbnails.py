"""Thumbnails: their size, what they show, and which pictures are embedded unchanged."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

from services.evidence.outputs.thumbnails import MAX_UNCHANGED_BYTES, Thumbnail, make_thumbnail
from services.evidence.report.pictures import TALLEST, Crop

RED, BLUE = (200, 0, 0), (0, 0, 200)


def picture(width: int, height: int, *, blue_from: float = 1.0, mode: str = "RGB") -> Image.Image:
    """A red picture that is blue from a fraction of its height on."""
    made = Image.new("RGB", (width, height), RED)
    made.paste(BLUE, (0, round(height * blue_from), width, height))
    return made.convert(mode)


def encoded(made: Image.Image, kind: str, **options: int) -> bytes:
    out = io.BytesIO()
    made.save(out, kind, **options)
    return out.getvalue()


def shown(small: Thumbnail | None) -> Image.Image:
    assert small is not None
    opened = Image.open(io.BytesIO(base64.b64decode(small.data)), formats=(small.kind.upper(),))
    assert opened.size == (small.width_px, small.height_px)
    return opened


def is_near(pixel: object, wanted: tuple[int, int, int]) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(one - other) < 20 for one, other in zip(pixel, wanted, strict=True))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "L"])
@pytest.mark.parametrize(
    ("width", "most", "wanted"), [(1280, 720, 640), (1280, 256, 256), (900, 720, 450), (80, 720, 80)]
)
def test_it_is_no_wider_than_asked_and_keeps_the_shape(mode: str, width: int, most: int, wanted: int):
    small = shown(make_thumbnail(encoded(picture(width, width, mode=mode), "PNG"), most, ()))
    assert small.size == (wanted, wanted)


def test_all_of_a_picture_is_shown():
    small = shown(make_thumbnail(encoded(picture(1280, 1000, blue_from=0.5), "PNG"), 720, ()))
    assert is_near(small.getpixel((10, 10)), RED)
    assert is_near(small.getpixel((630, 490)), BLUE)


def test_of_a_tall_picture_the_part_with_the_values_is_shown():
    tall = encoded(picture(400, 4000, blue_from=0.7), "PNG")
    made = make_thumbnail(tall, 400, [(0.8, 0.81)])
    assert made is not None
    assert made.cut.top < 0.8 < 0.81 < made.cut.bottom
    small = shown(made)
    assert small.size == (400, 400 * TALLEST)
    assert is_near(small.getpixel((200, 599)), BLUE)
    assert is_near(shown(make_thumbnail(tall, 400, ())).getpixel((200, 599)), RED)


def test_a_small_jpeg_is_embedded_unchanged():
    data = encoded(picture(800, 562), "JPEG", quality=60)
    made = make_thumbnail(data, 256, [(0.1, 0.2)])
    assert made == Thumbnail("jpeg", base64.b64encode(data).decode(), 800, 562, Crop())


def test_a_large_or_tall_jpeg_is_shrunk():
    noise = Image.effect_noise((800, 562), 100)
    large = encoded(noise, "JPEG", quality=95)
    assert len(large) > MAX_UNCHANGED_BYTES
    assert shown(make_thumbnail(large, 256, ())).width == 200
    assert shown(make_thumbnail(encoded(picture(300, 900), "JPEG"), 256, ())).size == (150, 225)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no picture",
        encoded(picture(300, 300), "PNG")[:-40],
        encoded(Image.effect_noise((300, 300), 100), "JPEG")[:-400],
        encoded(picture(30, 30), "GIF"),
    ],
)
def test_what_cannot_be_shown_has_none(data: bytes):
    assert make_thumbnail(data, 256, ()) is None


def test_a_picture_with_too_many_pixels_has_none():
    assert make_thumbnail(encoded(Image.new("1", (12_000, 12_000)), "PNG"), 256, ()) is None

"""Which characters a font has, against the fonts themselves as Pillow draws them; what stands for the others."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from PIL import ImageFont

from shared.papers.pdf_pack.glyphs import GlyphSet, NoFont, breakable, glyphs_of, read_cmap
from shared.papers.pdf_pack.make_pack import FONTS
from tests.cases import cases

LATIN = GlyphSet([(0x20, 0x7E), (0xE9, 0xE9)])


@pytest.mark.parametrize("path", sorted(FONTS.glob("*.ttf")), ids=lambda path: path.stem)
def test_a_font_has_the_characters_that_it_is_said_to_have_and_no_others(path: Path):
    """A character that a font lacks is drawn as its first glyph, which U+10FFFF is as well."""
    font = ImageFont.truetype(path, 24)
    missing = _drawn(font, 0x10FFFF)
    said = {code for first, last in read_cmap(path) for code in range(first, last + 1)}
    assert len(said) > 50
    for code in (*range(0x41, 0x5B), *range(0x5D0, 0x5EB), *range(0x628, 0x640), *range(0xE01, 0xE2F), 0x2713, 0x4E2D):
        assert (_drawn(font, code) != missing) == (code in said), hex(code)


def _drawn(font: ImageFont.FreeTypeFont, code: int) -> bytes:
    drawn: Any = font.getmask(chr(code))
    return bytes(drawn)


@cases(
    ("text", "runs"),
    [
        ("Ann", ["Ann"]),
        ("a\u4e2db", ["a", {"code": "U+4E2D"}, "b"]),
        ("e\u0301", ["\xe9"]),
        ("\u202eab\x00", [{"code": "U+202E"}, "ab", {"code": "U+0000"}]),
        ("\ud800", [{"code": "U+D800"}]),
        ("a\r\nb\rc\td", ["a\nb\nc d"]),
        ("", []),
    ],
)
def test_what_cannot_be_shown_stands_as_its_code(text: str, runs: list[object]):
    assert GlyphSet(LATIN.ranges).runs(text) == runs


def test_each_character_that_was_not_shown_is_noted_once():
    glyphs = GlyphSet(LATIN.ranges)
    glyphs.runs("\u4e2d\u4e2d x")
    glyphs.runs("\u6587")
    assert glyphs.lacking == {"\u4e2d", "\u6587"}


def test_a_character_is_shown_if_any_of_the_fonts_has_it():
    both = glyphs_of([FONTS / "NotoSans-Regular.ttf", FONTS / "NotoSansHebrew-Regular.ttf"])
    assert both.runs("a\u05d0") == ["a\u05d0"]
    assert glyphs_of([FONTS / "NotoSans-Regular.ttf"]).runs("a\u05d0") == ["a", {"code": "U+05D0"}]


def test_a_long_word_can_be_broken_and_keeps_its_characters():
    word = "x" * 50 + "/path/" + "y" * 50
    broken = breakable(f"see {word} there")
    assert broken.replace("\u200b", "") == f"see {word} there"
    assert max(map(len, broken.replace(" ", "\u200b").split("\u200b"))) <= 18
    assert breakable("a short text with many words") == "a short text with many words"


@pytest.mark.parametrize(
    "data",
    [b"", b"no font at all", b"\0\1\0\0" + struct.pack(">H", 60000), b"ttcf" + b"\xff" * 40],
    ids=["empty", "text", "tables", "collection"],
)
def test_what_is_no_font_is_refused(tmp_path: Path, data: bytes):
    (tmp_path / "x.ttf").write_bytes(data)
    with pytest.raises(NoFont, match=r"x\.ttf is no font"):
        read_cmap(tmp_path / "x.ttf")

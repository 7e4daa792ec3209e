"""Which characters a font has, against the fonts themselves as Pillow draws them; what stands for the others."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest
import typst
from PIL import ImageFont

from shared.papers.pdf_pack.glyphs import GlyphSet, NoFont, breakable, glyphs_of, read_cmap
from shared.papers.pdf_pack.make_pack import FONTS
from tests.cases import cases

LATIN = [(0x20, 0x7E), (0xE9, 0xE9), (0x323, 0x323)]
MARKS = [(0x5D0, 0x5D0), (0x5B8, 0x5B8)]
"""A Hebrew letter and its mark, in another font."""


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
        ("q\u0323", ["q\u0323"]),
        ("q\u05b8", ["q", {"code": "U+05B8"}]),
        ("\u05d0\u05b8\u0323", ["\u05d0", {"code": "U+05B8"}, {"code": "U+0323"}]),
        ("\u0323", [{"code": "U+0323"}]),
    ],
)
def test_what_cannot_be_shown_stands_as_its_code(text: str, runs: list[object]):
    assert GlyphSet([LATIN, MARKS]).runs(text) == runs


def test_each_character_that_was_not_shown_is_noted_once():
    glyphs = GlyphSet([LATIN, MARKS])
    glyphs.runs("\u4e2d\u4e2d x")
    glyphs.runs("\u6587")
    assert glyphs.lacking == {"\u4e2d", "\u6587"}


def test_a_character_is_shown_if_any_of_the_fonts_has_it():
    both = glyphs_of([FONTS / "NotoSans-Regular.ttf", FONTS / "NotoSansHebrew-Regular.ttf"])
    assert both.runs("a\u05d0") == ["a\u05d0"]
    assert glyphs_of([FONTS / "NotoSans-Regular.ttf"]).runs("a\u05d0") == ["a", {"code": "U+05D0"}]


@pytest.mark.parametrize("seed", range(3))
def test_any_mixture_of_characters_can_be_set(tmp_path: Path, seed: int):
    """Typst refuses a text of which it has no glyph, as PDF/UA-1 asks."""
    fonts = sorted(FONTS.glob("*.ttf"))
    glyphs = glyphs_of(fonts)
    codes = sorted({code for font in fonts for first, last in read_cmap(font) for code in range(first, last + 1)})
    drawn = random.Random(seed)
    texts = ["".join(chr(drawn.choice(codes)) for _ in range(12)) for _ in range(400)]
    marks = "e\u0301\u0302\u200d\u200c\ufe0f\u0e33\u0e34\u094d\u0915\u0628\u064b\u05d0\u05b8A \xad\u2060\ufeff"
    marks += "\u2028\x85\xa0\u25cc"
    texts += ["".join(drawn.choice(marks) for _ in range(10)) for _ in range(400)]
    set_, data = tmp_path / "a.typ", tmp_path / "data.json"
    families = sorted({one.family for one in typst.Fonts(False, False, [str(FONTS)]).fonts()})
    data.write_text(json.dumps({"fonts": families, "texts": [glyphs.runs(text) for text in texts]}))
    set_.write_text(
        '#let data = json("data.json")\n#set document(title: "x")\n'
        "#set text(font: data.fonts, fallback: false, hyphenate: false)\n"
        "#for runs in data.texts { for run in runs { if type(run) == str { text(run) } }; linebreak() }\n"
    )
    given = {"font_paths": [str(FONTS)], "ignore_system_fonts": True, "pdf_standards": ["ua-1"], "timestamp": 0}
    assert typst.compile(str(set_), root=str(tmp_path), **given)


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

"""Which characters the fonts of a paper have, and what stands for those that they lack: nothing is lost in silence.

Of a font only the table `cmap` is read (OpenType, formats 4, 6, 12 and 13), of TrueType, OpenType and collections.
"""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

MOST_FONT_BYTES = 200_000_000
LONG_TOKEN = 18
"""Characters without a place to break a line, after which one is made."""
_SPACE = "\N{ZERO WIDTH SPACE}"
_AFTER = "/._-?&=:,;@+|\\"
"""A line may be broken after these."""
_JOINERS = frozenset("\u200c\u200d")
"""Invisible characters that text of some scripts needs."""
Run = str | dict[str, str]
"""A part of a text: characters as they are, or ``{"code": "U+4E2D"}`` for one that no font has."""


class NoFont(Exception):
    """A file is no font that can be used; the message says why."""


class GlyphSet:
    """The characters that can be shown, by the fonts that have them. ``lacking``: those that a text had and that could
    not be shown."""

    def __init__(self, fonts: Iterable[Iterable[tuple[int, int]]]) -> None:
        self._fonts = [frozenset(code for first, last in ranges for code in range(first, last + 1)) for ranges in fonts]
        self._any = frozenset[int]().union(*self._fonts)
        self.lacking: set[str] = set()

    def runs(self, text: str, *, lines: bool = True) -> list[Run]:
        """Return a text as runs. Characters that no font has, that steer the direction of writing, or that are no text
        are told by their code. ``lines``: line breaks stay; else they are blanks."""
        runs: list[Run] = []
        plain: list[str] = []
        whole = _composed(text).replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
        for cluster in _clusters(whole if lines else whole.replace("\n", " ")):
            together = self._shows_together(cluster)
            for letter in cluster:
                if together or self._shows(letter):
                    plain.append(letter)
                    continue
                if plain:
                    runs.append(breakable("".join(plain)))
                    plain = []
                self.lacking.add(letter)
                runs.append({"code": f"U+{ord(letter):04X}"})
        if plain:
            runs.append(breakable("".join(plain)))
        return runs

    def _shows_together(self, cluster: str) -> bool:
        """Return whether one font has a letter and all of its marks: marks of another font cannot be placed."""
        if len(cluster) == 1:
            return False
        codes = [ord(letter) for letter in cluster if letter not in _JOINERS]
        return self._shows(cluster[0]) and any(all(code in font for code in codes) for font in self._fonts)

    def _shows(self, letter: str) -> bool:
        """Return whether a letter can be shown alone."""
        if letter in "\n ":
            return True
        category = unicodedata.category(letter)
        return category[0] not in "CM" and ord(letter) in self._any


def _clusters(text: str) -> Iterator[str]:
    """Yield each letter with the marks and joiners that follow it."""
    begin = 0
    for at in range(1, len(text)):
        if not _belongs(text[at]):
            yield text[begin:at]
            begin = at
    if text:
        yield text[begin:]


def _belongs(letter: str) -> bool:
    return not letter.isascii() and (letter in _JOINERS or unicodedata.category(letter)[0] == "M")


def _composed(text: str) -> str:
    """Return the text with letters and their marks as one character where there is one; it looks the same."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def breakable(text: str) -> str:
    """Return the text with places at which a line may be broken, in words that have none."""
    if len(text) <= LONG_TOKEN:
        return text
    return " ".join(word if len(word) <= LONG_TOKEN else _with_breaks(word) for word in text.split(" "))


def _with_breaks(word: str) -> str:
    out: list[str] = []
    since = 0
    for at, letter in enumerate(word):
        out.append(letter)
        since += 1
        following = word[at + 1 : at + 2]
        stays = not following or unicodedata.combining(following) or following in _JOINERS
        if not stays and (since >= LONG_TOKEN or (letter in _AFTER and since > 3)):
            out.append(_SPACE)
            since = 0
    return "".join(out)


def glyphs_of(fonts: Iterable[Path]) -> GlyphSet:
    """Return the characters that at least one of the fonts has. Raises NoFont, OSError."""
    return GlyphSet([read_cmap(path) for path in fonts])


def plain_glyphs(font: Path) -> GlyphSet:
    """Return the characters of a font that are set one by one: Latin letters without marks of their own, digits and
    signs. Raises as :func:`glyphs_of`."""
    has = {code for first, last in read_cmap(font) for code in range(first, last + 1)}
    return GlyphSet([[(code, code) for code in (*range(0x20, 0x7F), *range(0xA1, 0x180)) if code in has]])


def read_cmap(path: Path) -> set[tuple[int, int]]:
    """Return the characters of a font file, as first and last; of a collection those of all its fonts. Raises NoFont,
    OSError."""
    if path.stat().st_size > MOST_FONT_BYTES:
        raise NoFont(f"{path.name} has more than {MOST_FONT_BYTES:,} bytes")
    data = path.read_bytes()
    try:
        offsets = [0]
        if data[:4] == b"ttcf":
            (count,) = struct.unpack_from(">I", data, 8)
            offsets = list(struct.unpack_from(f">{min(count, 64)}I", data, 12))
        return {found for offset in offsets for found in _cmap_of(data, offset)}
    except (struct.error, IndexError, ValueError) as exc:
        raise NoFont(f"{path.name} is no font that can be read: {exc}") from exc


def _cmap_of(data: bytes, offset: int) -> Iterator[tuple[int, int]]:
    (tables,) = struct.unpack_from(">H", data, offset + 4)
    for number in range(tables):
        tag, _, begin, _ = struct.unpack_from(">4sIII", data, offset + 12 + 16 * number)
        if tag == b"cmap":
            (count,) = struct.unpack_from(">H", data, begin + 2)
            for one in range(count):
                platform, encoding, at = struct.unpack_from(">HHI", data, begin + 4 + 8 * one)
                if platform == 0 or (platform == 3 and encoding in (1, 10)):
                    yield from _subtable(data, begin + at)


def _subtable(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    (form,) = struct.unpack_from(">H", data, at)
    if form == 4:
        yield from _segments(data, at)
    elif form == 6:
        first, count = struct.unpack_from(">HH", data, at + 6)
        glyphs = struct.unpack_from(f">{count}H", data, at + 10)
        yield from ((first + n, first + n) for n, glyph in enumerate(glyphs) if glyph)
    elif form in (12, 13):
        (groups,) = struct.unpack_from(">I", data, at + 12)
        if groups > 1_000_000:
            raise ValueError("too many groups of characters")
        for number in range(groups):
            first, last, glyph = struct.unpack_from(">III", data, at + 16 + 12 * number)
            if first <= last <= 0x10FFFF:
                yield (first if glyph or form == 13 else first + 1, last)


def _segments(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    (doubled,) = struct.unpack_from(">H", data, at + 6)
    count = doubled // 2
    ends = struct.unpack_from(f">{count}H", data, at + 14)
    starts = struct.unpack_from(f">{count}H", data, at + 16 + doubled)
    deltas = struct.unpack_from(f">{count}H", data, at + 16 + 2 * doubled)
    place = at + 16 + 3 * doubled
    offsets = struct.unpack_from(f">{count}H", data, place)
    for number, (first, last) in enumerate(zip(starts, ends, strict=True)):
        if first > last or first == 0xFFFF:
            continue
        if offsets[number] == 0:
            gone = (-deltas[number]) & 0xFFFF  # the character whose glyph is 0
            yield from ((one, one) for one in range(first, last + 1) if one != gone)
            continue
        for code in range(first, last + 1):
            where = place + 2 * number + offsets[number] + 2 * (code - first)
            (glyph,) = struct.unpack_from(">H", data, where)
            if glyph and (glyph + deltas[number]) & 0xFFFF:
                yield code, code

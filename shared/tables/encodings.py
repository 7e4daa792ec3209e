"""The text of a file, where its bytes or a person say how it is written; else the two likeliest ways to read it."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

CANDIDATES = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp932", "gb18030", "big5", "cp949", "mac_roman", "cp850",
    "koi8_r",
)  # fmt: skip
"""Code pages of spreadsheets and databases. The order decides between those that read a text alike."""
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SHOWN_CHARACTERS = 60
_MAX_JUDGED_BYTES = 200_000
_SWITCH = re.compile(rb"\x1b[$(]")
"""Begins the switches of ISO-2022-JP and its like, whose bytes are all ASCII."""


@dataclass(frozen=True)
class DecodedText:
    """The text of a file, and how it was read."""

    text: str
    encoding: str


@dataclass(frozen=True)
class Undecoded:
    """Why a file could not be read as text."""

    message: str


def decode_text(data: bytes, told: str = "", option: str = "--encoding") -> DecodedText | Undecoded:
    """Return the text of a file by its byte order mark, as UTF-8, or as it is ``told``; nothing is guessed.

    ``option``: what says it.
    """
    marked = "utf-16" if data.startswith(_UTF16) else "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else ""
    if told:
        return _decode_told(data, told, marked, option)
    if marked:
        says = marked.removesuffix("-sig")
        return _decode_as(data, marked) or Undecoded(f"its first bytes say {says}, and it is not")
    if b"\0" in data:
        return Undecoded("this is no text: save it as CSV (UTF-8) or as an Excel workbook (.xlsx)")
    if (decoded := _decode_as(data, "utf-8")) is not None and not _SWITCH.search(data):
        return decoded
    return Undecoded(_unproven(data, option))


def _decode_as(data: bytes, encoding: str) -> DecodedText | None:
    try:
        return DecodedText(data.decode(encoding), encoding.removesuffix("-sig"))
    except UnicodeDecodeError:
        return None


def _decode_told(data: bytes, told: str, marked: str, option: str) -> DecodedText | Undecoded:
    try:
        name = codecs.lookup(told).name
        "a".encode(name)
    except (LookupError, UnicodeError):
        return Undecoded(f"{option} {told}: there is no text encoding of this name; cp1252 and cp932 are such names")
    if marked and name.replace("-", "")[:4] != marked.replace("-", "")[:4]:
        return Undecoded(f"{option} {told}: its first bytes say {marked.removesuffix('-sig')}; leave {option} out")
    try:
        text = data.decode(marked or name)
    except UnicodeDecodeError as exc:
        line = data.count(b"\n", 0, exc.start) + 1
        return Undecoded(f"{option} {told}: line {line} has bytes ({data[exc.start : exc.end].hex()}) that it is not")
    odd = next((at for at, char in enumerate(text) if "\x80" <= char <= "\x9f" or char == "\0"), None)
    if odd is not None:
        line = text.count("\n", 0, odd) + 1
        return Undecoded(f"{option} {told}: line {line} then has the control character {text[odd]!r}, so it is another")
    return DecodedText(text, name)


def _unproven(data: bytes, option: str) -> str:
    """Return what to do about a text that is not UTF-8: a line of it in its two likeliest readings."""
    found = list(_likeliest(data))
    if not found:
        return "this is no text: save it as CSV (UTF-8) or as an Excel workbook (.xlsx)"
    readings = " and ".join(f"{line!r} as {encoding}" for encoding, line in found)
    options = " or ".join(f"{option} {encoding}" for encoding, _ in found)
    number = data.count(b"\n", 0, _first_odd(data)) + 1
    return (
        f"it is not UTF-8, and nothing in it says what it is: line {number} reads {readings}; say {options}, or save "
        "it as UTF-8"
    )


def _first_odd(data: bytes) -> int:
    found = _SWITCH.search(data) if data.isascii() else _BEYOND_ASCII.search(data)
    return found.start() if found is not None else 0


def _likeliest(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield at most two encodings, with the first line that has a letter beyond ASCII; the lines differ."""
    at = _first_odd(data)
    start = data.rfind(b"\n", 0, at) + 1
    judged = data[start : start + _MAX_JUDGED_BYTES]
    judged = judged[: judged.rfind(b"\n") + 1] or judged
    line = judged.split(b"\n", 1)[0]
    names = ("iso2022_jp", "iso2022_kr") if data.isascii() else CANDIDATES
    scored = [(-_plausibility(read.text), name) for name in names if (read := _decode_as(judged, name)) is not None]
    seen: set[str] = set()
    for _, name in sorted(scored, key=lambda one: one[0]):
        text = line.decode(name, "replace").strip()
        shown = text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 3]}..."
        if shown not in seen and len(seen) < 2:
            seen.add(shown)
            yield name, shown


def _plausibility(text: str) -> float:
    """Return how much a text looks like one that a person wrote, for each of its characters beyond ASCII."""
    total, number, run = 0.0, 0, 0
    for before, char in zip(" " + text, text, strict=False):
        if char < "\x80":
            run = 0
            continue
        number, run = number + 1, run + 1
        total += _letter_score(before, char, run) if char.isalpha() else _mark_score(char)
    return total / max(number, 1)


def _letter_score(before: str, char: str, run: int) -> float:
    latin = unicodedata.name(char, "").startswith("LATIN")
    score = 1.0
    if before.isalpha():
        same = unicodedata.name(before, "").split(" ")[0] == unicodedata.name(char, "").split(" ")[0]
        score += 1.0 if same else -2.0
        score -= 2.0 if before.islower() and char.isupper() else 0.0
    return score - (1.5 if latin and run > 2 else 0.0)


def _mark_score(char: str) -> float:
    kind = unicodedata.category(char)
    return {"Cc": -10.0, "Cn": -10.0, "Co": -10.0, "So": -2.0, "Sm": -1.0, "Sk": -1.0}.get(kind, 0.3)

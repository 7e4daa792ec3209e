"""What reading a text as a type comes to, and the forms of a text; each is one function under one name.

`tidy`: without what cannot be seen. `fold`: without case too. `label_form`: a label, without its colon, its star and
how a column is sorted. `plain`, `plain_form`: what is read as a number, date or word, and the same without case.
`bare`: words without accents. `letters_and_digits`: without signs and blanks. `bare_key`: the key of a record. For
people: `quoted` in a sentence, `printable` and `one_line` on a terminal.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

QUOTED_CHARS = 80
"""Most characters of foreign text that a message quotes."""
LABELS_KEPT = 8192
"""Cached label forms and texts made plain: the texts of a few pages."""
SHORT_CHARS = 200
"""Longer texts are not cached, so that a page cannot fill the memory with them."""

_MARKS = re.compile(r"[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""Invisible characters: direction marks, word joiners and optional line breaks. Those within an emoji, and those that
part letters of some scripts, are drawn differently and stay."""
_JOINERS = re.compile(r"[\u200c\u200d]")
_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("\u2212\u2010\u2011\ufe63\uff0d", "-"),
        **dict.fromkeys("\uff0c\u066c", ","),
        **dict.fromkeys("\uff0e\u066b", "."),
        **{"\uff0f": "/", "\uff1a": ":", "\uff08": "(", "\uff09": ")", "\uff0b": "+"},
    }
)

_KEY_MARK = re.compile(r"^[#@№]\s?(?=\w)")
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
"""Raised digits: of a footnote, an exponent or a unit, and never a digit of the number or key before them."""
_MARK = f"[{RAISED}]{{1,2}}"
_FOOTNOTE = re.compile(rf"(?<=[^\s{RAISED}\[(])(?:{_MARK}|\s?\[{_MARK}\]|\s?\({_MARK}\))$")
_IN_WORDS = str.maketrans({"\u2019": "'", "\u05f3": None, "\u060c": ","})
"""The apostrophe as it is typed; the Hebrew mark behind an abbreviation, which says no more than a dot; a comma."""
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011](?=[^\W\d_])")
"""Between two letters: a label with one is written with a blank as well, as ``E-Mail`` and ``e mail``."""
_DASHES = re.compile(r"[-\u2010-\u2015\u2212]+")
WIDE_COLONS = "：﹕︰"
"""Colons of scripts that put no white space behind them."""
_LABEL_END = re.compile(rf"\s*(?:\((?:required|optional)\))?[\s:：*{RAISED}]*$", re.I)
_SORT_SIGNS = "▲▼△▽▴▾▵▿↑↓⇅⇵↕⬆⬇⮝⮟\ufe0e\ufe0f"
_SORT_END = re.compile(rf"(?<=\S)(?:\s*[{_SORT_SIGNS}]+\s*$|[,:]?\s+sorted (?:ascending|descending)$)")


@dataclass(frozen=True)
class Normal:
    """The value in its type: str, int, float, bool or list; JSON can hold all of them."""

    value: Any


@dataclass(frozen=True)
class Invalid:
    """Why the text is not of the type, for people."""

    message: str


def tidy(text: str) -> str:
    """White space collapsed, ends trimmed, without marks that cannot be seen."""
    return " ".join((text if text.isascii() else _MARKS.sub("", text)).split())


def fold(text: str) -> str:
    """For comparing: trimmed, collapsed, without case."""
    return _short_fold(text) if len(text) <= SHORT_CHARS else tidy(text).casefold()


@lru_cache(maxsize=LABELS_KEPT)
def _short_fold(text: str) -> str:
    """The result is cached: each rule, field and check compares the same texts of a page."""
    return tidy(text).casefold()


@lru_cache(maxsize=LABELS_KEPT)
def label_form(text: str) -> str:
    """The label for comparing: without case, hyphens, trailing colon, asterisk, or what says how a column is sorted.

    The result is cached, because every text of a page is compared with the labels of every field."""
    return with_blanks(_LABEL_END.sub("", _SORT_END.sub("", fold(text))))


def with_blanks(text: str) -> str:
    """The text with a blank for each hyphen between two letters."""
    return _HYPHEN.sub(" ", text)


def is_dash(text: str) -> bool:
    """Return whether the text is nothing but dashes: it stands where there is no value."""
    return _DASHES.fullmatch(tidy(text)) is not None


def bare_key(text: str) -> str:
    """The key of a record as addresses and inputs write it: without the mark before it, so `#3` is `3` and `@ann` is
    `ann`, and without that of a footnote. `C#` stays."""
    return _FOOTNOTE.sub("", _KEY_MARK.sub("", tidy(text)))


def without_footnote(text: str) -> str:
    """The text without the raised digits at its end."""
    return _FOOTNOTE.sub("", text)


def plain(text: str) -> str:
    """For reading numbers, dates and words: any digits as 0 to 9, one kind of blank, no marks that cannot be seen."""
    return _short_plain(text) if len(text) <= SHORT_CHARS else _plain(text)


@lru_cache(maxsize=LABELS_KEPT)
def _short_plain(text: str) -> str:
    return _plain(text)


def _plain(text: str) -> str:
    return tidy("".join(map(_digit, _JOINERS.sub("", _MARKS.sub("", text)))).translate(_PUNCTUATION))


def plain_form(text: str) -> str:
    """For comparing texts that are read as numbers, dates or words: plain, and without case."""
    return fold(plain(text))


def letters_and_digits(text: str) -> str:
    """For comparing texts in which signs and blanks do not count: the letters and digits, without case."""
    return "".join(letter for letter in fold(text) if letter.isalnum())


def quoted(text: str, most: int = QUOTED_CHARS) -> str:
    """Text of others in a sentence of ours: on one line, short, in quotes."""
    line = tidy(text)
    return repr(line if len(line) <= most else f"{line[:most]} ...")


def _digit(letter: str) -> str:
    """Decimal digits of any script; a raised 2 is none, for ``10²`` is not 102."""
    value = None if letter.isascii() else unicodedata.decimal(letter, None)
    return letter if value is None else str(value)


def bare(text: str) -> str:
    """For comparing words: small letters without accents, ``3 Août`` as ``3 aout``."""
    apart = unicodedata.normalize("NFD", text.casefold().translate(_IN_WORDS))
    kept = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", kept)


def printable(text: str, stand_in: str | None = None, *, keep: str = "") -> str:
    """Return the text without anything that a terminal would obey, such as the start of an escape sequence.

    Characters that cannot be printed become ``stand_in``, or their escape (``\\x1b``) where it is None; those in
    ``keep`` stay. Line breaks cannot be printed either: keep ``"\\n"`` to keep the lines.
    """
    return "".join(one if one.isprintable() or one in keep else _escape(one, stand_in) for one in text)


def one_line(text: str) -> str:
    """Return text of others on one line, with a stand-in for each character that a terminal would obey."""
    return printable(tidy(text), "\N{REPLACEMENT CHARACTER}")


def _escape(letter: str, stand_in: str | None) -> str:
    return ascii(letter)[1:-1] if stand_in is None else stand_in

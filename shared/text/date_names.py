"""Names of months and weekdays in many languages, from the Unicode CLDR.

They stand in date_names.json, which scripts/write_date_names.py writes, and are read when a name is first asked for.
Words are compared as :func:`shared.text.normal.bare` makes them: without case, accents and dots.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

FILE = Path(__file__).with_suffix(".json")
DateOrder = Literal["dmy", "mdy", "ymd"]

LOCALES = (
    *("en", "en_GB", "de", "de_AT", "fr", "es", "es_PE", "it", "nl", "pt", "ca"),
    *("da", "sv", "no", "nn", "fi", "et", "lv", "lt"),
    *("pl", "cs", "sk", "sl", "hr", "sr", "sr_Latn", "bg", "ro", "hu", "ru", "uk"),
    *("el", "tr", "id", "vi", "ar", "he", "ja", "zh", "ko"),
)
"""Whose names are known: another language is one more entry, and the file is written anew. Those whose pages count
years in another era (Thai, Persian) do not belong here, for their dates would be read as other days."""

Meanings = Mapping[int, frozenset[str]]
"""The numbers a word stands for, each with the languages in which it does."""
Words = Mapping[str, Meanings]
NO_MEANING: Meanings = {}


def language_of(tag: str) -> str:
    """Return the language of a tag such as ``pt-BR``, as it is named here."""
    language = re.split(r"[-_]", tag.strip())[0].lower()
    return {"nb": "no", "nn": "no"}.get(language, language)


LANGUAGES = frozenset(map(language_of, LOCALES))


class DateNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that is known of how dates are written with words."""

    cldr: str
    """The version of the CLDR."""
    months: Words
    """From 1 to 12."""
    weekdays: Words
    """From Monday, 0, to 6."""
    numbered: frozenset[tuple[str, str]]
    """What stands before and behind a month's number in languages that have no names for months."""
    links: frozenset[str]
    """Words that stand between day, month and year: ``de``, ``den``."""
    orders: Mapping[str, frozenset[DateOrder]]
    """In which orders each language writes dates in numbers."""
    other_months: Mapping[str, Mapping[str, int]]
    """The months of each language that has none of :data:`LOCALES`, but for words that mean two of them."""


@cache
def date_names() -> DateNames:
    """Return the names of all languages."""
    return msgspec.json.decode(FILE.read_bytes(), type=DateNames)


@cache
def month_numbers(tag: str = "") -> Mapping[str, int]:
    """Return what each word that names a month stands for on a page in the language ``tag``.

    The page's own language settles words that mean two months in two languages; without it they are left out. A
    language that has none of :data:`LOCALES` adds its names.
    """
    language = language_of(tag)
    found = {word: _settled(meanings, language) for word, meanings in date_names().months.items()}
    known = {word: number for word, number in found.items() if number is not None}
    return {**known, **date_names().other_months.get(language, {})}


def _settled(meanings: Meanings, language: str) -> int | None:
    numbers = [number for number, languages in meanings.items() if language in languages] or list(meanings)
    return numbers[0] if len(numbers) == 1 else None

"""Names of months and weekdays in many languages, from the Unicode CLDR as Babel carries it.

The tables are made when a name is first asked for (about 0.2 s) and kept; nothing is loaded before. Words are compared
as :func:`shared.text.normal.bare` makes them: without case, accents and dots.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, cast

from shared.text.normal import bare

DateOrder = Literal["dmy", "mdy", "ymd"]

LOCALES = (
    *("en", "en_GB", "de", "de_AT", "fr", "es", "es_PE", "it", "nl", "pt", "ca"),
    *("da", "sv", "no", "nn", "fi", "et", "lv", "lt"),
    *("pl", "cs", "sk", "sl", "hr", "sr", "sr_Latn", "bg", "ro", "hu", "ru", "uk"),
    *("el", "tr", "id", "vi", "ar", "he", "ja", "zh", "ko"),
)
"""Whose names are known: another language is one more entry. Those whose pages count years in another era (Thai,
Persian) do not belong here, for their dates would be read as other days."""
_MONTHS_NOT_IN_CLDR = {"de": (("jaenner", 1), ("maerz", 3), ("mrz", 3))}
_WEEKDAYS_NOT_IN_CLDR = {"en": (("tues", 1), ("thur", 3), ("thurs", 3)), "de": (("sonnabend", 5),)}
"""From Monday, 0, as :meth:`datetime.date.weekday` counts."""

Meanings = Mapping[int, frozenset[str]]
"""The numbers a word stands for, each with the languages in which it does."""
Words = Mapping[str, Meanings]
Name = tuple[str, int]
NO_MEANING: Meanings = {}

_WORD = re.compile(r"[^\W\d_]{2,}(?:[ -][^\W\d_]+)?")
_NUMBERED = re.compile(r"(\D*)1(\D*)")
_QUOTED = re.compile(r"'([^'\d]+)'")
_PREFIX = re.compile(r"([^\W\d_A-Za-z]+)(?=[LM]{3})")


def language_of(tag: str) -> str:
    """Return the language of a tag such as ``pt-BR``, as it is named here."""
    language = re.split(r"[-_]", tag.strip())[0].lower()
    return {"nb": "no", "nn": "no"}.get(language, language)


LANGUAGES = frozenset(map(language_of, LOCALES))


@dataclass(frozen=True)
class DateNames:
    """All that is known of how dates are written with words."""

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


@cache
def date_names() -> DateNames:
    """Return the names of all languages."""
    read = [_read(name) for name in LOCALES]
    orders: defaultdict[str, set[DateOrder]] = defaultdict(set)
    for one in read:
        orders[one.language] |= one.orders
    return DateNames(
        months=_merged((one.language, one.months) for one in read),
        weekdays=_merged((one.language, one.weekdays) for one in read),
        numbered=frozenset(pair for one in read for pair in one.numbered),
        links=frozenset(link for one in read for link in one.links),
        orders={language: frozenset(found) for language, found in orders.items()},
    )


@cache
def month_numbers(tag: str = "") -> Mapping[str, int]:
    """Return what each word that names a month stands for on a page in the language ``tag``.

    The page's own language settles words that mean two months in two languages; without it they are left out. A
    language that is none of :data:`LOCALES` adds its names.
    """
    language = language_of(tag)
    found = {word: _settled(meanings, language) for word, meanings in date_names().months.items()}
    known = {word: number for word, number in found.items() if number is not None}
    return known if language in LANGUAGES else {**known, **_months_of_other(tag)}


def _settled(meanings: Meanings, language: str) -> int | None:
    numbers = [number for number, languages in meanings.items() if language in languages] or list(meanings)
    return numbers[0] if len(numbers) == 1 else None


# --- reading the CLDR


@dataclass(frozen=True)
class _LocaleNames:
    language: str
    months: frozenset[Name]
    weekdays: frozenset[Name]
    numbered: frozenset[tuple[str, str]]
    links: frozenset[str]
    orders: frozenset[DateOrder]


def _read(name: str) -> _LocaleNames:
    """What the CLDR says of a locale itself. What it inherits is read with the locale it inherits from, for Babel takes
    five times as long to merge them."""
    from babel import localedata

    data: Mapping[str, Any] = localedata.load(name, merge_inherited=False)
    _forget_loaded()
    language = language_of(name)
    patterns = {length: str(found.pattern) for length, found in data.get("date_formats", {}).items() if length}
    worded = [pattern for length, pattern in patterns.items() if length != "short"]
    prefixes = {"", *(prefix for pattern in worded for prefix in _PREFIX.findall(pattern))}
    months = [(prefix + word, number) for word, number in _written(data.get("months", {})) for prefix in prefixes]
    return _LocaleNames(
        language=language,
        months=frozenset((*_words(months), *_MONTHS_NOT_IN_CLDR.get(language, ()))),
        weekdays=frozenset((*_words(_written(data.get("days", {}))), *_WEEKDAYS_NOT_IN_CLDR.get(language, ()))),
        numbered=frozenset((found[1], found[2]) for word, _ in months if (found := _NUMBERED.fullmatch(bare(word)))),
        links=frozenset(bare(link) for pattern in worded for link in _QUOTED.findall(pattern)),
        orders=frozenset({_order(patterns["short"])} if "short" in patterns else ()),
    )


def _written(names: Mapping[str, Mapping[str, Any]]) -> Iterator[Name]:
    """In full and abbreviated, within a date and on their own. One that is an alias is written like another."""
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            found = names.get(context, {}).get(width, {})
            if isinstance(found, Mapping):
                known = cast("Mapping[int, str]", found)
                yield from ((word, number) for number, word in known.items())


def _words(names: Iterable[Name]) -> Iterator[Name]:
    """Those that are words. One letter, as some languages abbreviate weekdays, says too little."""
    found = ((bare(name).strip(" ."), number) for name, number in names)
    return ((word, number) for word, number in found if _WORD.fullmatch(word))


def _order(pattern: str) -> DateOrder:
    order = "".join(dict.fromkeys(letter.lower() for letter in pattern if letter in "dMy"))
    assert order in ("dmy", "mdy", "ymd"), pattern
    return order


def _merged(read: Iterable[tuple[str, Iterable[Name]]]) -> Words:
    found: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for language, words in read:
        for word, number in words:
            found[word][number].add(language)
    return {
        word: {number: frozenset(languages) for number, languages in meanings.items()}
        for word, meanings in found.items()
    }


@cache
def _months_of_other(tag: str) -> Mapping[str, int]:
    """The months of a language that is none of ours, as far as the CLDR has it."""
    from babel import localedata

    language = language_of(tag)
    known = re.fullmatch(r"[a-z]{2,3}", language) is not None and localedata.exists(language)
    return dict(_read(language).months) if known else {}


def _forget_loaded() -> None:
    """Babel keeps what it has loaded, half a megabyte a language."""
    from babel import localedata

    loaded: dict[str, Any] = getattr(localedata, "_cache", {})
    loaded.clear()

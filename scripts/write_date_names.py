"""``python -m scripts.write_date_names``: write date_names.json of shared/text, names of months and days.

They are those of the Unicode CLDR, as the installed Babel carries it. Its licence is written beside them, as it asks.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import msgspec
from babel import localedata
from babel.core import get_cldr_version

from shared.text.date_names import FILE, LANGUAGES, LOCALES, DateNames, DateOrder, Words, language_of
from shared.text.normal import bare

LICENCE = FILE.with_suffix(".LICENSE")
_MONTHS_NOT_IN_CLDR = {"de": (("jaenner", 1), ("maerz", 3), ("mrz", 3))}
_WEEKDAYS_NOT_IN_CLDR = {"en": (("tues", 1), ("thur", 3), ("thurs", 3)), "de": (("sonnabend", 5),)}
"""From Monday, 0, as :meth:`datetime.date.weekday` counts."""

Name = tuple[str, int]

_WORD = re.compile(r"[^\W\d_]{2,}(?:[ -][^\W\d_]+)?")
_NUMBERED = re.compile(r"(\D*)1(\D*)")
_QUOTED = re.compile(r"'([^'\d]+)'")
_PREFIX = re.compile(r"([^\W\d_A-Za-z]+)(?=[LM]{3})")


def main() -> None:
    FILE.write_text(file_text(read_cldr()), encoding="utf-8")
    LICENCE.write_text(read_licence(), encoding="utf-8")


def read_cldr() -> DateNames:
    """Return the names of all languages."""
    read = [_read(name) for name in LOCALES]
    orders: defaultdict[str, set[DateOrder]] = defaultdict(set)
    for one in read:
        orders[one.language] |= one.orders
    return DateNames(
        cldr=get_cldr_version(),
        months=_merged((one.language, one.months) for one in read),
        weekdays=_merged((one.language, one.weekdays) for one in read),
        numbered=frozenset(pair for one in read for pair in one.numbered),
        links=frozenset(link for one in read for link in one.links),
        orders={language: frozenset(found) for language, found in orders.items()},
        other_months=dict(_other_months()),
    )


def file_text(names: DateNames) -> str:
    """Return the names as JSON, in order, with a line for each word."""
    told = msgspec.to_builtins(names, str_keys=True, order="deterministic")
    return "{\n" + ",\n".join(f"{_json(key)}: {_lines(value)}" for key, value in told.items()) + "\n}\n"


def read_licence() -> str:
    """Return the licence of the CLDR, as Babel has it."""
    return (Path(localedata.__file__).parent / "locale-data" / "LICENSE.unicode").read_text(encoding="utf-8")


def _lines(value: object) -> str:
    if not isinstance(value, dict):
        return _json(value)
    items = cast("dict[str, object]", value).items()
    return "{\n" + ",\n".join(f"{_json(key)}:{_json(found)}" for key, found in items) + "\n}"


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


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
    """What the CLDR says of a locale itself. What it inherits is read with the locale it inherits from."""
    loaded: dict[str, Any] = getattr(localedata, "_cache", {})
    loaded.clear()  # one that was loaded before comes back as it was, with what it inherits
    data: Mapping[str, Any] = localedata.load(name, merge_inherited=False)
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


def _other_months() -> Iterator[tuple[str, dict[str, int]]]:
    """The months of each language of the CLDR that is none of ours, as far as it has them.

    A word that means two of them is left out: which one is not to be guessed.
    """
    for name in localedata.locale_identifiers():
        if re.fullmatch(r"[a-z]{2,3}", name) and language_of(name) not in LANGUAGES:
            months = _read(name).months
            times = Counter(word for word, _ in months)
            if certain := {word: number for word, number in months if times[word] == 1}:
                yield name, certain


if __name__ == "__main__":
    main()

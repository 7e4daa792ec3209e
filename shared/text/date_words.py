"""Dates in words: which words can be a month and a weekday, how the parts stand, and what is no date.

The words of a text are replaced by marks, one for the month and one for the weekday; what is left is matched with a few
patterns that hold for all languages. Moments that are told by how far they are from now (English, German, French and
Spanish) are recognised too: ``3 days ago`` is no date, because the clock it was counted by is not on the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from operator import itemgetter

from shared.text.date_names import NO_MEANING, Meanings, Words, date_names
from shared.text.date_numbers import NUMERIC

MONTH, WEEKDAY = "\x01", "\x02"
MAX_WAYS = 4
"""So many words at most are tried as the month, and as the weekday."""
DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|\.|\u00ba)?"
END = r"(?![\w/-])"
_MONTH = rf"{MONTH}\.?"
_LINKS_NOT_IN_CLDR = ("of", "the", "le", "el")
_TOKEN = re.compile(r"[^\W\d_]+")
_FIRST = (re.compile(r"[^\W\d_]+[ -][^\W\d_]+"), _TOKEN)

Span = tuple[int, int]


@dataclass(frozen=True)
class MarkedText:
    """A text with its month as :data:`MONTH` and, where it has one, its weekday as :data:`WEEKDAY`."""

    text: str
    month: Meanings
    weekday: Meanings


@dataclass(frozen=True)
class Patterns:
    full: tuple[re.Pattern[str], ...]
    """With groups ``y`` and ``d``."""
    without_year: tuple[re.Pattern[str], ...]
    """With a group ``d``."""
    numeric: re.Pattern[str]
    """A date in numbers behind a weekday; groups as in :data:`shared.text.date_numbers.NUMERIC`."""


@cache
def patterns() -> Patterns:
    """Return the forms in which dates with a month in words are written. Texts are plain, bare and marked."""
    known = _either(date_names().links)
    link = _either({*date_names().links, *_LINKS_NOT_IN_CLDR})
    before = rf"(?:{WEEKDAY}\.?,? (?:{link} )?)?"
    behind = rf"(?:,? {WEEKDAY}\.?)?"
    to_month = rf"(?: {link}(?=[ ']))?[ '/.-]?"
    to_year = rf"(?:,?(?: {known})?[ /.-]|(?=\d{{4}}))"
    full = (
        rf"(?P<y>\d{{4}})(?:\.? {known}\b)?[ ./-]{{1,2}}{_MONTH}[ /-]{DAY}(?: {known}\.)?{behind}{END}",
        rf"{before}(?P<y>\d{{4}})(?:\. {known})? {DAY} {_MONTH}{END}",
        rf"{before}{_MONTH} ?{DAY}(?:, ?| )(?P<y>\d{{4}}){behind}{END}",
        rf"{before}{DAY}{to_month}{_MONTH}{to_year}(?P<y>\d{{4}}|\d{{2}})(?: {known}\b)?\.?{behind}{END}",
    )
    without_year = (rf"{before}{_MONTH} ?{DAY}{END}", rf"{before}{DAY}{to_month}{_MONTH}{END}")
    numeric = re.compile(before + NUMERIC.pattern)
    return Patterns(tuple(map(re.compile, full)), tuple(map(re.compile, without_year)), numeric)


def _either(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(sorted(words, key=len, reverse=True))})"


def marked(text: str) -> Iterator[MarkedText]:
    """Yield the text (plain and bare) in each way in which one of its words is a month, and at most one a weekday."""
    if MONTH in text or WEEKDAY in text:
        return
    months = [*_spans(text, date_names().months), *_numbered(text)][:MAX_WAYS]
    weekdays = _spans(text, date_names().weekdays)[:MAX_WAYS] if months else []
    for month, meanings in months:
        for weekday, days in weekdays:
            if weekday[1] <= month[0] or weekday[0] >= month[1]:
                yield MarkedText(_replaced(text, {month: MONTH, weekday: WEEKDAY}), meanings, days)
        yield MarkedText(_replaced(text, {month: MONTH}), meanings, NO_MEANING)


def with_weekday_marked(text: str, languages: Sequence[frozenset[str]] = ()) -> MarkedText:
    """Return the text with the weekday marked that it begins with, if it does.

    A word of two letters, such as ``on`` or ``to``, is a weekday only in one of ``languages``, those of the page; one
    of three letters is none where those are known and do not have it.
    """
    for pattern in _FIRST:
        word = pattern.match(text)
        weekday = weekdays_of(word[0]) if word is not None else NO_MEANING
        known = frozenset[str]().union(*languages)
        if word is not None and (len(word[0]) <= 2 or (len(word[0]) == 3 and known)):
            weekday = {number: said & known for number, said in weekday.items() if said & known}
        if word is not None and weekday:
            return MarkedText(WEEKDAY + text[word.end() :], NO_MEANING, weekday)
    return MarkedText(text, NO_MEANING, NO_MEANING)


def with_months_marked(text: str) -> str:
    """Return the text with every word marked that can be a month."""
    return _replaced(text, dict.fromkeys((span for span, _ in _spans(text, date_names().months)), MONTH))


def weekdays_of(word: str) -> Meanings:
    return date_names().weekdays.get(word, NO_MEANING)


def _spans(text: str, words: Words) -> list[tuple[Span, Meanings]]:
    """Where words and pairs of words stand that mean something."""
    tokens = [match.span() for match in _TOKEN.finditer(text)]
    pairs = [(one[0], two[1]) for one, two in pairwise(tokens) if text[one[1] : two[0]] in (" ", "-")]
    found = ((span, words.get(text[span[0] : span[1]])) for span in (*tokens, *pairs))
    return sorted(((span, meanings) for span, meanings in found if meanings), key=itemgetter(0))


def _numbered(text: str) -> Iterator[tuple[Span, Meanings]]:
    for prefix in sorted({prefix.strip() for prefix, _ in date_names().numbered} - {""}):
        match = re.search(rf"\b{prefix}\.? ?(\d{{1,2}})(?!\d)", text) if prefix in text else None
        if match is not None and 1 <= int(match[1]) <= 12:
            yield match.span(), {int(match[1]): frozenset()}


def _replaced(text: str, marks: dict[Span, str]) -> str:
    for (start, end), mark in sorted(marks.items(), reverse=True):
        text = text[:start] + mark + text[end:]
    return text


_UNIT = (
    r"(?:s|sec|seconds?|m|min|minutes?|h|hr|hours?|d|days?|w|wk|weeks?|mo|months?|y|yr|years?)s?"
    r"|(?:sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?)"
    r"|(?:secondes?|heures?|jours?|semaines?|mois|ans?|annees?|segundos?|minutos?|horas?|dias?|semanas?|mes(?:es)?|anos?)"
)
_COUNT = (
    r"(?:(?:about|over|almost|less than|more than|etwa|environ|unos?) )?(?:\d+|an?|one|a few|few|eine[mnr]?|une?|unas?)"
)
_SPAN = rf"{_COUNT} ?(?:{_UNIT})(?:(?:,? (?:and )?){_COUNT} ?(?:{_UNIT}))?"
_CLOCK = r"\d{1,2}(?::\d{2}){1,2}(?: ?[ap]\.?m\.?)?"
_TODAY = (
    "today|tonight|yesterday|tomorrow|heute|gestern|vorgestern|morgen|ubermorgen|aujourd'?hui|hier|avant-hier|demain"
    "|hoy|ayer|anteayer|manana"
)
_AT = rf"\.?(?:,? (?:(?:at|um|a|a las) )?{_CLOCK})?"
_NOW = "(?:just )?now|moments? ago|gerade eben|jetzt"
_IN_OR_BEFORE = rf"(?:in|vor|il y a|dans|hace|en|dentro de) {_SPAN}"
_VAGUE = re.compile(
    rf"{_NOW}|{_CLOCK}|(?:{_TODAY}|(?:(?:last|next|this) )?(?:week|month|year)){_AT}"
    rf"|{_SPAN}(?: ago| from now)?|{_IN_OR_BEFORE}"
)
_FROM_NOW = re.compile(
    rf"{_NOW}|(?:{_TODAY}|(?:last|next|this) (?:week|month|year)){_AT}|{_SPAN}(?: ago| from now)|{_IN_OR_BEFORE}"
)
_VAGUE_WEEKDAY = tuple(
    re.compile(rf"(?:(?:last|next|this) )?(?P<day>{word}){_AT}") for word in (r"[^\W\d_]+", r"[^\W\d_]+[- ][^\W\d_]+")
)


def is_from_now(text: str) -> bool:
    """Whether ``text`` (bare) itself says that it counts from now. A time of day, a weekday and a span may not."""
    return _FROM_NOW.fullmatch(text) is not None


def is_vague(text: str) -> bool:
    """Whether ``text`` (bare) says a moment only by how far it is from now, or by a weekday or time of day alone."""
    if _VAGUE.fullmatch(text) is not None:
        return True
    found = (pattern.fullmatch(text) for pattern in _VAGUE_WEEKDAY)
    return any(match is not None and weekdays_of(match["day"]) for match in found)

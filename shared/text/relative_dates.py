"""Pure: moments that are told by how far they are from now, in English, German, French and Spanish.

Compared as :func:`shared.text.normal.bare` makes them. ``3 days ago`` is no date: the clock it was counted by is not on
the page.
"""

from __future__ import annotations

import re

from shared.text.date_words import weekdays_of

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
_VAGUE = re.compile(
    rf"(?:just )?now|moments? ago|gerade eben|jetzt|{_CLOCK}"
    rf"|(?:{_TODAY}|(?:(?:last|next|this) )?(?:week|month|year)){_AT}"
    rf"|{_SPAN}(?: ago| from now)?|(?:in|vor|il y a|dans|hace|en|dentro de) {_SPAN}"
)
_WEEKDAY = tuple(
    re.compile(rf"(?:(?:last|next|this) )?(?P<day>{word}){_AT}") for word in (r"[^\W\d_]+", r"[^\W\d_]+[- ][^\W\d_]+")
)


def is_vague(text: str) -> bool:
    """Whether ``text`` (bare) says a moment only by how far it is from now, or by a weekday or time of day alone."""
    if _VAGUE.fullmatch(text) is not None:
        return True
    found = (pattern.fullmatch(text) for pattern in _WEEKDAY)
    return any(match is not None and weekdays_of(match["day"]) for match in found)

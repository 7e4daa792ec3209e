"""Pure: the words of dates. English, and the months and weekdays of German, French and Spanish; no word of
them means two months or two weekdays. Compared without case and accents.
"""

from __future__ import annotations

import re
import unicodedata

_MONTHS = """
january jan januar jaenner janner janvier janv enero ene
february feb febr februar fevrier fevr fev febrero
march mar marz maerz mrz mars marzo
april apr avril avr abril abr
may mai mayo
june jun juni juin junio
july jul juli juillet juil julio
august aug aout agosto ago
september sep sept septembre septiembre setiembre
october oct oktober okt octobre octubre
november nov novembre noviembre
december dec dezember dez decembre diciembre dic
"""
_WEEKDAYS = """
monday mon montag mo lundi lun lunes
tuesday tue tues dienstag di mardi mar martes
wednesday wed mittwoch mi mercredi mer miercoles mie
thursday thu thur thurs donnerstag do jeudi jeu jueves jue
friday fri freitag fr vendredi ven viernes vie
saturday sat samstag sonnabend sa samedi sam sabado sab
sunday sun sonntag so dimanche dim domingo dom
"""


def _numbered(table: str, first: int) -> dict[str, int]:
    return {word: number for number, line in enumerate(table.split("\n")[1:-1], first) for word in line.split()}


MONTHS = _numbered(_MONTHS, 1)
WEEKDAYS = _numbered(_WEEKDAYS, 0)
"""From Monday, 0, as :meth:`datetime.date.weekday` counts."""

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
_DAYS = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_TODAY = (
    "today|tonight|yesterday|tomorrow|heute|gestern|vorgestern|morgen|ubermorgen|aujourd'?hui|hier|avant-hier|demain"
    "|hoy|ayer|anteayer|manana"
)
_NAMED = rf"(?:{_TODAY}|(?:(?:last|next|this) )?(?:{_DAYS}|week|month|year))\.?(?:,? (?:(?:at|um|a|a las) )?{_CLOCK})?"
_VAGUE = re.compile(
    rf"(?:just )?now|moments? ago|gerade eben|jetzt|{_CLOCK}|{_NAMED}|{_SPAN}(?: ago| from now)?"
    rf"|(?:in|vor|il y a|dans|hace|en|dentro de) {_SPAN}"
)


def bare(text: str) -> str:
    """Small letters without accents: ``3 Août`` to ``3 aout``."""
    apart = unicodedata.normalize("NFD", text.casefold().replace("\u2019", "'"))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def is_vague(text: str) -> bool:
    """Whether ``text`` (bare) says a moment only by how far it is from now, or by a weekday or time of day alone."""
    return _VAGUE.fullmatch(text) is not None

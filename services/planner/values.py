"""Pure: text as a page shows it, to the type the task asks for. The shown text is kept beside it.

Nothing is guessed: what can be read in two ways is invalid.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, cast

from services.planner.dates import NotADate, iso_date, iso_date_time
from shared.task_spec import base_type

QUOTED_CHARS = 80
"""The most of somebody else's text that stands in a message of ours."""

TRUE = frozenset({"true", "yes", "y", "on", "checked", "enabled", "1", "✓", "✔", "☑"})
FALSE = frozenset({"false", "no", "n", "off", "unchecked", "disabled", "0", "✗", "✘", "☐"})

_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:(?P<sep>[, '’\u00a0\u202f])\d{3})(?:(?P=sep)\d{3})*(?:\.\d+)?")
_EUROPEAN = re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+,\d+")
_SIGN = r"(?:[$€£¥]|\b(?:USD|EUR|GBP|CHF|JPY)\b)"
_CURRENCY = re.compile(rf"^([+-]?)\s*{_SIGN}\s*|\s*{_SIGN}$", re.I)
_ITEMS = re.compile(r"\s*[,;\n]\s*")


@dataclass(frozen=True)
class Normal:
    """The value in its type: str, int, float, bool or list; JSON can hold all of them."""

    value: Any


@dataclass(frozen=True)
class Invalid:
    """Why the text is not of the type, for people."""

    message: str


def tidy(text: str) -> str:
    """White space collapsed, ends trimmed."""
    return " ".join(text.split())


def fold(text: str) -> str:
    """For comparing: trimmed, collapsed, without case."""
    return tidy(text).casefold()


def quoted(text: str, most: int = QUOTED_CHARS) -> str:
    """Text of others in a sentence of ours: on one line, short, in quotes."""
    line = tidy(text)
    return repr(line if len(line) <= most else f"{line[:most]} ...")


def as_shown(raw: object) -> str:
    """A value that came as JSON, as text."""
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, list | tuple):
        return ", ".join(as_shown(item) for item in cast("Sequence[object]", raw))
    return "" if raw is None else str(raw)


def is_not_present(shown: str, words: Iterable[str]) -> bool:
    """Whether ``shown`` is one of the words by which a page says that there is nothing."""
    return fold(shown) in {fold(word) for word in words}


def normalise(type_expression: str, raw: object) -> Normal | Invalid:
    """``raw`` (text, or what a model wrote as JSON) as a value of the type. None is always invalid."""
    if raw is None:
        return Invalid("there is no value")
    kind = base_type(type_expression)
    many = isinstance(raw, list | tuple | dict)
    if many and (kind != "array" or isinstance(raw, dict)):
        return Invalid(f"more than one thing was given where one {kind} belongs")
    return _BY_TYPE[kind](cast("object", raw))


def _string(raw: object) -> Normal | Invalid:
    return Normal(tidy(as_shown(raw)))


def _number(raw: object) -> Normal | Invalid:
    if isinstance(raw, int) and not isinstance(raw, bool):
        return Normal(raw)
    if isinstance(raw, float):
        return Normal(raw) if math.isfinite(raw) else Invalid(f"{raw!r} is not a number")
    exact = _exact(raw)
    if exact is None:
        return Invalid(f"{as_shown(raw)!r} is not a number")
    return Normal(int(exact) if exact == exact.to_integral_value() and "." not in str(exact) else float(exact))


def _decimal(raw: object) -> Normal | Invalid:
    exact = _exact(raw)
    return Invalid(f"{as_shown(raw)!r} is not a decimal number") if exact is None else Normal(f"{exact:f}")


def _exact(raw: object) -> Decimal | None:
    text = _CURRENCY.sub(r"\1", tidy(as_shown(raw)).replace("−", "-"))
    if _EUROPEAN.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    elif _GROUPED.fullmatch(text):
        text = re.sub(r"[, '’\u00a0\u202f]", "", text)
    elif not isinstance(raw, float) and not _PLAIN.fullmatch(text):
        return None
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return None
    return exact if exact.is_finite() else None


def _boolean(raw: object) -> Normal | Invalid:
    word = fold(as_shown(raw))
    if word in TRUE:
        return Normal(True)
    return Normal(False) if word in FALSE else Invalid(f"{as_shown(raw)!r} is neither yes nor no")


def _date(raw: object) -> Normal | Invalid:
    return _dated(raw, iso_date)


def _date_time(raw: object) -> Normal | Invalid:
    return _dated(raw, iso_date_time)


def _dated(raw: object, read: Callable[[str], str]) -> Normal | Invalid:
    try:
        return Normal(read(tidy(as_shown(raw))))
    except NotADate as exc:
        return Invalid(str(exc))


def _array(raw: object) -> Normal | Invalid:
    if isinstance(raw, list | tuple):
        return Normal([tidy(as_shown(item)) for item in cast("Sequence[object]", raw)])
    return Normal([tidy(item) for item in _ITEMS.split(as_shown(raw)) if item.strip()])


_BY_TYPE: dict[str, Callable[[object], Normal | Invalid]] = {
    "string": _string,
    "number": _number,
    "decimal": _decimal,
    "boolean": _boolean,
    "date": _date,
    "date-time": _date_time,
    "array": _array,
}

"""What a person sees of a number under its number format, where that is more than the number.

A number keeps its value: ``1,234.50 €`` is 1234.5, and 5% is 0.05. Zeros before it and texts around or within it
belong to what is written in the cell: 42 as ``00000`` is 00042, 7 as ``"INV-"0000`` is INV-0007. A format that hides
the number, rounds what it shows in that way, or is not known, makes a flaw.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Literal

from shared.tables.cells import MAX_EXACT_NUMBER, Flaw, number_text

BUILT_IN = {
    **dict.fromkeys((0, 1, 2, 3, 4, 9, 10, 11, 12, 13, 37, 38, 39, 40, 41, 42, 43, 44, 48, 49), "General"),
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 36, *range(50, 55), 57, 58), "yyyy-mm-dd"),
    **dict.fromkeys((18, 19, 20, 21, *range(32, 36), 45, 47, 55, 56), "h:mm:ss"),
    22: "yyyy-mm-dd h:mm",
    46: "[h]:mm:ss",
}
"""Formats that a file names by number only, as far as they matter here: a number, a day, a time, a duration."""

UNKNOWN = "\0"
"""The code of a format that is named by a number which the file does not explain."""

Kind = Literal["literal", "digit", "mark", "date", "text", "general"]
Token = tuple[Kind, str]
_MARKS = frozenset(".,%?/E")
_WITHIN = frozenset(" \u00a0\u202f'")
_AROUND = _WITHIN | frozenset("()+-%")
"""What is no more than a way to write an amount, within its digits and around them."""
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_AM_PM = re.compile(r"AM/PM|A/P|上午/下午", re.IGNORECASE)
_TESTS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
}


@dataclass(frozen=True)
class FormatSection:
    """One part of a format, between semicolons. ``digits_of``: digits are written in another script."""

    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None = None
    currency: bool = False
    elapsed: bool = False
    digits_of: bool = False

    @property
    def is_date(self) -> bool:
        return self.elapsed or any(kind == "date" for kind, _ in self.tokens)

    @property
    def names_day(self) -> bool:
        """Whether a day, month or year is shown; ``m`` alone may be minutes."""
        letters = {text[0].lower() for kind, text in self.tokens if kind == "date"}
        return bool(letters & set("ydebg")) or (letters == {"m"} and not self.elapsed)

    @property
    def literals(self) -> str:
        return "".join(text for kind, text in self.tokens if kind == "literal")


@dataclass(frozen=True)
class NumberFormat:
    code: str
    sections: tuple[FormatSection, ...]
    for_text: FormatSection | None

    def section_of(self, value: float) -> tuple[FormatSection, bool] | None:
        """Return the section for a number, and whether it shows the sign by itself; None where that is unclear."""
        parts = self.sections
        if any(part.condition for part in parts):
            return _conditional(parts, value)
        if len(parts) == 1:
            return parts[0], value >= 0
        if len(parts) == 2:
            return parts[value < 0], True
        return parts[0 if value > 0 else 1 if value < 0 else 2], True


def _conditional(parts: Sequence[FormatSection], value: float) -> tuple[FormatSection, bool] | None:
    for part in parts:
        if part.condition is not None and _TESTS[part.condition[0]](value, part.condition[1]):
            return part, value >= 0
    last = parts[-1]
    return (last, value >= 0) if last.condition is None and all(part.condition for part in parts[:-1]) else None


@cache
def parse_format(code: str) -> NumberFormat:
    """Return the parts of a format code."""
    sections = [_parse_section(part) for part in _split_sections(code)]
    for_text = None
    if len(sections) > 3:
        for_text, sections = sections[3], sections[:3]
    elif any(kind == "text" for kind, _ in sections[-1].tokens):
        for_text = sections[-1]
        sections = sections[:-1] or [FormatSection((("general", ""),))]
    return NumberFormat(code, tuple(sections), for_text)


def _split_sections(code: str) -> list[str]:
    parts: list[str] = []
    start = at = 0
    while at < len(code):
        if code[at] == '"':
            end = code.find('"', at + 1)
            at = len(code) if end < 0 else end
        elif code[at] in "\\_*":
            at += 1
        elif code[at] == ";":
            parts.append(code[start:at])
            start = at + 1
        at += 1
    return [*parts, code[start:]]


def _parse_section(code: str) -> FormatSection:
    tokens: list[Token] = []
    condition, currency, elapsed, digits_of, at = None, False, False, False, 0
    while at < len(code):
        char = code[at]
        if char == '"':
            end = code.find('"', at + 1)
            end = len(code) if end < 0 else end
            tokens.append(("literal", code[at + 1 : end]))
            at = end
        elif char == "\\":
            at += 1
            tokens.append(("literal", code[at : at + 1]))
        elif char in "_*":
            at += 1  # a width, or a filling
        elif char == "[":
            end = code.find("]", at)
            end = len(code) if end < 0 else end
            inner = code[at + 1 : end]
            found = _CONDITION.fullmatch(inner.strip())
            condition = (found[1], float(found[2])) if found else condition
            currency = currency or (inner.startswith("$") and not inner.startswith("$-"))
            elapsed = elapsed or _ELAPSED.fullmatch(inner) is not None
            digits_of = digits_of or inner.upper().startswith(("DBNUM", "NATNUM"))
            at = end
        elif code[at : at + 7].lower() == "general":
            tokens.append(("general", ""))
            at += 6
        elif found := _AM_PM.match(code, at):
            tokens.append(("date", "h"))
            at = found.end() - 1
        elif char in "Ee" and code[at + 1 : at + 2] in ("+", "-"):
            tokens.append(("mark", "E"))
            at += 1
        elif char in "0#":
            tokens.append(("digit", char))
        elif char in _MARKS:
            tokens.append(("mark", char))
        elif char == "@":
            tokens.append(("text", ""))
        elif char in "yYmMdDhHsSeEbBgG":
            tokens.append(("date", char))
        else:
            tokens.append(("literal", char))
        at += 1
    return FormatSection(tuple(tokens), condition, currency, elapsed, digits_of)


def shown_text(code: str, text: str) -> str | Flaw:
    """Return a text cell as it is shown: a format may put texts around it, or hide it."""
    section = parse_format(code).for_text
    if section is None or not text:
        return text
    if not any(kind in ("text", "general") for kind, _ in section.tokens):
        return Flaw(text, f"its number format {code!r} does not show its text")
    return "".join(text if kind in ("text", "general") else part for kind, part in section.tokens)


@cache
def is_plain(code: str) -> bool:
    """Return whether all numbers are shown as numbers under this format."""
    if code == UNKNOWN:
        return False
    return all(
        part.condition is None and not part.is_date and _has_digits(part) and not _is_more_than_a_number(part)
        for part in parse_format(code).sections
    )


def _has_digits(section: FormatSection) -> bool:
    return any(kind in ("digit", "general", "text") or text == "?" for kind, text in section.tokens)


def shown_number(code: str, value: float) -> str | Flaw:
    """Return a number that is no date: as it is, or with the zeros and texts of its format."""
    typed = number_text(value)
    if abs(value) >= MAX_EXACT_NUMBER and value.is_integer():
        return Flaw(f"{value:.0f}", f"{value:.0f} has more digits than Excel keeps in a number; format it as text")
    if code == UNKNOWN:
        return Flaw(typed, "its number format is not in the file; format it as text")
    chosen = parse_format(code).section_of(value)
    if chosen is None:
        return Flaw(typed, f"what its number format {code!r} shows cannot be told; format it as text")
    section, signed = chosen
    if not _has_digits(section):
        if value == 0 and set(section.literals) <= _AROUND and section.literals:
            return typed  # the dash of a bookkeeper
        shows = f"{section.literals!r}" if section.literals else "nothing"
        return Flaw(typed, f"its number format {code!r} shows {shows} in place of {typed}")
    if not _is_more_than_a_number(section):
        return typed
    shown = _rendered(section, value)
    if shown is None or section.digits_of:
        return Flaw(typed, f"what its number format {code!r} shows of {typed} cannot be told; format it as text")
    return shown if signed else f"-{shown}"


def _is_more_than_a_number(section: FormatSection) -> bool:
    """Whether zeros before the number, or texts that are no way to write an amount, belong to what is shown."""
    whole = _before_fraction(section.tokens)
    if sum(token == ("digit", "0") for token in whole) > 1:
        return True
    is_amount = section.currency or any(kind == "mark" for kind, _ in section.tokens)
    places = [at for at, (kind, _) in enumerate(section.tokens) if kind not in ("literal", "date")]
    return not is_amount and any(
        kind == "literal" and not _is_amount_sign(text, within=places[0] < at < places[-1])
        for at, (kind, text) in enumerate(section.tokens)
    )


def _is_amount_sign(text: str, *, within: bool) -> bool:
    signs = _WITHIN if within else _AROUND
    return all(char in signs or unicodedata.category(char) == "Sc" for char in text)


def _before_fraction(tokens: Sequence[Token]) -> Sequence[Token]:
    end = next((at for at, token in enumerate(tokens) if token in (("mark", "."), ("mark", "E"))), len(tokens))
    return tokens[:end]


def _rendered(section: FormatSection, value: float) -> str | None:
    """Return the digits in their places, without a sign; None where the format rounds, or groups, or scales."""
    number = abs(Decimal(f"{value:.15g}"))
    if any(kind == "mark" and text != "." for kind, text in section.tokens):
        return None
    if any(kind == "general" for kind, _ in section.tokens):
        text = format(number, "f")
        return "".join(text if kind == "general" else part for kind, part in section.tokens) if len(text) < 12 else None
    whole = _before_fraction(section.tokens)
    fraction = section.tokens[len(whole) :]
    decimals = sum(kind == "digit" for kind, _ in fraction)
    if number != round(number, decimals):
        return None
    left, _, right = format(number, "f").partition(".")
    return _whole_part(whole, left.lstrip("0")) + _fraction_part(fraction, right.ljust(decimals, "0"))


def _whole_part(tokens: Sequence[Token], digits: str) -> str:
    left_most = next((at for at, (kind, _) in enumerate(tokens) if kind == "digit"), 0)
    shown: list[str] = []
    for at in range(len(tokens) - 1, -1, -1):
        kind, text = tokens[at]
        if kind != "digit":
            shown.append(text if kind == "literal" else "")
            continue
        taken = digits if at == left_most else digits[-1:]
        digits = digits[: len(digits) - len(taken)]
        shown.append(taken or ("0" if text == "0" else ""))
    return "".join(reversed(shown))


def _fraction_part(tokens: Sequence[Token], digits: str) -> str:
    shown, at = "", 0
    for kind, text in tokens:
        if kind == "digit":
            left = digits[at:]
            shown += digits[at : at + 1] if text == "0" or left.strip("0") else ""
            at += 1
        else:
            shown += text
    return shown

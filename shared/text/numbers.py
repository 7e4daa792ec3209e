"""Numbers as pages show them, exactly. What could be two numbers is none.

Decided so, and held by tests:

- ``1,234`` is 1234: commas in threes group. But ``1,234 €`` is none: who writes the sign behind may mean 1.234.
- ``1.234`` is none, for half of the world groups with points; ``0.125``, ``12.50`` and ``1.2345`` can only be decimals,
  ``1.234.567`` and ``1.234,56`` can only be grouped. A currency settles nothing; the element's title may.
- ``12,50`` is 12.50 where it is money (a decimal, or with a sign of currency). Else it may be two numbers.
- ``(1,234.56)`` and ``1,234.56-`` are negative, as accountants write, where they are money with a fraction or have a
  sign of currency; ``(3)`` may be a count, ``(4.75)`` a rating, and ``3-`` the beginning of a range.
- ``1,234²`` is 1234 with a footnote; ``12²`` is none, for 144 may be meant.
- ``12 %`` is none: 12 and 0.12 are both meant by it. So are ``3 apples``, ``1e5``, ``~5``, ``<5`` and ``1/2``.
- ``231k`` and ``99+`` are rounded, and none; the element's title may say the number exactly, if it fits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from shared.text.normal import Invalid, plain, quoted, without_footnote

_ID = re.compile(r"0\d")
_DOLLARS = ("USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN")
_CODES = (
    *_DOLLARS,
    *("EUR", "GBP", "CHF", "JPY", "CNY", "INR", "BRL", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "TRY", "ZAR"),
    *("KRW", "ILS", "AED", "SAR", "THB", "IDR", "MYR", "PHP", "UAH"),
)
_SIGN = r"(?:(?:US|CA|AU|NZ|HK|[ACRS])?\$|[€£¥₹₽₩₺₫₴₪₱฿₦])"
_CODE = f"(?:{'|'.join(_CODES)})"
_BEFORE = rf"(?:{_SIGN} ?|{_CODE} )"
_AFTER = rf"(?: ?{_SIGN}| {_CODE})"
_SAME = {"$": _DOLLARS, "US$": ("USD",), "€": ("EUR",), "£": ("GBP",), "¥": ("JPY", "CNY"), "₹": ("INR",)}
_AMOUNT = re.compile(
    rf"(?P<sign>[+-]?)(?: ?(?P<before>{_BEFORE}))?(?P<inner>[+-]?)"
    rf"(?P<body>\.?\d[\d., ']*?)(?P<trailing>-?)(?P<after>{_AFTER})?",
    re.I,
)
_ACCOUNTED = re.compile(rf"(?P<before>{_BEFORE}?)\((?P<within>[^()+-]+)\)(?P<after>{_AFTER}?)", re.I)

_POINT = re.compile(r"(?:\d+|[1-9]\d{0,2}(?:([, '])\d{3})(?:\1\d{3})*)(?:\.\d+)?|\.\d+")
_COMMA = re.compile(r"(?:(?:0|[1-9]\d*)|[1-9]\d{0,2}(?:([. '])\d{3})(?:\1\d{3})*),\d+|[1-9]\d{0,2}(?:\.\d{3})+")
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")
_LONE_FRACTION = re.compile(r"\d+,\d+")

_FACTORS = {
    **dict.fromkeys(("k", "tsd", "thousand"), 10**3),
    **dict.fromkeys(("m", "mn", "mio", "million", "millions"), 10**6),
    **dict.fromkeys(("b", "bn", "mrd", "billion", "billions"), 10**9),
}
_ROUNDED = re.compile(
    rf"{_BEFORE}?(?P<number>\d+(?:[.,]\d{{1,2}})?|\d{{1,3}}(?:,\d{{3}})+)"
    rf"(?: ?(?P<unit>{'|'.join(_FACTORS)})\.?)?(?P<more> ?\+)?{_AFTER}?",
    re.I,
)
_WRITTEN_OUT = re.compile(r"\d[,.' ]\d{3}(?!\d)|[.,]\d\d(?!\d)")
"""Thousands, or hundredths: a raised digit behind such a number is the mark of a footnote, not an exponent."""
MAX_CHARS = 80
"""No number that means anything is longer than this."""
_IN_WORDS = re.compile(r"\d+(?:[.,']\d+| \d{3}(?!\d))*")


@dataclass(frozen=True)
class Rounded:
    """Stands for some number above ``low`` and below ``high``; None is no bound."""

    low: Decimal
    high: Decimal | None

    def may_be(self, number: Decimal) -> bool:
        return self.low < number and (self.high is None or number < self.high)


def exact_number(shown: str, *, money: bool = False, title: str | None = None) -> Decimal | Invalid:
    """The one number ``shown`` can be. ``title`` counts only where ``shown`` leaves several open, or is rounded."""
    text = _numeric(shown)
    if len(text) > MAX_CHARS:
        return Invalid(f"{quoted(shown)} is not a number")
    unmarked = without_footnote(text)
    if _WRITTEN_OUT.search(unmarked):
        text = unmarked
    found = readings(text, money=money)
    if len(found) == 1:
        return next(iter(found))
    told = _told_by(title, money)
    if found:
        fitting = found & told
        ways = " or ".join(sorted(f"{one:f}" for one in found))
        return next(iter(fitting)) if len(fitting) == 1 else Invalid(f"{quoted(shown)} could be {ways}")
    rounded = rounded_number(text)
    if rounded is not None:
        fitting = {one for one in told if rounded.may_be(one)}
        return next(iter(fitting)) if len(fitting) == 1 else Invalid(f"{quoted(shown)} is rounded, not an exact number")
    return Invalid(_why_not(shown, text, money))


def readings(text: str, *, money: bool) -> frozenset[Decimal]:
    """Every number that the text can stand for."""
    accounted = _ACCOUNTED.fullmatch(text)
    amount = _AMOUNT.fullmatch("".join(accounted.group("before", "within", "after")) if accounted else text)
    if amount is None or not _one_currency(amount):
        return frozenset()
    signs = [sign for sign in (amount["sign"], amount["inner"], amount["trailing"], "-" if accounted else "") if sign]
    by_place = accounted is not None or bool(amount["trailing"])
    currency = bool(amount["before"] or amount["after"])
    if len(signs) > 1 or (by_place and not currency and not (money and _has_fraction(amount["body"]))):
        return frozenset()
    values = _values(amount["body"], money=money or currency, behind=bool(amount["after"]))
    return frozenset(one.copy_negate() if signs == ["-"] else one for one in values)


def same_number(one: str, other: str) -> bool | None:
    """Return whether both are the same number, in whatever notation; of "1.234" either number may be meant. None: they
    are no numbers, or one is an id with a zero in front."""
    if any(_ID.match(text.strip()) for text in (one, other)):
        return None
    here, there = readings(one.strip(), money=True), readings(other.strip(), money=True)
    return bool(here & there) if here and there else None


def rounded_number(text: str) -> Rounded | None:
    """What ``231k``, ``1.2M`` or ``99+`` leaves open; None where the text is nothing of that kind."""
    match = _ROUNDED.fullmatch(text)
    if match is None or not (match["unit"] or match["more"]):
        return None
    digits = match["number"]
    grouped = _THOUSANDS.fullmatch(digits) is not None or digits.count(",") > 1
    number = Decimal(digits.replace(",", "" if grouped else "."))
    factor = _FACTORS[match["unit"].lower()] if match["unit"] else 1
    unit = Decimal(1).scaleb(int(number.as_tuple().exponent)) * factor
    low = number * factor - unit
    return Rounded(low, None if match["more"] else number * factor + unit)


# --- what the parts mean


def _numeric(shown: str) -> str:
    return plain(shown).replace("\u2019", "'")


def _values(body: str, *, money: bool, behind: bool) -> set[Decimal]:
    if _THOUSANDS.fullmatch(body) and not behind:
        return {Decimal(body.replace(",", ""))}
    found: set[Decimal] = set()
    if _POINT.fullmatch(body):
        found.add(Decimal(re.sub("[, ']", "", body)))
    if _COMMA.fullmatch(body) and (money or not _LONE_FRACTION.fullmatch(body)):
        found.add(Decimal(re.sub("[. ']", "", body).replace(",", ".")))
    return found


def _has_fraction(body: str) -> bool:
    return re.search(r"[.,]\d{1,2}$", body) is not None


def _one_currency(amount: re.Match[str]) -> bool:
    """``$5 USD`` names one currency twice, ``$5 €`` two."""
    before, after = ((amount[side] or "").strip().upper() for side in ("before", "after"))
    return not before or not after or after in _SAME.get(before, ())


def _told_by(title: str | None, money: bool) -> set[Decimal]:
    """The numbers that a title can stand for: it is one, or has exactly one among its words."""
    if title is None:
        return set()
    text = _numeric(title)
    if len(text) > MAX_CHARS:
        return set()
    whole = readings(text, money=money)
    if whole:
        return set(whole)
    found = list(_IN_WORDS.finditer(text))
    if len(found) != 1 or _is_part(found[0], text):
        return set()
    return set(readings(found[0][0], money=money))


def _is_part(match: re.Match[str], text: str) -> bool:
    """Of a word, a version, a percentage, a negative number: more than the digits alone."""
    return text[: match.start()][-1:] not in ("", *" (") or text[match.end() :][:1] not in ("", *" ,.;:)")


def _why_not(shown: str, text: str, money: bool) -> str:
    if re.search(r"\d ?(?:%|\u2030|per ?cent)$", text, re.I):
        return f"{quoted(shown)} is a percentage, which can be written in two ways as a number"
    if _LONE_FRACTION.fullmatch(text):
        return f"{quoted(shown)} is not a number: it may have a fraction, or be two"
    return f"{quoted(shown)} is not a {'decimal ' if money else ''}number"

"""Which element, option or address is meant, and the messages when that is not certain."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from urllib.parse import urlsplit

import msgspec

from shared.contracts.error_codes import ActionCode
from shared.text.normal import fold, tidy

MAX_LISTED = 20

_UNREACHABLE = (
    *("ERR_NAME_NOT_RESOLVED", "ERR_CONNECTION_", "ERR_ADDRESS_", "ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_"),
    *("ERR_SSL_", "ERR_CERT_", "ERR_EMPTY_RESPONSE", "ERR_SOCKET_", "ERR_TUNNEL_", "ERR_PROXY_", "ERR_UNSAFE_PORT"),
)
_NUMBER = re.compile(r"(-)?[^\w.,-]*(\d{1,3}(?:[.,'\s]\d{3})+|\d*)(?:[.,](\d{1,2}|\d{4,}))?[^\w.,-]*")
_NET_ERROR = re.compile(r"net::(ERR_[A-Z0-9_]+)")


def ambiguous(wanted: str, listed: Sequence[str], count: int) -> str:
    shown = "; ".join(listed[:MAX_LISTED])
    more = f"; and {count - MAX_LISTED} more" if count > MAX_LISTED else ""
    return (
        f"{wanted} matches {count} elements, and it must match exactly one: {shown}{more}. Use the ref of one of them."
    )


def not_found_message(wanted: str, nearby: Sequence[str], more: int) -> str:
    if not nearby:
        return f"nothing on the page matches {wanted}, and nothing on it can be acted on"
    rest = f"; and {more} more" if more > 0 else ""
    return f"nothing on the page matches {wanted}. What can be acted on: {'; '.join(nearby[:MAX_LISTED])}{rest}"


def pick_option(options: Sequence[tuple[str, str, bool]], wanted: str) -> int | None:
    """Return the index of the one option (label, value, disabled) that ``wanted`` names, by label, by label without
    case, or by value; None for none or several."""
    goal = wanted.strip()
    for same in (
        [index for index, (label, _, _) in enumerate(options) if label == goal],
        [index for index, (label, _, _) in enumerate(options) if label.casefold() == goal.casefold()],
        [index for index, (_, value, _) in enumerate(options) if value == goal],
    ):
        if same:
            return same[0] if len(same) == 1 else None
    return None


def no_such_option(options: Sequence[tuple[str, str, bool]], wanted: str) -> str:
    labels = [f'"{label}"' for label, _, _ in options]
    listed = ", ".join(labels[:50]) + (f" and {len(labels) - 50} more" if len(labels) > 50 else "")
    return f'"{wanted}" is not exactly one of the options: {listed or "there are none"}'


def says_the_same(typed: str, read: str) -> bool:
    """Return whether a field holds what was typed. A field may format it (spaces, dashes, case), not change it."""
    if typed.strip() == read.strip():
        return True
    numbers = [_number(text) for text in (typed, read)]
    if None not in numbers and re.search(r"[.,]|^\s*-|\n-", f"{typed}\n{read}"):
        return numbers[0] == numbers[1]  # a lost sign or decimal point changes the number
    significant = [re.sub(r"[^\w]", "", text).casefold() for text in (typed, read)]
    return bool(significant[0]) and significant[0] == significant[1]


def number_in(text: str) -> Decimal | None:
    """Return the number that a text is: as programs write it (``0.125``), else as people do (``1,234.50``, ``$ 7``,
    ``70 %``). None where it is none."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return _number(text) if any(mark.isdecimal() for mark in text) else None
    return number if number.is_finite() else None


def search_text(option: str) -> str:
    """Return what is typed to find an option: up to the first mark that fields of several values take for the end of
    one."""
    found = re.match(r"[^,;\t\r\n]+", option.strip())
    return found[0].strip() if found and len(found[0].strip()) >= SHORTEST_SEARCH else option.strip()


def _number(text: str) -> Decimal | None:
    """Return the number for ``1,234.50``, ``1.234,50``, ``-5`` or ``$ 7``. Thousands and decimals are told apart by the
    digits after the mark."""
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    whole, cents = re.sub(r"[.,'\s]", "", found[2]), found[3] or ""
    return Decimal(f"{'-' if found[1] else ''}{whole or 0}.{cents or 0}")


def refused_address(url: str) -> str | None:
    """Return why ``url`` may not be opened, or None. Only http and https addresses with a host may."""
    try:
        parts = urlsplit(url)
    except ValueError as exc:
        return f"{url!r} is not a URL: {exc}"
    if parts.scheme.lower() not in ("http", "https"):
        return f"{url!r} is not opened: only http and https addresses are"
    return None if parts.hostname else f"{url!r} names no host"


def navigation_code(message: str) -> ActionCode:
    """Return the result code for a navigation error of the browser."""
    found = _NET_ERROR.search(message)
    if found is None:
        return "failed"
    if "TIMED_OUT" in found[1]:
        return "timeout"
    return "unreachable" if found[1].startswith(_UNREACHABLE) else "failed"


def net_error(message: str) -> str:
    """Return the browser's error name (``ERR_...``), else the first line."""
    found = _NET_ERROR.search(message)
    return found[1] if found else first_line(message)


def first_line(message: str) -> str:
    """Return the first line of a Playwright message, without its call log."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", message).strip()
    return text.splitlines()[0].strip() if text else "no reason was given"


def blocker(message: str) -> str | None:
    """Return the line of Playwright's call log that names what blocked the action, if any."""
    for text in reversed(re.sub(r"\x1b\[[0-9;]*m", "", message).splitlines()):
        if "intercepts pointer events" in text or "element is not" in text or "outside of the viewport" in text:
            return text.strip(" -•")[:300]
    return None


def fingerprint(tag: str, role: str, name: str, type_: str, path: str) -> str:
    """Return 16 hex digits that are stable across loads of a page."""
    return hashlib.sha256("\x1f".join((tag, role, name, type_, path)).encode("utf-8", "replace")).hexdigest()[:16]


# --- the options that a control offers

MAX_OPTIONS_LISTED = 50
SHORTEST_SEARCH = 3
"""A shorter beginning finds too much."""


class Offer(msgspec.Struct, frozen=True):
    """One option. ``parts``: its pieces of text, where there are several. ``more``: it opens a submenu. ``marks``: it
    reports whether it is selected."""

    name: str
    parts: tuple[str, ...] = ()
    disabled: bool = False
    selected: bool = False
    more: bool = False
    marks: bool = False


def matching_options(offers: Sequence[Offer], wanted: str) -> tuple[int, ...]:
    """Return the indexes of the options that ``wanted`` names: by the whole text, without case, then by a whole piece.

    Several indexes mean that it is ambiguous. A part of a word never matches.
    """
    goal = tidy(wanted)
    for same in (
        [n for n, offer in enumerate(offers) if offer.name == goal],
        [n for n, offer in enumerate(offers) if fold(offer.name) == fold(goal)],
        [n for n, offer in enumerate(offers) if goal in offer.parts],
        [n for n, offer in enumerate(offers) if fold(goal) in {fold(part) for part in offer.parts}],
    ):
        if same and goal:
            return tuple(same)
    return ()


def options_in_words(names: Iterable[str]) -> str:
    """Return the options in words, each once."""
    each = list(dict.fromkeys(f'"{name[:120]}"' for name in names if name))
    more = f" and {len(each) - MAX_OPTIONS_LISTED} more" if len(each) > MAX_OPTIONS_LISTED else ""
    return (", ".join(each[:MAX_OPTIONS_LISTED]) + more) or "there are none"


def shows_option(value: str, offer: Offer) -> bool:
    """Return whether a control's text shows the option, alone or among several."""
    shown = fold(value)
    if not shown:
        return False
    for text in (offer.name, *offer.parts):
        name = fold(text)
        if name and (
            name == shown or f" {name} " in f" {_spaced(shown)} " or f" {_spaced(name)} " in f" {_spaced(shown)} "
        ):
            return True
    return False


def _spaced(text: str) -> str:
    """Replace the marks between several values, and those that remove one, by spaces."""
    return tidy("".join(" " if mark in ",;|×✕✖▼▾▲⌄\n" else mark for mark in text))


def menu_path(option: str) -> tuple[str, ...]:
    """Return the path through a menu (``File > Export > PDF``); one step when there is no separator."""
    return tuple(part.strip() for part in option.split(" > ") if part.strip())

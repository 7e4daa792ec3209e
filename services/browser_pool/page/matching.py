"""Pure: which element, option or address was meant, and the words for a person when it cannot be told."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from decimal import Decimal
from urllib.parse import urlsplit

from shared.contracts.codes import ActionCode

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


def not_found(wanted: str, nearby: Sequence[str], more: int) -> str:
    if not nearby:
        return f"nothing on the page matches {wanted}, and nothing on it can be acted on"
    rest = f"; and {more} more" if more > 0 else ""
    return f"nothing on the page matches {wanted}. What can be acted on: {'; '.join(nearby[:MAX_LISTED])}{rest}"


def pick_option(options: Sequence[tuple[str, str, bool]], wanted: str) -> int | None:
    """Index of the one option (label, value, disabled) that is meant: by label, by label but for case, by value."""
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
    """Whether a field holds what was typed; a field may format it (spaces, dashes, case), not change it."""
    if typed.strip() == read.strip():
        return True
    numbers = [_number(text) for text in (typed, read)]
    if None not in numbers and re.search(r"[.,]|^\s*-|\n-", f"{typed}\n{read}"):
        return numbers[0] == numbers[1]  # a sign or a point that was lost makes another number
    kept = [re.sub(r"[^\w]", "", text).casefold() for text in (typed, read)]
    return bool(kept[0]) and kept[0] == kept[1]


def _number(text: str) -> Decimal | None:
    """``1,234.50``, ``1.234,50``, ``-5`` and ``$ 7`` as numbers; what groups thousands is told from what parts cents
    by what follows it."""
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    whole, cents = re.sub(r"[.,'\s]", "", found[2]), found[3] or ""
    return Decimal(f"{'-' if found[1] else ''}{whole or 0}.{cents or 0}")


def refused_address(url: str) -> str | None:
    """Why ``url`` may not be opened, or None. Only web pages are; never a file, a script or a browser page."""
    try:
        parts = urlsplit(url)
    except ValueError as exc:
        return f"{url!r} is not a URL: {exc}"
    if parts.scheme.lower() not in ("http", "https"):
        return f"{url!r} is not opened: only http and https addresses are"
    return None if parts.hostname else f"{url!r} names no host"


def navigation_code(message: str) -> ActionCode:
    """The result code for what the browser said when it could not load a page."""
    found = _NET_ERROR.search(message)
    if found is None:
        return "failed"
    if "TIMED_OUT" in found[1]:
        return "timeout"
    return "unreachable" if found[1].startswith(_UNREACHABLE) else "failed"


def net_error(message: str) -> str:
    found = _NET_ERROR.search(message)
    return found[1] if found else first_line(message)


def first_line(message: str) -> str:
    """What Playwright says, without its call log."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", message).strip()
    return text.splitlines()[0].strip() if text else "no reason was given"


def blocker(message: str) -> str | None:
    """The line of Playwright's call log that says what stood in the way, if one does."""
    for text in reversed(re.sub(r"\x1b\[[0-9;]*m", "", message).splitlines()):
        if "intercepts pointer events" in text or "element is not" in text or "outside of the viewport" in text:
            return text.strip(" -•")[:300]
    return None


def fingerprint(tag: str, role: str, name: str, type_: str, path: str) -> str:
    """16 hex digits that stay the same across loads of a page."""
    return hashlib.sha256("\x1f".join((tag, role, name, type_, path)).encode("utf-8", "replace")).hexdigest()[:16]

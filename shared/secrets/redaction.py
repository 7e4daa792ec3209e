"""Removes secrets from everything that leaves a process that knows them, in the forms that pages write them.

Found is what ordinary pages do: show a secret, put it into an address, quote it in a script or in HTML, or cut it off
with an ellipsis. A page that reverses or spells a secret is not covered. A part of a secret in other words is no
secret: with the password `admin123`, "Django site admin" is evidence and stays.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeVar, cast
from urllib.parse import quote, quote_plus

import msgspec

from shared.contracts.browser_pool import HIDDEN_VALUE, Element

SHORT = 4
"""A shorter secret is hidden only where it stands alone: it would be part of many words."""
CASELESS = 6
"""From this length on, a secret is found regardless of case."""
WORD = 8
"""A shorter secret of letters only is a word that pages use, too. It is hidden where it is the whole text, or a whole
value in quotes, in an address or behind a colon."""
CUT_SHARE = 0.6
"""What is left of a secret that was cut off counts from this share of it on."""
OURS = frozenset({
    *("code", "kind", "sha256", "blob", "snapshot_id", "session_id", "instance_id", "fingerprint", "tag"),
    *("capture_id", "observation_sha256", "media_type", "suffix"),
})  # fmt: skip
"""Fields that no page can influence. Replacing an equal word in them would break the message."""
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f"*/:<>?\\|~]')
"""Characters that a browser replaces by ``_`` in file names."""

_BEFORE_VALUE = r"""(?:(?<=["'=/:>?&@(\[,])|(?<=[:=>]\s)|(?<=%3D)|(?<=%2F)|(?<=%22)|^)"""
_AFTER_VALUE = r"""(?=\s?(?:$|["'&/<;\\%@#?)\],]))"""

MessageT = TypeVar("MessageT", bound=msgspec.Struct)


def redacted(message: MessageT, secrets: Iterable[str]) -> MessageT:
    """Return the message with the secrets replaced in all its texts."""
    pattern = _pattern(tuple(sorted(frozenset(secrets) - {""})))
    return message if pattern is None else cast("MessageT", _struct(message, pattern))


def redacted_text(text: str, secrets: Iterable[str]) -> str:
    """Return the text with the secrets replaced."""
    pattern = _pattern(tuple(sorted(frozenset(secrets) - {""})))
    return text if pattern is None else _text(text, pattern)


def _struct(message: msgspec.Struct, pattern: re.Pattern[str]) -> msgspec.Struct:
    changed: dict[str, Any] = {}
    for name in message.__struct_fields__:
        value = getattr(message, name)
        clean = value if name in OURS else _any(value, pattern)
        if clean is not value:
            changed[name] = clean
    if isinstance(message, Element) and changed.get("value") == HIDDEN_VALUE:
        changed["secret"] = True
    return msgspec.structs.replace(message, **changed) if changed else message


def _any(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return _text(value, pattern)
    if isinstance(value, msgspec.Struct):
        return _struct(value, pattern)
    if isinstance(value, tuple | list):
        many = cast("tuple[Any, ...]", value)
        clean = [_any(one, pattern) for one in many]
        if all(a is b for a, b in zip(clean, many, strict=True)):
            return many
        return clean if isinstance(value, list) else tuple(clean)
    return value


def _text(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(HIDDEN_VALUE, text) if pattern.search(text) else text


@lru_cache(maxsize=256)
def _pattern(secrets: tuple[str, ...]) -> re.Pattern[str] | None:
    """Match the longest form first, so that no rest of a longer one remains."""
    found = {form: secret for secret in secrets for form in forms(secret)}
    if not found:
        return None
    ordered = sorted(found, key=len, reverse=True)
    ends = [_cut_off(secret) for secret in secrets if len(secret) >= 2 * SHORT]
    return re.compile("|".join([*(_expression(form, found[form]) for form in ordered), *ends]))


def _expression(form: str, secret: str) -> str:
    # White space is reported as single blanks, whatever the page has.
    known = r"\s+".join(re.escape(part) for part in form.split()) if form.split() else re.escape(form)
    return as_whole(f"(?i:{known})" if len(secret) >= CASELESS else known, secret)


def as_whole(known: str, secret: str) -> str:
    """Return the expression for a secret where it stands as a whole. `known`: the expression for its letters.

    One with digits or signs stands for itself wherever it is; letters alone may be part of another word.
    """
    if is_word(secret):
        return rf"{_BEFORE_VALUE}{known}{_AFTER_VALUE}"
    if len(secret) < SHORT or secret.isalpha():
        return rf"(?<!\w){known}(?!\w)"
    return known


def is_word(secret: str) -> bool:
    """Return whether the secret is a short word, which pages use for other things as well."""
    return secret.isalpha() and SHORT <= len(secret) < WORD


def _cut_off(secret: str) -> str:
    """Match the beginning of a secret before the ellipsis at the end of a text that was cut there."""
    least = max(SHORT, int(len(secret) * CUT_SHARE))
    beginnings = [re.escape(secret[:size]) for size in range(len(secret) - 1, least - 1, -1)]
    return rf"(?<!\w)(?:{'|'.join(beginnings)})(?=\s?(?:\.\.\.|…)$)" if beginnings else r"(?!)"


def forms(secret: str) -> frozenset[str]:
    """Return the ways in which pages write a secret."""
    plain = {secret, secret.strip()} - {""}
    escaped = {html.escape(one) for one in plain} | {html.escape(one, quote=False) for one in plain}
    in_address = {
        write(one, safe=safe) for one in plain for write in (quote, quote_plus) for safe in ("", "/", "!~*'()")
    }
    twice = {quote(one, safe="") for one in in_address}
    in_script = {json.dumps(one)[1:-1] for one in plain} | {json.dumps(one, ensure_ascii=False)[1:-1] for one in plain}
    in_names = {_NOT_IN_NAMES.sub("_", one) for one in plain}
    return frozenset(plain | escaped | in_address | twice | in_script | in_names | _in_base64(secret))


def _in_base64(secret: str) -> set[str]:
    data = secret.encode()
    if len(data) < CASELESS:
        return set()
    return {write(data).decode().rstrip("=") for write in (base64.b64encode, base64.urlsafe_b64encode)}

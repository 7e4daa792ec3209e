"""Words that say something of a record: ids that are one id in two forms, and what stands for a value that is still to
come."""

from __future__ import annotations

import re

from shared.text.list_words import LOADING
from shared.text.normal import bare_key, fold

LEAST_WHOLE_HASH_CHARS = 32
_NUMBERED = re.compile(r"([^\W\d_]{2,})\s?(\d+)")
_HASH = re.compile(r"[0-9a-f]{7,64}", re.I)
_PENDING = re.compile(r"(?:loading|please wait|fetching)\b.{0,20}|[.…]{1,3}", re.I)
_UNFILLED = re.compile(r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|<%.*%>|\{%.*%\}|undefined|null|NaN|\[object [A-Z]\w*\]")
"""What a template shows that was not filled in."""
_MASKED = re.compile(r"[•●∙⬤*]{3,}")
"""What stands for a value that is kept from view."""
_FAILED = re.compile(
    r"error\s*:.{0,60}"
    r"|(?:\S+ ){0,3}(?:could not|cannot|can't|couldn't|failed to|unable to)(?: be)?"
    r" (?:load|fetch|retriev|display|show)\w*(?: \S+){0,4}",
    re.I,
)
"""What says that a value did not come."""
_LOADING = frozenset(fold(word) for words in LOADING.values() for word in words)


def is_equal_text(one: str, other: str) -> bool:
    """Return whether two texts are equal but for case, white space and a mark before a key: `#3` is `3`, and `Issue 3`
    is `Issue3`."""
    if fold(one) == fold(other) or fold(bare_key(one)) == fold(bare_key(other)):
        return True
    parts = word_and_number(one)
    return parts is not None and parts == word_and_number(other)


def word_and_number(text: str) -> tuple[str, str] | None:
    """Return the parts of a text that is a word and a number, folded, such as `Issue3` and `Issue 3`; None for others.

    Digits are kept as written: `Issue 03` is another text."""
    match = _NUMBERED.fullmatch(fold(text))
    return None if match is None else (match[1], match[2])


def is_same_id(one: str, other: str) -> bool:
    """Return whether two texts name one record: equal ones, or a hash and its beginning of at least 7 digits."""
    return is_equal_text(one, other) or is_same_hash(one, other)


def is_hash(value: str) -> bool:
    """Return whether the text is a hash, or the beginning of one: at least 7 hex digits, of which some are letters."""
    return _HASH.fullmatch(value) is not None and any(c.isdigit() for c in value) and not value.isdecimal()


def is_same_hash(one: str, other: str) -> bool:
    """Return whether two texts are one hash: equal, or the shorter is the beginning of the longer.

    A short one of digits alone may be a number, so the other must be a whole hash then.
    """
    short, long = sorted((fold(one), fold(other)), key=len)
    if not long.startswith(short) or _HASH.fullmatch(short) is None or not is_hash(long):
        return False
    return is_hash(short) or len(long) >= LEAST_WHOLE_HASH_CHARS


def find_mention(text: str, value: str) -> str | None:
    """Return the value as written in the text, as a word of its own, or None: `1001` does not mention `100`."""
    if not value.strip():
        return None
    words = r"\s+".join(re.escape(word) for word in value.split())
    match = re.search(rf"(?<![\w-]){words}(?![\w-])", text, re.I)
    return match[0] if match else None


def is_pending(text: str) -> bool:
    """Return whether the text is a placeholder, shown until the value arrives.

    In other languages it is a word for loading with dots behind it, because without them "Processing" may be a value.
    """
    if any(form.fullmatch(text.strip()) for form in (_PENDING, _UNFILLED, _MASKED, _FAILED)):
        return True
    word, dots, _ = fold(text).rstrip().replace("…", "...").partition("..")
    return bool(dots) and word.rstrip() in _LOADING

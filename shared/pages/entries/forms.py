"""Patterns made of texts: their form with other letters and digits, and their words as they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shared.text.record_words import is_hash

MAX_FORM_CHARS = 60
_RUN = re.compile(r"[A-Za-z0-9]+|.", re.S)
_SPECIAL = frozenset(r"\.+*?()|[]{}^$")
HASH_FORM = "[0-9a-f]{7,40}"


def form_of_text(text: str) -> str:
    """Return a pattern of the texts that have this form: `R-231` has that of `TCK-7`. Empty where no digit says so."""
    if is_hash(text):
        return HASH_FORM
    if len(text) > MAX_FORM_CHARS or not any(map(str.isdigit, text)):
        return ""
    return "".join(_form_of_run(run) for run in _RUN.findall(text))


def form_against(text: str, others: Sequence[str]) -> str:
    """Return a pattern of texts like this one and unlike all others, by the signs and digits that only one of them has;
    empty where none tells them apart."""
    own, theirs = _signs(text), [_signs(other) for other in others]
    foreign = frozenset[str]().union(*theirs) - own
    if foreign and all(signs & foreign for signs in theirs):
        return f"[^{_as_class(foreign)}]+"
    special = own - frozenset[str]().union(*theirs)
    return f".*[{_as_class(special)}].*" if special else ""


def _signs(text: str) -> frozenset[str]:
    return frozenset("0" if one.isdigit() else one for one in text if not (one.isalpha() or one.isspace()))


def _as_class(signs: frozenset[str]) -> str:
    return "".join("0-9" if one == "0" else f"\\{one}" if one in r"\]^-[&~#" else one for one in sorted(signs))


def _form_of_run(run: str) -> str:
    if not run[0].isascii() or not run[0].isalnum():
        return literal(run)
    letters = "A-Z" if run.isupper() or run.isdigit() else "a-z" if run.islower() else "A-Za-z"
    parts = (letters if any(map(str.isalpha, run)) else "", "0-9" if any(map(str.isdigit, run)) else "")
    return f"[{''.join(parts)}]+"


def literal(text: str) -> str:
    """Return a pattern of exactly this text, but for its numbers."""
    return re.sub(r"[0-9]+", "[0-9]+", "".join(f"\\{one}" if one in _SPECIAL else one for one in text))


def grouped(pattern: str) -> str:
    """Return a pattern that others may be put beside."""
    return f"(?:{pattern})" if "|" in pattern else pattern

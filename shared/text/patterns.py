"""Patterns that a spec gives for texts of pages: regular expressions in the syntax of RE2, without look-around and
back-references, so that matching a text takes time in proportion to its length."""

from __future__ import annotations

from functools import lru_cache

from pydantic_core import SchemaError, SchemaValidator, core_schema

from shared.text.normal import tidy

MAX_PATTERN_CHARS = 300
MAX_TEXT_CHARS = 10_000
"""A longer text fits no pattern."""


def find_pattern_problem(pattern: str) -> str:
    """Return what is wrong with a pattern, in one line; empty when it can be used."""
    if len(pattern) > MAX_PATTERN_CHARS:
        return f"a pattern has at most {MAX_PATTERN_CHARS} characters"
    try:
        _whole(pattern)
    except SchemaError as exc:
        return tidy(str(exc)).rpartition("error: ")[2] or "it is no regular expression"
    return ""


def fits_pattern(pattern: str, text: str) -> bool:
    """Return whether the whole text fits, with white space collapsed and trimmed. An empty pattern fits all texts.

    A blank at an end of the pattern stands for the white space that was trimmed: people write ``by .*`` as ``by `` and
    ``.*``.
    """
    shown = tidy(text)
    if not pattern or len(shown) > MAX_TEXT_CHARS:
        return not pattern
    padded = " " * pattern.startswith(" ") + shown + " " * pattern.endswith(" ")
    return any(_whole(pattern).isinstance_python(one) for one in dict.fromkeys((shown, padded)))


@lru_cache(maxsize=256)
def _whole(pattern: str) -> SchemaValidator:
    """Return what matches a whole text. Alone first: a ``)`` too many must not pass because of the group around it."""
    SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    return SchemaValidator(core_schema.str_schema(pattern=rf"\A(?:{pattern})\z", regex_engine="rust-regex"))

"""Patterns: the whole text must fit, and no text takes long."""

from __future__ import annotations

from shared.text.patterns import find_pattern_problem, fits_pattern
from tests.cases import cases


@cases(
    ("pattern", "text", "fits"),
    [
        ("", "anything", True), (r"\d+", "12", True), (r"\d+", "#12", False), (r"\d+", "12\n", True),
        ("a|b", "ab", False), (r"\d+(?:\.\d+)*", "1.2.10", True), ("(?i)open|closed", "OPEN", True),
        ("(?m)^a$", "a\nb", False), (r"Ä+", "ÄÄ", True), ("a*", "a" * 10_001, False),
    ],
)  # fmt: skip
def test_the_whole_text_must_fit(pattern: str, text: str, fits: bool):
    assert fits_pattern(pattern, text) is fits


def test_a_text_made_to_keep_a_backtracking_matcher_busy_is_answered():
    assert find_pattern_problem("(?:a+)+b") == ""
    assert not fits_pattern("(?:a+)+b", "a" * 9_999)


@cases("pattern", ["(", ")|(", r"(a)\1", "(?<=a)b", "x" * 301, r"(?:\w{1000}){1000}"])
def test_a_pattern_that_cannot_be_used_is_told(pattern: str):
    assert find_pattern_problem(pattern)
    assert "\n" not in find_pattern_problem(pattern)

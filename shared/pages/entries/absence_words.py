"""Which texts of a page may say that there is no such record: only a person knows that of a site's own words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from shared.contracts.browser_pool import Element, PageObserved
from shared.pages.elements import NOT_FOUND, PRESSED_ROLES, is_header, is_heading, is_input, text_of
from shared.pages.lists.list_states import is_empty_text
from shared.text.normal import fold, tidy
from shared.text.record_words import find_mention

MOST_CHARS, MOST_TEXTS = 160, 12
LEAST_WORDS, LEAST_CHARS = 3, 8
"""A shorter text of a page that is no message and no heading says less than that a record is missing."""
LEAST_VALUE_CHARS = 2
_BESIDE = ("navigation", "banner", "contentinfo")
_TOLD_ROLES = ("alert", "alertdialog", "status", "log")
_WORD = re.compile(r"\w")


def absence_words(page: PageObserved) -> tuple[str, ...]:
    """Return the short texts of a page that may say so: those in general words first, then messages, then headings,
    then other sentences. Each at most 160 characters, at most 12 of them."""
    told: dict[str, int] = {}
    for text, rank in _ranked(page):
        if LEAST_VALUE_CHARS <= len(text) <= MOST_CHARS and _WORD.search(text):
            told[text] = min(rank, told.get(text, rank))
    return tuple(sorted(told, key=lambda text: told[text])[:MOST_TEXTS])


def _ranked(page: PageObserved) -> Iterator[tuple[str, int]]:
    for one in page.elements:
        if is_input(one) or is_header(one) or one.role in (*PRESSED_ROLES, "link") or one.past:
            continue
        text = tidy(text_of(one))
        if NOT_FOUND.search(text) or is_empty_text(text):
            yield text, 0
        elif one.role in _TOLD_ROLES or one.in_dialog:
            yield text, 1
        elif is_heading(one) and one.area not in _BESIDE:
            yield text, 2
        elif _is_sentence(one, text):
            yield text, 3
    if NOT_FOUND.search(page.title):
        yield tidy(page.title), 0


def _is_sentence(one: Element, text: str) -> bool:
    words = len(text.split()) >= LEAST_WORDS or (not text.isascii() and len(text) >= LEAST_CHARS)
    return words and one.row is None and one.area not in _BESIDE


def of_any_record(words: Sequence[str], values: Collection[str], shown: Collection[str]) -> tuple[str, ...]:
    """Return the texts as a task can name them for all of its records: without the values of the row, whose longest
    rest stays, and without those that the page of a record that exists shows as well.

    Args:
        values: those of the row that was asked for.
        shown: the texts of a page of a record that exists.
    """
    there = [fold(one) for one in shown]
    rests = (_without(text, [one for one in values if len(one.strip()) >= LEAST_VALUE_CHARS]) for text in words)
    kept = [one for one in rests if len(one) >= LEAST_CHARS or not one.isascii()]
    return tuple(dict.fromkeys(one for one in kept if one and not any(fold(one) in text for text in there)))


def _without(text: str, values: Collection[str]) -> str:
    parts = [text]
    for value in values:
        parts = [rest for part in parts for rest in _split(part, value)]
    if len(parts) == 1:
        return text
    return max((part.strip(" \t:：,;\"'“”‘’«»()[]#") for part in parts), key=len, default="")


def _split(text: str, value: str) -> list[str]:
    said = find_mention(text, value)
    return [text] if not said else text.split(said)

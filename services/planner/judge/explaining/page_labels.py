"""The texts of a page that name a value, and how much they are like the name of a field."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import takewhile

from shared.contracts.browser_pool import Element
from shared.pages.elements import is_filter, is_header, is_heading, is_input, words_of_name
from shared.text.normal import fold, label_form, tidy

MAX_LABEL_CHARS = 60
LEAST_LIKENESS = 0.45
_LEAST_COMMON, _SHARE_OF_WORD, _ALIKE_WORDS, _MOST_LETTERS_MORE = 4, 0.6, 0.84, 2
"""Two words are alike if they begin with as many common letters, which are this share of the longer; or if they differ
in few letters."""
WORDS_KEPT = 16_384
"""Cached pairs of words: those of a few pages."""
_ALIKE = 0.8
_INLINE = re.compile(r"([^\W\d_][^:\n]{0,58}):\s+\S")
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class PageLabel:
    """A text that may name a value, as a spec writes it. ``named``: the structure of the page says that it does."""

    text: str
    likeness: float
    named: bool


def page_labels(elements: Sequence[Element], names: Sequence[str]) -> list[PageLabel]:
    """Return the labels of the page, the most alike first, then in its order.

    Where the page's structure names a value, any label counts, and so does a text that begins a row of two; of other
    short texts those that are like a name.
    """
    found: dict[str, PageLabel] = {}
    for text, named in (*_structural(elements), *((text, False) for text in _short_texts(elements))):
        form = label_form(text)
        if form and form not in found:
            found[form] = PageLabel(text, likeness(text, names), named)
    rows = {label_form(text) for text in _row_labels(elements)}
    counted = (one for form, one in found.items() if one.named or form in rows or one.likeness >= LEAST_LIKENESS)
    return sorted(counted, key=lambda one: -one.likeness)


def likeness(label: str, names: Iterable[str]) -> float:
    """Return how much a label is like the most alike of the names: 1 with the same words, 0 if no word is alike."""
    return max((_likeness(_words_of(label), _words_of(name)) for name in names), default=0.0)


@lru_cache(maxsize=WORDS_KEPT)
def _words_of(text: str) -> tuple[str, ...]:
    words = _WORDS.findall(fold(words_of_name(text)))
    return tuple(one for one in words if not any(map(str.isdigit, one))) or tuple(words)


def _likeness(ours: Sequence[str], theirs: Sequence[str]) -> float:
    if not ours or not theirs:
        return 0.0
    few, many = sorted((ours, theirs), key=len)
    shared = sum(max(_word_likeness(one, other) for other in many) for one in few)
    return 2 * shared / (len(few) + len(many))


@lru_cache(maxsize=WORDS_KEPT)
def _word_likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0
    longest = max(len(one), len(other))
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    if common >= _LEAST_COMMON and common >= _SHARE_OF_WORD * longest:
        return _ALIKE
    as_long = longest > _LEAST_COMMON and abs(len(one) - len(other)) <= _MOST_LETTERS_MORE
    differs_little = as_long and common > 0 and SequenceMatcher(None, one, other).ratio() >= _ALIKE_WORDS
    return _ALIKE if differs_little else 0.0


def _structural(elements: Sequence[Element]) -> Iterator[tuple[str, bool]]:
    for element in elements:
        name = tidy(element.name)
        is_control = is_input(element)
        inline = None if is_control or is_heading(element) else _INLINE.match(name)
        if element.header is not None:
            yield _label_text(element.header), True
        if is_header(element) or name.endswith((":", "：")) or (is_control and not is_filter(element)):
            yield _label_text(name), True
        elif inline is not None:
            yield _label_text(inline[1]), True


def _row_labels(elements: Sequence[Element]) -> Iterator[str]:
    """Yield the first cells of rows of two."""
    columns: dict[tuple[str, int], set[int | None]] = defaultdict(set)
    for element in elements:
        if element.row is not None:
            columns[element.frame, element.row].add(element.column)
    for element in elements:
        if element.row is not None and element.column == 0 and columns[element.frame, element.row] == {0, 1}:
            yield _label_text(element.name)


def _short_texts(elements: Sequence[Element]) -> Iterator[str]:
    for element in elements:
        for text in (element.name, *(part.text for part in element.parts[:1])):
            if not is_input(element) and not (is_heading(element) and element.level == 1):
                yield _label_text(text)


def _label_text(text: str) -> str:
    """Return a label as a spec writes it; empty where the text is too long for one."""
    label = tidy(text).rstrip(":：* ").rstrip()
    return label if len(label) <= MAX_LABEL_CHARS else ""

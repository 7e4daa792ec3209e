"""Words of a query that nobody writes so: each is taken for the word of the library that is one letter away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

VOCABULARY = Path(__file__).with_name("minilm_vocabulary.txt")
"""Word pieces of the sentence model all-MiniLM-L6-v2, one a line; the whole words among them are the common ones of
English. Written by scripts/write_minilm_vocabulary.py."""
MIN_LETTERS, MAX_LETTERS = 5, 40
"""Of a word that is corrected: a short one is near to too many."""
_WORD = re.compile(r"[^\W\d_]+")


class Spelling:
    """Corrects queries by the words of a library."""

    def __init__(self, texts: Iterable[str]) -> None:
        words = (word for text in texts for word in _WORD.findall(text.lower()))
        self._counts = Counter(word for word in words if MIN_LETTERS <= len(word) <= MAX_LETTERS)
        self._near: dict[str, set[str]] = {}
        for word in self._counts:
            for one in _shortened(word):
                self._near.setdefault(one, set()).add(word)

    def corrected(self, query: str) -> str:
        """Return the query with each unknown word replaced by the most frequent word of the library that a letter less,
        more, other, or two in another order makes of it. A word stays where there is none."""
        return _WORD.sub(lambda found: self._nearest(found[0]), query)

    def _nearest(self, written: str) -> str:
        word = written.lower()
        if not MIN_LETTERS <= len(word) <= MAX_LETTERS or word in self._counts or word in _common_words():
            return written
        near = {other for one in _shortened(word) for other in self._near.get(one, ()) if _is_one_away(word, other)}
        return min(near, key=lambda other: (-self._counts[other], other)) if near else written


def _shortened(word: str) -> Iterator[str]:
    """Yield a word, and what is left of it without one of its letters: two words that are one letter away share one."""
    yield word
    yield from (word[:at] + word[at + 1 :] for at in range(len(word)))


def _is_one_away(word: str, other: str) -> bool:
    longer, shorter = (word, other) if len(word) >= len(other) else (other, word)
    if len(longer) != len(shorter):
        return shorter in _shortened(longer)
    differing = [at for at, (one, two) in enumerate(zip(word, other, strict=True)) if one != two]
    match differing:
        case [_]:
            return True
        case [first, second]:
            return second == first + 1 and word[first] == other[second] and word[second] == other[first]
        case _:
            return False


@cache
def _common_words() -> frozenset[str]:
    return frozenset(line for line in VOCABULARY.read_text(encoding="utf-8").splitlines() if line.isalpha())

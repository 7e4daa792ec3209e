"""The embedder that needs numpy alone: texts are near when they share words, or parts of words. It knows no meaning."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from services.workflows.search.vectors import Matrix, Vector, to_unit_length
from shared.text.normal import bare

VERSION = 1
"""Of the vectors: those of another one are made anew."""
DIMENSIONS = 1024
THRESHOLD = 0.12
"""Chosen on the tuning half of the labelled queries; the README says what it costs."""
PARTS_CHARS = (3, 4, 5)
"""Lengths of the parts of a word, which find it in other forms and with a letter that is wrong."""
_WORD = re.compile(r"[^\W_]+")
_SIGN = 1 << 31
_FILLERS = """
a an and any are as at be been but by can do does each every for from has have how i if in into is it its me my no not
of on or our so some such than that the their them then there these they this to up us was we were what when where which
who will with you your all
"""
FILLERS = frozenset(_FILLERS.split())
"""Words that say nothing of a workflow. English alone: those of other languages count as all words do."""

Feature = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Of a word: places in the vector, and what is added there."""


class HashedWordsEmbedder:
    """Embeds a text as the sum of its words, each a vector of unit length: itself and its parts, at hashed places."""

    @property
    def model(self) -> str:
        return f"hashed-words-{VERSION}-{DIMENSIONS}"

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    @property
    def threshold(self) -> float:
        return THRESHOLD

    def embed_queries(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return _embed(texts).tolist()

    def embed_documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return _embed(texts).tolist()


def _embed(texts: Sequence[str]) -> Matrix:
    """Return a row of unit length for each text; of zeros for an empty one."""
    rows = [_row(text) for text in texts]
    return to_unit_length(np.stack(rows) if rows else np.zeros((0, DIMENSIONS), np.float32))


def _row(text: str) -> Vector:
    words = Counter(_words(text))
    if not words:
        return np.zeros(DIMENSIONS, np.float32)
    features = [(_feature(word), sqrt(times)) for word, times in words.items()]
    places = np.concatenate([places for (places, _), _ in features])
    weights = np.concatenate([weights * times for (_, weights), times in features])
    return np.bincount(places, weights, DIMENSIONS).astype(np.float32)


def _words(text: str) -> list[str]:
    """Return the words without the fillers, or these where there are no others; of a text without words, its signs as
    they stand between blanks."""
    plain = bare(text)
    words = _WORD.findall(plain)
    return [word for word in words if word not in FILLERS] or words or plain.split()


@lru_cache(maxsize=20_000)
def _feature(word: str) -> Feature:
    parts = list(_parts(word))
    hashes = np.array([zlib.crc32(one.encode("utf-8", "surrogatepass")) for one in (word, *parts)], np.int64)
    weights = np.array([1.0] + [1 / sqrt(len(parts))] * len(parts))
    places, signed = hashes % DIMENSIONS, np.where(hashes & _SIGN, weights, -weights)
    length = np.linalg.norm(np.bincount(places, signed, DIMENSIONS))
    return places, signed / (length or 1.0)


def _parts(word: str) -> Iterator[str]:
    """Yield the parts of a word with its ends marked, each marked as a part."""
    ended = f"<{word}>"
    for chars in PARTS_CHARS:
        yield from (f"#{ended[start : start + chars]}" for start in range(len(ended) - chars + 1))

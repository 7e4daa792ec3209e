"""The default embedder: a model that reads sentences, helped by vectors of words. It needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from services.workflows.search import sentence_model
from services.workflows.search.sentence_model import SentenceModel
from services.workflows.search.vectors import Matrix, to_unit_length
from services.workflows.search.wordllama_embedder import WordLlamaEmbedder

WORDS_WEIGHT = 0.35
"""Of the cosine of wordllama, beside that of the sentence model."""
THRESHOLD = 0.21
"""Chosen on the tuning half of the labelled queries; the README says what it costs."""


class MiniLmEmbedder:
    """Embeds a text as its vectors of all-MiniLM-L6-v2 and of wordllama, side by side: the cosine of two texts is the
    weighted mean of both cosines. Both models are loaded on first use."""

    def __init__(self) -> None:
        self._sentences, self._words = SentenceModel(), WordLlamaEmbedder()

    @property
    def model(self) -> str:
        return f"{sentence_model.NAME}-{sentence_model.WEIGHTS_SHA256[:8]}+{WORDS_WEIGHT}*{self._words.model}"

    @property
    def dimensions(self) -> int:
        return sentence_model.DIMENSIONS + self._words.dimensions

    @property
    def threshold(self) -> float:
        return THRESHOLD

    def embed_queries(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._embed(texts).tolist()

    def embed_documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._embed(texts).tolist()

    def _embed(self, texts: Sequence[str]) -> Matrix:
        sentences = self._sentences.embed(texts)
        words = np.asarray(self._words.embed_queries(texts), np.float32).reshape(len(texts), self._words.dimensions)
        return to_unit_length(np.hstack([sentences, sqrt(WORDS_WEIGHT) * words]))

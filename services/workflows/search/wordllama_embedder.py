"""The embedder that needs no network and no model server: word vectors from the wheel of wordllama."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from services.workflows.search.vectors import Matrix, Vector, to_unit_length

DIMENSIONS = 256
"""Of the only vectors in the wheel."""
THRESHOLD = 0.22
"""Chosen on the tuning half of the labelled queries; the README says what it costs."""


class WordLlamaEmbedder:
    """Embeds a text as the mean of the vectors of its word pieces, from the centre of the vocabulary.

    Without that centre, words at random are near to everything. The vectors are loaded on first use, in 0.7 s.
    """

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._loaded: tuple[Any, Vector] | None = None

    @property
    def model(self) -> str:
        return f"wordllama-{version('wordllama')}-l2_supercat_{DIMENSIONS}-centred"

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    @property
    def threshold(self) -> float:
        return THRESHOLD

    def embed_queries(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._embed(texts).tolist()

    def embed_documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._embed(texts).tolist()

    def _embed(self, texts: Sequence[str]) -> Matrix:
        """Return a row of unit length for each text; of zeros for a text without words."""
        with self._loading:
            if self._loaded is None:
                model = _load()
                self._loaded = model, np.asarray(model.embedding, dtype=np.float32).mean(axis=0)
            model, centre = self._loaded
        cleaned = [text.encode("utf-8", "replace").decode() for text in texts]
        rows = np.asarray(model.embed(cleaned), dtype=np.float32)
        return to_unit_length(np.where(rows.any(axis=1, keepdims=True), rows - centre, 0))


def _load() -> Any:
    """Load the vectors from the folder of the package; nothing is downloaded."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    package = import_module("wordllama")
    # Its import configures the root logger.
    root.handlers[:] = handlers
    root.setLevel(level)
    folder = Path(str(package.__file__)).parent
    return package.WordLlama.load(dim=DIMENSIONS, cache_dir=folder, disable_download=True)

"""Models of the package sentence-transformers, which is not a dependency: for users who install it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from services.workflows.search.vectors import to_unit_length
from shared.errors import PermanentError

QUERY_PREFIX = "Represent this sentence for searching relevant passages: "
THRESHOLD = 0.5
"""Models of this kind give texts that have nothing in common up to 0.45."""


@dataclass(frozen=True)
class ModelFacts:
    """A model of the Hugging Face hub. ``query_prefix``: what it was trained to see before a query."""

    path: str
    dimensions: int = 0
    """0: known when it is loaded."""
    query_prefix: str = ""


KNOWN_MODELS: Mapping[str, ModelFacts] = {
    "bge-small": ModelFacts("BAAI/bge-small-en-v1.5", 384, QUERY_PREFIX),
    "bge-base": ModelFacts("BAAI/bge-base-en-v1.5", 768, QUERY_PREFIX),
    "granite": ModelFacts("ibm-granite/granite-embedding-small-english-r2", 384),
}


class SentenceTransformersEmbedder:
    """Embeds with a model that sentence-transformers loads, on first use: from the disk, or from the hub."""

    def __init__(self, name: str) -> None:
        """``name``: a short one of KNOWN_MODELS; any other is passed on.

        Raises:
            PermanentError: the package is not installed.
        """
        self._facts = KNOWN_MODELS.get(name) or ModelFacts(name)
        self._loading = threading.Lock()
        self._loaded: Any = None
        try:
            self._package = import_module("sentence_transformers")
        except ImportError as error:
            raise PermanentError(
                f"The embedder {name!r} needs a package that is not installed: pip install sentence-transformers"
            ) from error

    @property
    def model(self) -> str:
        return self._facts.path

    @property
    def dimensions(self) -> int:
        return self._facts.dimensions or int(self._model().get_sentence_embedding_dimension())

    @property
    def threshold(self) -> float:
        return THRESHOLD

    def embed_queries(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._embed([self._facts.query_prefix + text for text in texts])

    def embed_documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        rows = self._model().encode(list(texts), convert_to_numpy=True, show_progress_bar=False)
        return to_unit_length(np.asarray(rows, dtype=np.float32)).tolist()

    def _model(self) -> Any:
        with self._loading:
            if self._loaded is None:
                try:
                    self._loaded = self._package.SentenceTransformer(self._facts.path)
                except (OSError, ValueError) as error:
                    raise PermanentError(
                        f"The embedding model {self._facts.path!r} cannot be loaded: {error}"
                    ) from error
            return self._loaded

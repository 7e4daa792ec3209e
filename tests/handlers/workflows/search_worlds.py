"""An embedder and workflows whose scores can be worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from services.workflows.ports import Indexed
from services.workflows.search.vectors import to_unit_length

AXES = ("red", "green", "blue", "black")


class ColourEmbedder:
    """Counts colours: a text is the direction of their numbers. ``embedded``: the documents that it was asked for."""

    def __init__(self, model: str = "colours-1") -> None:
        self.model, self.dimensions, self.threshold = model, len(AXES), 0.3
        self.embedded: list[str] = []

    def embed_queries(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        counts = [[float(text.lower().split().count(axis)) for axis in AXES] for text in texts]
        return to_unit_length(np.asarray(counts, np.float32).reshape(len(texts), len(AXES))).tolist()

    def embed_documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.embedded += texts
        return self.embed_queries(texts)


def workflow(name: str, description: str, words: str = "black") -> Indexed:
    """Return a workflow whose code has these words."""
    return Indexed(name, "", description, f"def run():\n    return '{words}'\n")


def names(found: Sequence[tuple[str, float]]) -> list[str]:
    return [name for name, _ in found]

"""The index of the library: workflows, ranked by what they mean."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from services.workflows.ports import Embedder, Indexed
from services.workflows.search.embedders import open_embedder
from services.workflows.search.spelling import Spelling
from services.workflows.search.texts import (
    MAX_CHARS,
    VERSION,
    code_text,
    content_key,
    description_text,
    name_words,
)
from services.workflows.search.vector_file import VectorFile
from services.workflows.search.vectors import Matrix, Vector, to_matrix, to_scores, weighted

VECTORS_FILE = "search.duckdb"

BATCH = 500
"""Workflows that are embedded and stored at a time."""


@dataclass(frozen=True)
class _Arranged:
    """What a search reads. ``called``: the names that are made of the same words."""

    names: list[str]
    """In order, so that equal scores come by name."""
    rows: Matrix
    called: dict[str, list[str]]
    spelling: Spelling


class VectorIndex:
    """Compares a query with every workflow: exact, and 1 ms for 10,000 of them.

    Thread-safe. Vectors are stored in the file, where one is given and no other process holds it.
    """

    def __init__(self, embedder: Embedder, path: Path | None = None) -> None:
        self._embedder, self._guard = embedder, threading.Lock()
        self._file = VectorFile(path, f"{embedder.model} texts-{VERSION}", embedder.dimensions)
        self._known = self._file.take_loaded()
        self._keys: dict[str, str] = {}
        self._described: dict[str, str] = {}
        self._arranged: _Arranged | None = None

    @property
    def is_stored(self) -> bool:
        """Whether the vectors outlive the process."""
        return self._file.is_stored

    def update(self, current: Sequence[Indexed]) -> None:
        with self._guard:
            self._keys = self._embed(current)
            self._described = {one.name: one.description for one in current}
            self._arranged = None
            unused = self._known.keys() - set(self._keys.values())
            self._file.remove(unused)
            for key in unused:
                del self._known[key]

    def add(self, one: Indexed) -> None:
        with self._guard:
            self._keys |= self._embed([one])
            self._described[one.name] = one.description
            self._arranged = None

    def remove(self, name: str) -> None:
        """Remove one, if there is one. Its vector is kept until the next update, for when it is created again."""
        with self._guard:
            self._keys.pop(name, None)
            self._described.pop(name, None)
            self._arranged = None

    def search(self, query: str, limit: int, threshold: float | None = None) -> Sequence[tuple[str, float]]:
        """Find workflows. A query that is a workflow's name, in whatever spelling, finds it with a score of 1. A word
        that is one letter away from one of the library, and is no common one, is taken for it."""
        query = query.strip()[:MAX_CHARS]
        if not query or limit <= 0:
            return []
        with self._guard:
            arranged = self._arranged = self._arranged or self._arrange()
        text = arranged.spelling.corrected(name_words(query) if query.isidentifier() else query)
        vector = to_matrix(self._embedder.embed_queries([text]), self._embedder.dimensions)[0]
        least = self._embedder.threshold if threshold is None else threshold
        scores = to_scores(arranged.rows, vector)
        called = arranged.called.get(name_words(query), [])
        ranked = np.argsort(-scores, kind="stable")[: limit + len(called)].tolist()
        found = [(name, 1.0) for name in called]
        found += [(arranged.names[row], float(scores[row])) for row in ranked if arranged.names[row] not in called]
        return [(name, score) for name, score in found if score >= least][:limit]

    def close(self) -> None:
        with self._guard:
            self._file.close()

    def _embed(self, workflows: Sequence[Indexed]) -> dict[str, str]:
        """Return the key of each name, after its vector was looked up or made."""
        keys: dict[str, str] = {}
        missing: dict[str, tuple[str, str]] = {}
        for one in workflows:
            description = description_text(one.name, one.description)
            key = keys[one.name] = content_key(description, one.code)
            if key not in self._known:
                missing[key] = (description, one.code)
        todo = list(missing.items())
        for start in range(0, len(todo), BATCH):
            self._make(todo[start : start + BATCH])
        return keys

    def _make(self, batch: Sequence[tuple[str, tuple[str, str]]]) -> None:
        """Embed contents, and store their vectors."""
        texts = [description for _, (description, _) in batch] + [code_text(code) for _, (_, code) in batch]
        rows = to_matrix(self._embedder.embed_documents(texts), self._embedder.dimensions)
        made = dict(zip((key for key, _ in batch), weighted(rows[: len(batch)], rows[len(batch) :]), strict=True))
        self._known |= made
        self._file.add(made)

    def _arrange(self) -> _Arranged:
        names = sorted(self._keys)
        vectors: list[Vector] = [self._known[self._keys[name]] for name in names]
        called: dict[str, list[str]] = {}
        for name in names:
            called.setdefault(name_words(name), []).append(name)
        called.pop("", None)
        rows = np.stack(vectors) if vectors else np.zeros((0, self._embedder.dimensions), np.float32)
        described = (f"{name_words(name)} {self._described[name]}" for name in names)
        return _Arranged(names, rows, called, Spelling(described))


def open_index(embedder: Embedder | str, folder: Path | None) -> VectorIndex:
    """Return the index with the embedder, or the one of this name. Vectors are kept in ``folder``, if one is given."""
    model = open_embedder(embedder) if isinstance(embedder, str) else embedder
    return VectorIndex(model, folder / VECTORS_FILE if folder is not None else None)

"""Opens the index of a library."""

from __future__ import annotations

from pathlib import Path

from services.workflows.ports import Embedder
from services.workflows.search.embedders import open_embedder
from services.workflows.search.index import VectorIndex

VECTORS_FILE = "search.duckdb"


def open_index(embedder: Embedder | str, folder: Path | None) -> VectorIndex:
    """Return the index with the embedder, or the one of this name. Vectors are kept in ``folder``, if one is given."""
    model = open_embedder(embedder) if isinstance(embedder, str) else embedder
    return VectorIndex(model, folder / VECTORS_FILE if folder is not None else None)

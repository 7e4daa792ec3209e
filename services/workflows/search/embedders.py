"""Which embedder a setting names."""

from __future__ import annotations

from services.workflows.ports import Embedder
from services.workflows.search.sentence_transformers_embedder import SentenceTransformersEmbedder
from services.workflows.search.wordllama_embedder import WordLlamaEmbedder

DEFAULT_MODEL = "wordllama"


def open_embedder(model_name: str = DEFAULT_MODEL) -> Embedder:
    """Return the embedder of a model: ``wordllama``, or one of sentence-transformers by its short or its full name.

    Raises:
        PermanentError: sentence-transformers is needed and not installed.
    """
    return WordLlamaEmbedder() if model_name == DEFAULT_MODEL else SentenceTransformersEmbedder(model_name)

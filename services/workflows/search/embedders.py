"""Which embedder a setting names, and which one takes the place of the default where that is not installed."""

from __future__ import annotations

import logging

from services.workflows.ports import Embedder
from services.workflows.search.hashed_words_embedder import HashedWordsEmbedder
from services.workflows.search.sentence_transformers_embedder import SentenceTransformersEmbedder
from services.workflows.search.wordllama_embedder import WordLlamaEmbedder
from shared.extras import has_extra, missing_extra

DEFAULT_MODEL, HASHED_WORDS = "wordllama", "hashed-words"
log = logging.getLogger(__name__)


def open_embedder(model_name: str = DEFAULT_MODEL) -> Embedder:
    """Return the embedder of a model: ``wordllama``, ``hashed-words``, or one of sentence-transformers by its short or
    its full name. Where ``wordllama`` is not installed, the log says so, and ``hashed-words`` takes its place.

    Raises:
        PermanentError: sentence-transformers is needed and not installed.
    """
    if model_name == HASHED_WORDS:
        return HashedWordsEmbedder()
    if model_name != DEFAULT_MODEL:
        return SentenceTransformersEmbedder(model_name)
    if has_extra("search"):
        return WordLlamaEmbedder()
    log.warning("workflows are searched by their words alone: %s", missing_extra("search"))
    return HashedWordsEmbedder()

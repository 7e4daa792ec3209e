"""Which embedder a setting names, and which one takes the place of the default where that is not installed."""

from __future__ import annotations

import logging
from importlib.util import find_spec

from services.workflows.ports import Embedder
from services.workflows.search.hashed_words_embedder import HashedWordsEmbedder
from services.workflows.search.minilm_embedder import MiniLmEmbedder
from services.workflows.search.sentence_transformers_embedder import SentenceTransformersEmbedder
from services.workflows.search.wordllama_embedder import WordLlamaEmbedder
from shared.extras import has_extra, missing_extra

DEFAULT_MODEL, WORDLLAMA, HASHED_WORDS = "minilm", "wordllama", "hashed-words"
log = logging.getLogger(__name__)


def open_embedder(model_name: str = DEFAULT_MODEL) -> Embedder:
    """Return the embedder of a model: ``minilm``, ``wordllama``, ``hashed-words``, or one of sentence-transformers by
    its short or its full name. Where one of the first two is not installed, the log says so, and the next one that is
    takes its place.

    Raises:
        PermanentError: sentence-transformers is needed and not installed.
    """
    if model_name == HASHED_WORDS:
        return HashedWordsEmbedder()
    if model_name not in (DEFAULT_MODEL, WORDLLAMA):
        return SentenceTransformersEmbedder(model_name)
    if model_name == DEFAULT_MODEL and has_extra("search"):
        return MiniLmEmbedder()
    if find_spec("wordllama") is not None:
        if model_name == DEFAULT_MODEL:
            log.warning("workflows are searched by the meaning of single words: %s", missing_extra("search"))
        return WordLlamaEmbedder()
    log.warning("workflows are searched by their words alone: %s", missing_extra("search"))
    return HashedWordsEmbedder()

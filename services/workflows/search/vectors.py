"""Arithmetic of vectors: rows of a matrix of 32-bit floats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float32]
Vector: TypeAlias = NDArray[np.float32]
DESCRIPTION_WEIGHT, CODE_WEIGHT = 0.7, 0.3
_DIGITS = 6
"""Scores are equal when they agree in as many digits; the last ones depend on the order of additions."""


def to_unit_length(rows: Matrix) -> Matrix:
    """Scale each row to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def to_matrix(rows: Sequence[Sequence[float]], dimensions: int) -> Matrix:
    return np.asarray(rows, dtype=np.float32).reshape(len(rows), dimensions)


def weighted(descriptions: Matrix, codes: Matrix) -> Matrix:
    """Return rows whose product with a query is 0.7 cosine(description) + 0.3 cosine(code); all are of unit length."""
    return (DESCRIPTION_WEIGHT * descriptions + CODE_WEIGHT * codes).astype(np.float32)


def to_scores(rows: Matrix, query: Vector) -> NDArray[np.float64]:
    """Return the product of each row with the query, rounded."""
    return np.round((rows @ query).astype(np.float64), _DIGITS)

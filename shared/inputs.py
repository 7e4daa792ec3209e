"""Pure: whether two runs are of the same input."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec


def rows_sha256(rows: Sequence[Mapping[str, Any]]) -> str:
    """Of samples that come as rows, in the request or as a file of them."""
    return hashlib.sha256(msgspec.json.encode(rows)).hexdigest()


def search_sha256(discovery: Mapping[str, Any], row: Mapping[str, str]) -> str:
    """Of samples that are found by navigating: by what, and filled with what."""
    return hashlib.sha256(msgspec.json.encode([discovery, row], order="deterministic")).hexdigest()

"""Artifacts as values of workflow code: bytes, texts and JSON, told apart by their media type."""

from __future__ import annotations

import json

from shared.contracts.workflows.invocations import JsonValue

BYTES, TEXT, JSON = "application/octet-stream", "text/plain; charset=utf-8", "application/json"


def to_bytes(value: JsonValue | bytes, media_type: str = "") -> tuple[bytes, str]:
    """Return the bytes of a value, and their media type: the given one, or that of the kind of value."""
    if isinstance(value, bytes):
        return value, media_type or BYTES
    if isinstance(value, str):
        return value.encode(), media_type or TEXT
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False).encode(), media_type or JSON


def from_bytes(data: bytes, media_type: str) -> JsonValue | bytes:
    """Return a text for a media type ``text/...``, the value for JSON, else the bytes.

    What is not what its media type says is returned as bytes.
    """
    kind = media_type.partition(";")[0].strip().lower()
    try:
        if kind.startswith("text/"):
            return data.decode()
        if kind == JSON or kind.endswith("+json"):
            return json.loads(data)
    except (UnicodeDecodeError, ValueError, RecursionError):
        return data
    return data

"""How every JSON file of a run is written."""

from __future__ import annotations

import msgspec


def encode_file(value: object) -> bytes:
    """JSON with an indent of two spaces, and a line end."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"

"""The data of an artifact as it crosses the border: one object of JSON that says what it holds.

``{"bytes": base64}``, ``{"text": text}`` or ``{"json": value}``. Workflow code and the host use the same two functions.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any


def pack_data(data: object) -> dict[str, Any]:
    """Return bytes, text or a value of JSON as an object of JSON."""
    if isinstance(data, bytes | bytearray):
        return {"bytes": base64.b64encode(data).decode("ascii")}
    return {"text": data} if isinstance(data, str) else {"json": data}


def unpack_data(packed: Any) -> Any:
    """Return what was packed. Raises ValueError when ``packed`` was not made by `pack_data`."""
    match packed:
        case {"bytes": str(text), **rest} if not rest:
            try:
                return base64.b64decode(text, validate=True)
            except binascii.Error as exc:
                raise ValueError("the data of the artifact is not base64") from exc
        case {"text": str(text), **rest} if not rest:
            return text
        case {"json": value, **rest} if not rest:
            return value
        case _:
            raise ValueError("the data of an artifact is an object with one key: bytes, text or json")

"""The data of an artifact as it crosses the border: ``{"kind": "bytes" | "text" | "json", "base64": ...}``.

All of it is base64, so that a large one is one string, which costs the service little to read, whatever was sent.
Workflow code uses `pack_data` and `unpack_data`; the host `packed_bytes`, and `pack_bytes` of what it has stored.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, Literal, cast, get_args

from services.workflows.execution.child.values import BadValueError, from_json, to_json, to_plain

DataKind = Literal["bytes", "text", "json"]


def pack_data(data: object) -> dict[str, str]:
    """Return bytes, text (as UTF-8) or a value of JSON as an object of JSON. Raises BadValueError, a TypeError."""
    if isinstance(data, bytes | bytearray):
        return pack_bytes("bytes", data)
    return pack_bytes("text", data.encode()) if isinstance(data, str) else pack_bytes("json", to_json(to_plain(data)))


def unpack_data(packed: Any) -> Any:
    """Return what was packed. Raises ValueError where ``packed`` was not made by this module."""
    kind, data = packed_bytes(packed)
    if kind != "json":
        return data if kind == "bytes" else data.decode()
    try:
        return from_json(data)
    except BadValueError as exc:
        raise ValueError(f"the data of an artifact is {exc}") from exc


def pack_bytes(kind: DataKind, data: bytes | bytearray) -> dict[str, str]:
    return {"kind": kind, "base64": base64.b64encode(data).decode("ascii")}


def packed_bytes(packed: Any) -> tuple[DataKind, bytes]:
    """Return the bytes, and what they are. Whether they are UTF-8, or JSON, is not checked. Raises ValueError."""
    if isinstance(packed, dict):
        given = cast("dict[str, Any]", packed)
        kind: Any = given.get("kind")
        text: Any = given.get("base64")
        if kind in get_args(DataKind) and isinstance(text, str):
            try:
                return kind, base64.b64decode(text, validate=True)
            except binascii.Error as exc:
                raise ValueError("the data of an artifact is not base64") from exc
    raise ValueError('the data of an artifact is {"kind": "bytes", "text" or "json", "base64": ...}')

"""Messages between evidence and the process that queries run in: JSON behind its length."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

LENGTH = struct.Struct(">I")


def framed(message: object) -> bytes:
    data = json.dumps(message).encode()
    return LENGTH.pack(len(data)) + data


def read_frame(source: BinaryIO) -> Any | None:
    """The next message; None where the other side is gone."""
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    data = source.read(length)
    return json.loads(data) if len(data) == length else None

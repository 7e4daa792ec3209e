"""The frames between evidence and a process that makes a product: one byte of kind, then its data."""

from __future__ import annotations

from typing import Literal

import msgspec

from services.evidence.outputs.products import Closing
from shared.contracts.codes import OpenCode
from shared.contracts.error_codes import ErrorCode

Kind = Literal[b"o", b"s", b"f", b"g", b"e", b"d", b"w", b"t"]
OPEN: Kind = b"o"
"""First: `Asked`."""
SAMPLE: Kind = b"s"
"""The files of a sample: `SampleFiles` as MessagePack, for they are bytes."""
FILE: Kind = b"f"
"""The bytes of a file that was wanted."""
GONE: Kind = b"g"
"""There is no such file."""
END: Kind = b"e"
"""These were all samples."""
DONE: Kind = b"d"
"""Said by the process: one more sample is dealt with."""
WANTED: Kind = b"w"
"""The name of a file of the sample that is next to be dealt with."""
TOLD: Kind = b"t"
"""Last: `Told`."""


class Asked(msgspec.Struct, frozen=True):
    """``product``: its class, as ``module:name``; ``folder``: an empty one, of its own."""

    product: str
    closing: Closing
    folder: str


class Told(msgspec.Struct, frozen=True):
    """``made``: names and paths. ``failure``: why it is not made, in words; one with ``errno`` or ``code`` may be gone
    when it is tried again."""

    made: list[tuple[str, str]] = []
    failure: str = ""
    errno: int = 0
    code: OpenCode[ErrorCode | Literal[""]] = ""


def parse_frame(frame: bytes) -> tuple[bytes, bytes]:
    """Return the kind and the data."""
    return frame[:1], frame[1:]

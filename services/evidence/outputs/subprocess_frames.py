"""The frames between evidence and a child process that makes a product: one byte of kind, then its data."""

from __future__ import annotations

from typing import Literal

import msgspec

from services.evidence.facts.run_facts import RunFacts
from shared.contracts.codes import OpenCode
from shared.contracts.error_codes import ErrorCode

Kind = Literal[b"o", b"s", b"f", b"g", b"e", b"d", b"w", b"t"]
OPEN: Kind = b"o"
"""First: `ProductRequest`."""
SAMPLE: Kind = b"s"
"""The files of a sample: `SampleFiles` as MessagePack, for they are bytes."""
FILE: Kind = b"f"
"""The bytes of the file that the child asked for."""
NO_FILE: Kind = b"g"
"""There is no such file."""
END: Kind = b"e"
"""These were all samples."""
DONE: Kind = b"d"
"""From the child: one more sample is done."""
FILE_WANTED: Kind = b"w"
"""From the child: the name of a file of the sample that it works on."""
RESULT: Kind = b"t"
"""From the child, last: `ProductReply`."""


class ProductRequest(msgspec.Struct, frozen=True):
    """``product``: its class, as ``module:name``; ``folder``: an empty one for this product alone."""

    product: str
    closing: RunFacts
    folder: str


class ProductReply(msgspec.Struct, frozen=True):
    """``made``: names and paths. ``failure``: why it was not made, for people; with ``errno`` or ``code`` it may be
    transient."""

    made: list[tuple[str, str]] = []
    failure: str = ""
    errno: int = 0
    code: OpenCode[ErrorCode | Literal[""]] = ""


def parse_frame(frame: bytes) -> tuple[bytes, bytes]:
    """Return the kind and the data of a frame."""
    return frame[:1], frame[1:]

"""The frames between this process and a child that makes a product: one byte for the kind, then the data."""

from __future__ import annotations

from typing import Literal

import msgspec

from services.evidence.facts.run_facts import RunFacts
from shared.contracts.codes import OpenCode
from shared.contracts.error_codes import ErrorCode

Kind = Literal[b"o", b"s", b"f", b"g", b"e", b"d", b"w", b"t"]
OPEN: Kind = b"o"
"""To the child, first: `ProductRequest`."""
SAMPLE: Kind = b"s"
"""To the child: the files of a sample, `SampleFiles` as MessagePack, because they are bytes."""
FILE: Kind = b"f"
"""To the child: the bytes of the file that it requested."""
NO_FILE: Kind = b"g"
"""To the child: the requested file does not exist."""
END: Kind = b"e"
"""To the child: there are no more samples."""
DONE: Kind = b"d"
"""From the child: it has finished one more sample."""
FILE_WANTED: Kind = b"w"
"""From the child: a request for a file of its current sample, by name."""
RESULT: Kind = b"t"
"""From the child, last: `ProductReply`."""


class ProductRequest(msgspec.Struct, frozen=True):
    """``product``: its class, as ``module:name``. ``folder``: an empty folder for this product alone."""

    product: str
    run: RunFacts
    folder: str


class ProductReply(msgspec.Struct, frozen=True):
    """``made``: names and paths of the files. ``failure``: why the product was not made, for people; with ``errno`` or
    ``code`` the error may be transient."""

    made: list[tuple[str, str]] = []
    failure: str = ""
    errno: int = 0
    code: OpenCode[ErrorCode | Literal[""]] = ""


def parse_frame(frame: bytes) -> tuple[bytes, bytes]:
    """Return the kind and the data of a frame."""
    return frame[:1], frame[1:]

"""Answers to queries that are too large for one message: kept for a while, and loaded part by part."""

from __future__ import annotations

import re
from uuid import uuid4

from shared.bus.ports import PART_BYTES, Blobs
from shared.contracts.evidence import AnswerPart, LoadAnswer
from shared.errors import PermanentError
from shared.streams import ANSWERS

_BLOB = re.compile(r"sql/[0-9a-f]{32}\.(json|csv|parquet)")


def new_answer_name(format_: str) -> str:
    """Return a name that only who has asked is told."""
    return f"sql/{uuid4().hex}.{format_}"


class _Window:
    """Takes bytes, and keeps those of one part."""

    def __init__(self, offset: int) -> None:
        self._skip, self.data = offset, bytearray()

    def write(self, data: bytes, /) -> None:
        skipped = min(self._skip, len(data))
        self._skip -= skipped
        self.data += data[skipped : skipped + PART_BYTES - len(self.data)]


async def read_answer_part(request: LoadAnswer, blobs: Blobs) -> AnswerPart:
    """Return a part of an answer. Other bytes of the bucket are no answers, whoever names them.

    Raises PermanentError (``no_blob``) where there is no such answer, or no longer.
    """
    if _BLOB.fullmatch(request.blob) is None or request.offset < 0:
        raise PermanentError(f"{request.blob!r} is no answer to a query", code="no_blob")
    window = _Window(request.offset)
    await blobs.fetch(ANSWERS, request.blob, window)
    return AnswerPart(data=bytes(window.data))

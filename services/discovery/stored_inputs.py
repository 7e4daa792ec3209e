"""Stores the parts of input files. Only discovery writes to their bucket on behalf of a client."""

from __future__ import annotations

import re
from uuid import uuid4

from shared.bus.ports import PART_BYTES, Blobs
from shared.contracts.discovery import InputStored, StoreInput
from shared.errors import PermanentError
from shared.streams import INPUTS
from shared.submission.input_files import part_name
from shared.submission.request import MAX_FILE_BYTES, MAX_PARTS

_BLOB = re.compile(r"[0-9a-f]{32}")


async def store_input_part(request: StoreInput, blobs: Blobs) -> InputStored:
    """Store a part; idempotent but for the first, whose repetition is another file.

    The name of a file is random, and is told to nobody but who stores it: so nobody else adds to it. Raises
    PermanentError (``too_large``, ``invalid_message``).
    """
    if len(request.data) > PART_BYTES or not 0 <= request.part < MAX_PARTS:
        raise PermanentError(
            f"part {request.part} of a file has {len(request.data)} bytes: {PART_BYTES} is the most of a part, and "
            f"{MAX_FILE_BYTES} of a file",
            code="too_large",
        )
    if (request.part == 0) != (request.blob == "") or (request.blob and not _BLOB.fullmatch(request.blob)):
        raise PermanentError(
            "the first part names no blob, and each other the blob of the first", code="invalid_message"
        )
    blob = request.blob or uuid4().hex
    await blobs.put(INPUTS, part_name(blob, request.part), request.data)
    return InputStored(blob=blob)

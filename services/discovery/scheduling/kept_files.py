"""The files of a schedule: kept as long as it is, and lent to each of its runs as the files of any other request."""

from __future__ import annotations

import hashlib
import io

from msgspec.structs import replace

from services.discovery.deps import DiscoveryDeps
from services.discovery.stored_inputs import store_input_part
from shared.bus.ports import PART_BYTES
from shared.contracts.discovery import InputFile, StoreInput, SubmitRun
from shared.errors import PermanentError
from shared.streams import SCHEDULE_FILES
from shared.submission.input_files import fetch_input


async def keep_files(key: str, request: SubmitRun, deps: DiscoveryDeps) -> SubmitRun:
    """Keep the files of a request, which were checked, and return the request with their names. ``key``: of one
    schedule alone, so that its files are never those of a later one of its name."""

    async def keep(file: InputFile) -> InputFile:
        read = io.BytesIO()
        await fetch_input(deps.blobs, file, read)
        blob = f"{key}.{file.sha256.lower()}"
        await deps.blobs.put(SCHEDULE_FILES, blob, read.getvalue())
        return replace(file, blob=blob, parts=0)

    file, register = request.input_file, request.register
    return replace(
        request,
        input_file=None if file is None else await keep(file),
        register=None if register is None else replace(register, file=await keep(register.file)),
    )


async def lend_files(request: SubmitRun, deps: DiscoveryDeps) -> SubmitRun:
    """Store the files of a kept request as inputs of a run, and return the request with their names. Raises
    PermanentError where one is not there any more."""

    async def lend(file: InputFile) -> InputFile:
        data = await deps.blobs.get(SCHEDULE_FILES, file.blob)
        if hashlib.sha256(data).hexdigest() != file.sha256.lower():
            raise PermanentError(f"{file.name} is not the file that was kept: add the schedule again", code="no_blob")
        pieces = [data[start : start + PART_BYTES] for start in range(0, max(len(data), 1), PART_BYTES)]
        blob = ""
        for part, piece in enumerate(pieces):
            blob = (await store_input_part(StoreInput(data=piece, blob=blob, part=part), deps.blobs)).blob
        return replace(file, blob=blob, parts=len(pieces))

    file, register = request.input_file, request.register
    return replace(
        request,
        input_file=None if file is None else await lend(file),
        register=None if register is None else replace(register, file=await lend(register.file)),
    )


async def remove_files(request: SubmitRun, deps: DiscoveryDeps) -> None:
    """Remove what is kept for a request; idempotent."""
    files = [request.input_file, request.register.file if request.register is not None else None]
    for file in files:
        if file is not None:
            await deps.blobs.remove(SCHEDULE_FILES, file.blob)

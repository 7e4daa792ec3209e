"""The files of a schedule: kept as long as it is, and lent to each of its runs as the files of any other request."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from services.discovery.deps import DiscoveryDeps
from services.discovery.stored_inputs import store_input_part
from shared.contracts.discovery import InputFile, StoreInput, SubmitRun
from shared.errors import PermanentError
from shared.streams import SCHEDULE_FILES
from shared.submission.input_files import fetch_input, split_parts


async def keep_files(key: str, request: SubmitRun, deps: DiscoveryDeps) -> SubmitRun:
    """Keep the files of a request, which were checked, and return the request with their names. ``key``: of one
    schedule alone, so that its files are never those of a later one of its name."""

    async def keep(file: InputFile) -> InputFile:
        read = io.BytesIO()
        await fetch_input(deps.blobs, file, read)
        blob = f"{key}.{file.sha256.lower()}"
        await deps.blobs.put(SCHEDULE_FILES, blob, read.getvalue())
        return replace(file, blob=blob, parts=0)

    return await _with_files(request, keep)


async def lend_files(request: SubmitRun, deps: DiscoveryDeps) -> SubmitRun:
    """Store the files of a kept request as inputs of a run, and return the request with their names. Raises
    PermanentError where one is not there any more."""

    async def lend(file: InputFile) -> InputFile:
        data = await deps.blobs.get(SCHEDULE_FILES, file.blob)
        if hashlib.sha256(data).hexdigest() != file.sha256.lower():
            raise PermanentError(f"{file.name} is not the file that was kept: add the schedule again", code="no_blob")
        blob, pieces = "", split_parts(data)
        for part, piece in enumerate(pieces):
            blob = (await store_input_part(StoreInput(data=piece, blob=blob, part=part), deps.blobs)).blob
        return replace(file, blob=blob, parts=len(pieces))

    return await _with_files(request, lend)


async def remove_files(request: SubmitRun, deps: DiscoveryDeps) -> None:
    """Remove what is kept for a request; idempotent."""

    async def remove(file: InputFile) -> InputFile:
        await deps.blobs.remove(SCHEDULE_FILES, file.blob)
        return file

    await _with_files(request, remove)


async def _with_files(request: SubmitRun, change: Callable[[InputFile], Awaitable[InputFile]]) -> SubmitRun:
    """Return the request with each of its files changed."""
    file, register = request.input_file, request.register
    return replace(
        request,
        input_file=None if file is None else await change(file),
        register=None if register is None else replace(register, file=await change(register.file)),
    )

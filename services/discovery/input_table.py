"""Fetch the files of a request and read them as tables; errors come back as problems."""

from __future__ import annotations

import asyncio
import hashlib
import logging

from services.discovery.deps import DiscoveryDeps
from shared.contracts.discovery import InputFile, Problem, Register, SubmitRun
from shared.errors import PermanentError
from shared.streams import INPUTS
from shared.submission.register import parse_named_register
from shared.submission.request import TableOrProblems, find_size_problems
from shared.tables.files import parse_table
from shared.tables.table import objects_to_table

log = logging.getLogger(__name__)


async def read_table(request: SubmitRun, deps: DiscoveryDeps) -> TableOrProblems:
    """Return the table of the request, from its list of rows or from its file."""
    if request.input_file is None:
        return objects_to_table(request.samples or ())
    data, problems = await _fetch_file(request.input_file, deps)
    if data is None:
        return None, problems
    # Parsing 10,000 rows must not block the event loop.
    return await asyncio.to_thread(_parse_file, data, request.input_file.name, deps)


async def read_register(register: Register, deps: DiscoveryDeps) -> TableOrProblems:
    """Return the table that the population is compared with."""
    data, problems = await _fetch_file(register.file, deps)
    if data is None:
        return None, problems
    return await asyncio.to_thread(parse_named_register, data, register.file.name, deps.read_sheet)


async def _fetch_file(file: InputFile, deps: DiscoveryDeps) -> tuple[bytes | None, tuple[Problem, ...]]:
    if too_large := find_size_problems(file):
        return None, too_large
    try:
        data = await deps.blobs.get(INPUTS, file.blob)
    except PermanentError as exc:
        return None, (_problem(file.name, f"the file is not on the bus: {exc}"),)
    sha256 = hashlib.sha256(data).hexdigest()
    if (len(data), sha256) != (file.size_bytes, file.sha256.lower()):
        message = (
            f"the bytes on the bus are not those of the request: {len(data)} bytes with SHA-256 {sha256}, "
            f"not {file.size_bytes} with {file.sha256}"
        )
        return None, (_problem(file.name, message),)
    return data, ()


def _parse_file(data: bytes, name: str, deps: DiscoveryDeps) -> TableOrProblems:
    table, problems, decoded = parse_table(data, name, deps.read_sheet)
    if decoded is not None and decoded.guessed:
        log.warning("an input file is not UTF-8; it was read as %s", decoded.encoding)
    return table, problems


def _problem(where: str, message: str) -> Problem:
    return Problem(where=where, message=message)

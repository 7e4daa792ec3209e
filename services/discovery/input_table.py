"""Fetch the files of a request and read them as tables; errors come back as problems."""

from __future__ import annotations

import asyncio
import hashlib
import io

from services.discovery.deps import DiscoveryDeps
from shared.contracts.discovery import InputFile, Problem, Register, SubmitRun
from shared.errors import PermanentError
from shared.submission.input_files import fetch_input
from shared.submission.register import parse_named_register
from shared.submission.request import find_size_problems
from shared.tables.files import TableOrProblems, parse_table
from shared.tables.table import objects_to_table


async def read_table(request: SubmitRun, deps: DiscoveryDeps) -> TableOrProblems:
    """Return the table of the request, from its list of rows or from its file."""
    if request.input_file is None:
        return objects_to_table(request.samples or ())
    data, problems = await _fetch_file(request.input_file, deps)
    if data is None:
        return None, problems
    # Parsing 10,000 rows must not block the event loop.
    file = request.input_file
    return await asyncio.to_thread(parse_table, data, file.name, deps.open_workbook, file.read_as)


async def read_register(register: Register, deps: DiscoveryDeps) -> TableOrProblems:
    """Return the table that the population is compared with."""
    data, problems = await _fetch_file(register.file, deps)
    if data is None:
        return None, problems
    file = register.file
    return await asyncio.to_thread(parse_named_register, data, file.name, deps.open_workbook, file.read_as)


async def _fetch_file(file: InputFile, deps: DiscoveryDeps) -> tuple[bytes | None, tuple[Problem, ...]]:
    if too_large := find_size_problems(file):
        return None, too_large
    read = io.BytesIO()
    try:
        await fetch_input(deps.blobs, file, read)
    except PermanentError as exc:
        return None, (_problem(file.name, f"the file is not on the bus: {exc}"),)
    data = read.getvalue()
    sha256 = hashlib.sha256(data).hexdigest()
    if (len(data), sha256) != (file.size_bytes, file.sha256.lower()):
        message = (
            f"the bytes on the bus are not those of the request: {len(data)} bytes with SHA-256 {sha256}, "
            f"not {file.size_bytes} with {file.sha256}"
        )
        return None, (_problem(file.name, message),)
    return data, ()


def _problem(where: str, message: str) -> Problem:
    return Problem(where=where, message=message)

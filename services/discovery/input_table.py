"""From a request to its table: fetches the input file and reads it; what is wrong comes back as problems."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from services.discovery.deps import Deps
from services.discovery.tables.delimited import grid_of
from services.discovery.tables.table import Table, table_of, table_of_objects
from shared.contracts.discovery import InputFile, Problem, SubmitRun
from shared.errors import InvalidMessage, PermanentError
from shared.streams import INPUTS

log = logging.getLogger(__name__)

MAX_FILE_BYTES = 100_000_000
EXCEL = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How .xlsx (a zip) and .xls (an OLE file) begin; a name says less about a file than its bytes."""

TableRead = tuple[Table | None, tuple[Problem, ...]]


async def read_table(request: SubmitRun, deps: Deps) -> TableRead:
    """The rows of the request, from the list in it or from its file."""
    if request.input_file is None:
        return table_of_objects(request.samples or ())
    data, problems = await _fetch(request.input_file, deps)
    if data is None:
        return None, problems
    # Reading 10,000 rows takes a while; the bus must not wait for it.
    return await asyncio.to_thread(_read, data, request.input_file.name, deps)


async def _fetch(file: InputFile, deps: Deps) -> tuple[bytes | None, tuple[Problem, ...]]:
    if file.size_bytes > MAX_FILE_BYTES:
        return None, (_problem(file.name, f"{file.size_bytes} bytes; {MAX_FILE_BYTES} is the most"),)
    try:
        data = await deps.blobs.get(INPUTS, file.blob)
    except PermanentError as exc:
        return None, (_problem(file.name, f"the file is not on the bus: {exc}"),)
    sha256 = hashlib.sha256(data).hexdigest()
    if (len(data), sha256) != (file.size_bytes, file.sha256.lower()):
        told = (
            f"the bytes on the bus are not those of the request: {len(data)} bytes with SHA-256 {sha256}, "
            f"not {file.size_bytes} with {file.sha256}"
        )
        return None, (_problem(file.name, told),)
    return data, ()


def _read(data: bytes, name: str, deps: Deps) -> TableRead:
    if name.lower().endswith(".json"):
        return _read_objects(data, name)
    if data.startswith(EXCEL):
        return _read_excel(data, name, deps)
    grid, problems, decoded = grid_of(data, name)
    if decoded is not None and decoded.guessed:
        log.warning("%s is not UTF-8; it was read as %s", name, decoded.encoding)
    return (None, problems) if problems else _table(grid, name)


def _read_objects(data: bytes, name: str) -> TableRead:
    """Rows as the request would have held them, had they fitted a message."""
    try:
        return table_of_objects(msgspec.json.decode(data, type=list[dict[str, Any]]))
    except msgspec.DecodeError as exc:
        return None, (_problem(name, f"it is no JSON list of objects: {exc}"),)


def _read_excel(data: bytes, name: str, deps: Deps) -> TableRead:
    try:
        return _table(deps.read_sheet(data), name)
    except InvalidMessage as exc:
        return None, (_problem(name, str(exc)),)


def _table(grid: Sequence[Sequence[object]], name: str) -> TableRead:
    return table_of(grid, name)


def _problem(where: str, message: str) -> Problem:
    return Problem(where=where, message=message)

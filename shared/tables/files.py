"""Read the bytes of a file as a table: CSV, Excel, or a JSON list of objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from shared.contracts.discovery import Problem
from shared.errors import InvalidMessage
from shared.tables.delimited import DecodedText, parse_delimited
from shared.tables.table import Table, objects_to_table, to_table

EXCEL_SIGNATURES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""First bytes of .xlsx (a zip) and .xls (an OLE file). The bytes decide, not the file name."""

ReadSheet = Callable[[bytes], Sequence[Sequence[object]]]
"""Opens a workbook: :func:`shared.tables.excel.read_sheet`."""


def parse_table(
    data: bytes, name: str, read_sheet: ReadSheet
) -> tuple[Table | None, tuple[Problem, ...], DecodedText | None]:
    """Return the table, every problem, and how a text was decoded."""
    if name.lower().endswith(".json"):
        return *_parse_objects(data, name), None
    if data.startswith(EXCEL_SIGNATURES):
        return *_parse_excel(data, name, read_sheet), None
    grid, problems, decoded = parse_delimited(data, name)
    return (None, problems, decoded) if problems else (*to_table(grid, name), decoded)


def _parse_objects(data: bytes, name: str) -> tuple[Table | None, tuple[Problem, ...]]:
    try:
        return objects_to_table(msgspec.json.decode(data, type=list[dict[str, Any]]))
    except msgspec.DecodeError as exc:
        return None, (Problem(where=name, message=f"it is no JSON list of objects: {exc}"),)


def _parse_excel(data: bytes, name: str, read_sheet: ReadSheet) -> tuple[Table | None, tuple[Problem, ...]]:
    try:
        return to_table(read_sheet(data), name)
    except InvalidMessage as exc:
        return None, (Problem(where=name, message=str(exc)),)

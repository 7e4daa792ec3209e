"""Read the bytes of a file as a table: CSV, Excel, or a JSON list of objects."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
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


_REGISTER_ROWS = msgspec.json.Decoder(list[dict[str, Any]], float_hook=Decimal)
"""Numbers keep the digits that are written."""


def parse_register(
    data: bytes, name: str, read_sheet: ReadSheet
) -> tuple[Table | None, tuple[Problem, ...], DecodedText | None]:
    """As `parse_table`, of a file that a run is compared with.

    A header without rows, and an empty JSON list, are tables. In JSON, numbers have the digits that are written, and a
    list or an object in a cell is its JSON text.
    """
    if name.lower().endswith(".json"):
        return *_parse_register_objects(data, name), None
    if data.startswith(EXCEL_SIGNATURES):
        return *_parse_excel(data, name, read_sheet, needs_rows=False), None
    grid, problems, decoded = parse_delimited(data, name)
    return (None, problems, decoded) if problems else (*to_table(grid, name, needs_rows=False), decoded)


def _parse_register_objects(data: bytes, name: str) -> tuple[Table | None, tuple[Problem, ...]]:
    try:
        rows = _REGISTER_ROWS.decode(data.removeprefix(codecs.BOM_UTF8))
    except (msgspec.DecodeError, ArithmeticError, RecursionError) as exc:
        return None, (Problem(where=name, message=f"it is no JSON list of objects: {exc}"),)
    return objects_to_table([_flat(row) for row in rows]) if rows else (Table((), ()), ())


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    nested = {key: msgspec.json.encode(cell).decode() for key, cell in row.items() if isinstance(cell, list | dict)}
    return {**row, **nested}


def _parse_objects(data: bytes, name: str) -> tuple[Table | None, tuple[Problem, ...]]:
    try:
        return objects_to_table(msgspec.json.decode(data, type=list[dict[str, Any]]))
    except msgspec.DecodeError as exc:
        return None, (Problem(where=name, message=f"it is no JSON list of objects: {exc}"),)


def _parse_excel(
    data: bytes, name: str, read_sheet: ReadSheet, *, needs_rows: bool = True
) -> tuple[Table | None, tuple[Problem, ...]]:
    try:
        return to_table(read_sheet(data), name, needs_rows=needs_rows)
    except InvalidMessage as exc:
        return None, (Problem(where=name, message=str(exc)),)

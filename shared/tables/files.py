"""Read the bytes of a file as a table: CSV, Excel, or a JSON list of objects."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import msgspec

from shared.contracts.discovery import AS_IT_IS, FileReading, Problem, ReadAs, SheetReading
from shared.errors import InvalidMessage
from shared.tables.delimited import parse_delimited
from shared.tables.sheets import read_workbook, rows_left_out
from shared.tables.table import Table, objects_to_table, to_table
from shared.tables.workbook import OpenWorkbook

EXCEL_SIGNATURES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""First bytes of .xlsx (a zip) and .xls (an OLE file). The bytes decide, not the file name."""
HIDDEN_ROWS = ("take", "leave")
INPUT_OPTIONS = "--"
REGISTER_OPTIONS = "--register-"
"""How the options begin that say how the input is read, and how the register is."""

TableOrProblems = tuple[Table | None, tuple[Problem, ...]]


def parse_table(
    data: bytes, name: str, open_workbook: OpenWorkbook, how: ReadAs = AS_IT_IS, options: str = INPUT_OPTIONS
) -> TableOrProblems:
    """Return the table and every problem. The table says what became of each sheet and row of the file.

    ``options``: how the options begin that say what is in ``how``.
    """
    if name.lower().endswith(".json"):
        return _checked(_parse_objects(data, name), name, how, options)
    return _parse_grid(data, name, open_workbook, how, options, needs_rows=True)


_REGISTER_ROWS = msgspec.json.Decoder(list[dict[str, Any]], float_hook=Decimal)
"""Numbers keep the digits that are written."""


def parse_register(
    data: bytes, name: str, open_workbook: OpenWorkbook, how: ReadAs = AS_IT_IS, options: str = REGISTER_OPTIONS
) -> TableOrProblems:
    """As `parse_table`, of a file that a run is compared with.

    A header without rows, and an empty JSON list, are tables. In JSON, numbers have the digits that are written, and a
    list or an object in a cell is its JSON text.
    """
    if name.lower().endswith(".json"):
        return _checked(_parse_register_objects(data, name), name, how, options)
    return _parse_grid(data, name, open_workbook, how, options, needs_rows=False)


def _parse_grid(
    data: bytes, name: str, open_workbook: OpenWorkbook, how: ReadAs, options: str, *, needs_rows: bool
) -> TableOrProblems:
    is_workbook = data.startswith(EXCEL_SIGNATURES)
    if problems := find_option_problems(how, options, "a workbook" if is_workbook else "a text"):
        return None, problems
    if is_workbook:
        try:
            return read_workbook(open_workbook(data), name, how, options=options, needs_rows=needs_rows)
        except InvalidMessage as exc:
            return None, (Problem(where=name, message=str(exc)),)
    grid, problems, encoding = parse_delimited(data, name, how.encoding, f"{options}encoding")
    if problems:
        return None, problems
    table, problems = to_table(grid, name, needs_rows=needs_rows)
    return _with_reading(table, FileReading(name=name, form="csv", encoding=encoding, read_as=how)), problems


def find_option_problems(how: ReadAs, options: str, what: str) -> tuple[Problem, ...]:
    """Return what is wrong with what was said of how a file is read. ``what``: a workbook, a text, or a JSON list."""
    problems: list[Problem] = []
    if how.hidden_rows and how.hidden_rows not in HIDDEN_ROWS:
        message = f"{how.hidden_rows!r} is neither {' nor '.join(HIDDEN_ROWS)}"
        problems.append(Problem(where=f"{options}hidden-rows", message=message))
    said = {"sheet": bool(how.sheets), "hidden-rows": bool(how.hidden_rows)}
    said = {"encoding": bool(how.encoding), **(said if what != "a workbook" else {})}
    if what == "a text":
        said.pop("encoding")
    problems += [
        Problem(where=f"{options}{option}", message=f"the file is {what}, which has none; leave it out")
        for option, given in said.items()
        if given
    ]
    return tuple(problems)


def _checked(parsed: TableOrProblems, name: str, how: ReadAs, options: str) -> TableOrProblems:
    table, problems = parsed
    problems = (*find_option_problems(how, options, "a JSON list"), *problems)
    return _with_reading(table, FileReading(name=name, form="json", encoding="utf-8")), problems


def _with_reading(table: Table | None, reading: FileReading) -> Table | None:
    if table is None:
        return None
    left = (rows_left_out(table.blank, "blank"),) if table.blank else ()
    sheet = SheetReading(rows=len(table.rows), rows_left_out=left)
    return replace(table, reading=msgspec.structs.replace(reading, sheets=(sheet,)))


def _parse_register_objects(data: bytes, name: str) -> TableOrProblems:
    try:
        rows = _REGISTER_ROWS.decode(data.removeprefix(codecs.BOM_UTF8))
    except (msgspec.DecodeError, ArithmeticError, RecursionError) as exc:
        return None, (Problem(where=name, message=f"it is no JSON list of objects: {exc}"),)
    return objects_to_table([_flat(row) for row in rows]) if rows else (Table((), ()), ())


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    nested = {key: msgspec.json.encode(cell).decode() for key, cell in row.items() if isinstance(cell, list | dict)}
    return {**row, **nested}


def _parse_objects(data: bytes, name: str) -> TableOrProblems:
    try:
        return objects_to_table(msgspec.json.decode(data, type=list[dict[str, Any]]))
    except (msgspec.DecodeError, RecursionError) as exc:
        return None, (Problem(where=name, message=f"it is no JSON list of objects: {exc}"),)

"""What people are told about how a file was read: its sheets, its rows, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shared.contracts.discovery import FileReading, RowsLeftOut, SheetReading

MOST_NAMED = 5
WHY_SHEET = {
    "hidden": "it is hidden",
    "not_named": "another was named",
    "empty": "it is empty",
    "no_cells": "it holds no cells",
}
WHY_ROWS = {"blank": "blank", "hidden": "hidden"}


def reading_lines(reading: FileReading) -> list[str]:
    """Return what became of the file, a sentence a line. The first says what was read."""
    return [_headline(reading), *_left_out(reading), *_doubts(reading)]


def _headline(reading: FileReading) -> str:
    read = [sheet for sheet in reading.sheets if not sheet.left_out]
    of = f", of {' and '.join(_sheet(sheet) for sheet in read)}" if any(sheet.name for sheet in read) else ""
    encoding = f", in {reading.encoding}" if reading.encoding else ""
    told = ", as was told" if reading.read_as.encoding else ""
    return f"{reading.name}: {_number(reading.rows)} read{of}{encoding}{told}"


def _sheet(sheet: SheetReading) -> str:
    return f"the {'hidden ' if sheet.hidden else ''}sheet {sheet.name}"


def _left_out(reading: FileReading) -> Iterator[str]:
    for sheet in reading.sheets:
        of = f" of the sheet {sheet.name}" if sheet.name else ""
        if sheet.left_out:
            yield f"left out: the sheet {sheet.name}: {WHY_SHEET.get(sheet.left_out, sheet.left_out)}"
        if sheet.hidden_rows:
            yield f"read although they are hidden: {_number(sheet.hidden_rows)}{of}"
        for left in sheet.rows_left_out:
            yield f"left out: {_rows_left(left)}{of}"


def _rows_left(left: RowsLeftOut) -> str:
    named = [str(first) if first == last else f"{first} to {last}" for first, last in left.spans[:MOST_NAMED]]
    more = " and more" if len(left.spans) > MOST_NAMED else ""
    return f"{left.rows} {WHY_ROWS.get(left.reason, left.reason)} {_word(left.rows)} ({', '.join(named)}{more})"


def _doubts(reading: FileReading) -> Iterator[str]:
    for note in reading.notes[:MOST_NAMED]:
        yield f"{note.where}: {note.message}; the task does not use it"
    if len(reading.notes) > MOST_NAMED:
        yield f"and {len(reading.notes) - MOST_NAMED} more such notes, in run.json"
    if reading.untold:
        yield f"not known of this format: {reading.untold}"


def _number(rows: int) -> str:
    return f"{rows} {_word(rows)}"


def _word(rows: int) -> str:
    return "row" if rows == 1 else "rows"


def all_lines(readings: Sequence[FileReading | None]) -> list[str]:
    """Return the lines of all readings that there are."""
    return [line for reading in readings if reading is not None for line in reading_lines(reading)]

"""How answers to SQL queries look in a terminal: a table, or a list per row when it is too wide."""

from __future__ import annotations

from typing import Any

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from shared.contracts.evidence import SqlAnswered, SqlColumn, SqlRefused
from shared.text.normal import printable

MAX_CELL_CHARS, MIN_CELL_CHARS = 60, 14
NUMERIC_TYPES = ("INT", "DECIMAL", "DOUBLE", "FLOAT")


def answer_summary(answered: SqlAnswered) -> str:
    """Return the number of rows and runs, and the time."""
    rows = "1 row" if answered.rows == 1 else f"{answered.rows:,} rows"
    runs = "1 run" if answered.runs == 1 else f"{answered.runs:,} runs"
    return f"{rows} from {runs} in {answered.elapsed_ms:.0f} ms"


def answer_view(answered: SqlAnswered, rows: list[dict[str, Any]], width: int) -> RenderableType:
    """Return a table; when its columns do not fit into ``width``, one list of columns per row."""
    needed = sum(min(len(column.name), MIN_CELL_CHARS) + 3 for column in answered.columns)
    return answer_table(answered, rows) if needed <= width else Group(*(_record_table(answered, row) for row in rows))


def _record_table(answered: SqlAnswered, row: dict[str, Any]) -> Table:
    grid = Table(box=SIMPLE_HEAD, show_header=False, border_style="dim", pad_edge=False)
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    for column in answered.columns:
        grid.add_row(escape(column.name), _cell(column, row.get(column.name)))
    return grid


def answer_table(answered: SqlAnswered, rows: list[dict[str, Any]]) -> Table:
    """Return a table with numbers aligned right and long text cut. Text of pages is never markup."""
    table = Table(box=SIMPLE_HEAD, header_style="bold", border_style="dim", pad_edge=False)
    for column in answered.columns:
        is_number = column.type.startswith(NUMERIC_TYPES) or "INT" in column.type.split("[")[0].split("(")[0]
        min_width = (
            len("2026-03-01 10:15:00Z")
            if column.type.startswith("TIMESTAMP")
            else min(len(column.name), MIN_CELL_CHARS)
        )
        justify = "right" if is_number else "left"
        table.add_column(escape(column.name), justify=justify, min_width=min_width)
    for row in rows:
        table.add_row(*(_cell(column, row.get(column.name)) for column in answered.columns))
    return table


def _cell(column: SqlColumn, value: object) -> Text:
    """Return a value on one line; long text is cut, not wrapped."""
    if value is None:
        return Text("-", style="dim")
    if isinstance(value, str):
        text = _timestamp_text(value) if column.type.startswith("TIMESTAMP") else value
    elif column.type.startswith("DECIMAL") and isinstance(value, float):
        text = f"{value:.9f}".rstrip("0").removesuffix(".")
    else:
        text = msgspec.json.encode(value).decode()
    text = printable(text, " ")
    cut = text if len(text) <= MAX_CELL_CHARS else f"{text[: MAX_CELL_CHARS - 1]}\N{HORIZONTAL ELLIPSIS}"
    return Text(cut, no_wrap=True, overflow="ellipsis")


def _timestamp_text(text: str) -> str:
    """Return a timestamp with milliseconds, when it has any."""
    return text[:23].replace("T", " ").removesuffix(".000") + "Z"


def refusal_text(query: str, reply: SqlRefused) -> str:
    """Return the reason, the line of the query with the position marked, and hints.

    Messages of the database may quote text of pages, so control characters are removed.
    """
    lines = ["exhibit: " + printable(reply.message, " ", keep="\n")]
    if reply.position is not None:
        lines += _marked_line(query, reply.position)
    lines += ["  " + printable(hint, " ", keep="\n") for hint in reply.hints]
    return "\n".join(lines) + "\n"


def _marked_line(query: str, position: int) -> list[str]:
    before = query[:position]
    number, column = before.count("\n"), position - (before.rfind("\n") + 1)
    line = (query.split("\n") or [""])[number]
    return [f"  {line}", f"  {' ' * column}^"]

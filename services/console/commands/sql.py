"""`exhibit sql`: one question to the evidence, and its answer as a table, a file or lines for a script."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from services.console.commands.run.command import system
from shared.client import RunRejectedError
from shared.contracts.discovery import Problem
from shared.contracts.evidence import SqlAnswered, SqlColumn, SqlRefused
from shared.settings import Settings
from shared.text.terminal import printable


class SqlFormat(StrEnum):
    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


TABLE_ROWS, FILE_ROWS = 200, 1_000_000
"""How many rows are brought where nothing is said: on a screen, and for a program."""
WIRE: dict[SqlFormat, Literal["json", "csv", "parquet"]] = {
    SqlFormat.table: "json",
    SqlFormat.json: "json",
    SqlFormat.csv: "csv",
    SqlFormat.parquet: "parquet",
}
LONGEST_CELL, LEAST_CELL = 60, 14
NUMBERS = ("INT", "DECIMAL", "DOUBLE", "FLOAT")


@dataclass(frozen=True)
class Ask:
    """What was asked for on the command line."""

    query: str
    runs: tuple[str, ...]
    format: SqlFormat
    out: Path | None
    max_rows: int | None
    timeout_s: float


def sql_question(words: list[str], format_: SqlFormat, out: Path | None, max_rows: int | None, timeout_s: float) -> Ask:
    """Of the words of the command line the last is the query, those before it are runs."""
    *runs, query = words
    return Ask(sys.stdin.read() if query == "-" else query, tuple(runs), format_, out, max_rows, timeout_s)


async def ask_sql(settings: Settings, asked: Ask) -> bool:
    """Prints the answer, or writes it; False where the query was refused, which is then said."""
    if wrong := _wrong_out(asked):
        raise RunRejectedError([Problem(where="--out", message=wrong)])
    most = asked.max_rows or (TABLE_ROWS if asked.format == "table" and asked.out is None else FILE_ROWS)
    # A key that asking made would be the one that `exhibit verify` trusts from then on.
    async with system(settings.model_copy(update={"evidence_read_only": True}), ["evidence"]) as client:
        reply = await client.sql(
            asked.query, asked.runs, format=WIRE[asked.format], max_rows=most, timeout_s=asked.timeout_s
        )
        if isinstance(reply, SqlRefused):
            sys.stderr.write(refused(asked.query, reply))
            return False
        answered, data = reply
        _give(asked, answered, data)
        _say(answered, to_a_file=asked.out is not None or asked.format != "table")
        return True


def _wrong_out(asked: Ask) -> str:
    """Why the answer cannot go where it is wanted; empty where it can."""
    if asked.out is None:
        return "parquet is for programs: say where the file goes" if asked.format == "parquet" else ""
    if not asked.out.absolute().parent.is_dir():
        return f"there is no folder {asked.out.parent} to write {asked.out.name} to"
    return f"{asked.out} is a folder: name a file" if asked.out.is_dir() else ""


def _give(asked: Ask, answered: SqlAnswered, data: bytes) -> None:
    if asked.format == "table":
        rows: list[dict[str, Any]] = json.loads(data)  # within lists DuckDB writes NaN, which is no JSON
        if asked.out is None:
            console = Console()
            console.print(shown(answered, rows, console.width))
            return
        with asked.out.open("w", encoding="utf-8") as file:
            Console(file=file, width=400).print(table_of(answered, rows))
    elif asked.out is None:
        sys.stdout.write(data.decode())
    else:
        asked.out.write_bytes(data)


def _say(answered: SqlAnswered, *, to_a_file: bool) -> None:
    """How much it is, and what else is to be known. Beside data that a program reads it goes to standard error."""
    console = Console(stderr=to_a_file)
    console.print(summary(answered), style="dim", highlight=False)
    for note in answered.notes:
        console.print(note, style="yellow", markup=False, highlight=False, soft_wrap=True)
    if answered.cut:
        console.print(f"There are more: these are the first {answered.rows:,}. --max-rows brings more.", style="yellow")


def summary(answered: SqlAnswered) -> str:
    rows = "1 row" if answered.rows == 1 else f"{answered.rows:,} rows"
    runs = "1 run" if answered.runs == 1 else f"{answered.runs:,} runs"
    return f"{rows} from {runs} in {answered.elapsed_ms:.0f} ms"


def shown(answered: SqlAnswered, rows: list[dict[str, Any]], width: int) -> RenderableType:
    """A table; where its columns do not fit beside each other, each row as a list of its columns."""
    needed = sum(min(len(column.name), LEAST_CELL) + 3 for column in answered.columns)
    return table_of(answered, rows) if needed <= width else Group(*(_record(answered, row) for row in rows))


def _record(answered: SqlAnswered, row: dict[str, Any]) -> Table:
    grid = Table(box=SIMPLE_HEAD, show_header=False, border_style="dim", pad_edge=False)
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    for column in answered.columns:
        grid.add_row(escape(column.name), _cell(column, row.get(column.name)))
    return grid


def table_of(answered: SqlAnswered, rows: list[dict[str, Any]]) -> Table:
    """Numbers to the right, long text cut; nothing that a page said is taken for markup."""
    table = Table(box=SIMPLE_HEAD, header_style="bold", border_style="dim", pad_edge=False)
    for column in answered.columns:
        right = column.type.startswith(NUMBERS) or "INT" in column.type.split("[")[0].split("(")[0]
        least = (
            len("2026-03-01 10:15:00Z") if column.type.startswith("TIMESTAMP") else min(len(column.name), LEAST_CELL)
        )
        justify = "right" if right else "left"
        table.add_column(escape(column.name), justify=justify, min_width=least)
    for row in rows:
        table.add_row(*(_cell(column, row.get(column.name)) for column in answered.columns))
    return table


def _cell(column: SqlColumn, value: object) -> Text:
    """On one line: what is long is cut where the screen ends, not folded."""
    if value is None:
        return Text("-", style="dim")
    if isinstance(value, str):
        text = _moment(value) if column.type.startswith("TIMESTAMP") else value
    elif column.type.startswith("DECIMAL") and isinstance(value, float):
        text = f"{value:.9f}".rstrip("0").removesuffix(".")
    else:
        text = msgspec.json.encode(value).decode()
    text = printable(text, " ")
    cut = text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}\N{HORIZONTAL ELLIPSIS}"
    return Text(cut, no_wrap=True, overflow="ellipsis")


def _moment(text: str) -> str:
    """To the millisecond, as one reads it."""
    return text[:23].replace("T", " ").removesuffix(".000") + "Z"


def refused(query: str, reply: SqlRefused) -> str:
    """The reason, the line of the query with the place marked, and what there is instead.

    What the database says may quote what a page said.
    """
    lines = ["exhibit: " + printable(reply.message, " ", keep="\n")]
    if reply.position is not None:
        lines += _marked(query, reply.position)
    lines += ["  " + printable(hint, " ", keep="\n") for hint in reply.hints]
    return "\n".join(lines) + "\n"


def _marked(query: str, position: int) -> list[str]:
    before = query[:position]
    number, column = before.count("\n"), position - (before.rfind("\n") + 1)
    line = (query.split("\n") or [""])[number]
    return [f"  {line}", f"  {' ' * column}^"]

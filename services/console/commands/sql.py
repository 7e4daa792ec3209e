"""`exhibit sql`: query the evidence; the answer is a table, a file, or lines for a script."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from services.console import exits
from services.console.event_loop import run_async
from services.console.options import Evidence, Nats, load_settings
from services.console.run_location import locate_runs
from services.console.terminal.plain_console import PlainConsole
from services.console.terminal.plain_output import print_err
from services.console.terminal.sql_view import answer_summary, answer_table, answer_view, refusal_text
from shared.contracts.discovery import Problem
from shared.contracts.evidence import SqlAnswered, SqlRefused
from shared.errors import RunRejectedError
from shared.host.connections import open_client

if TYPE_CHECKING:
    from shared.settings import Settings


class SqlFormat(StrEnum):
    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


TABLE_ROWS, FILE_ROWS = 200, 1_000_000
"""Default limit of rows: on a screen, and for a program."""
WIRE_FORMATS: dict[SqlFormat, Literal["json", "csv", "parquet"]] = {
    SqlFormat.table: "json",
    SqlFormat.json: "json",
    SqlFormat.csv: "csv",
    SqlFormat.parquet: "parquet",
}


def sql(
    words: Annotated[
        list[str], typer.Argument(metavar="[RUN] QUERY", help='"select ... from samples"; - reads it. No RUN: all.')
    ],
    format: Annotated[SqlFormat, typer.Option(help="Parquet only with --out.")] = SqlFormat.table,
    out: Annotated[Path | None, typer.Option(help="File for the answer.")] = None,
    max_rows: Annotated[int | None, typer.Option(min=1, help="Most rows; else 200 on a screen, a million.")] = None,
    timeout_s: Annotated[float, typer.Option("--timeout", min=0.1, max=120, help="Seconds a query may take.")] = 30.0,
    evidence: Evidence = None,
    nats: Nats = None,
) -> int:
    """Ask the evidence in SQL: "show tables" lists the views, docs/sql.md explains them."""
    with exits.bad_input("RUN"):
        settings, runs = locate_runs(load_settings(nats, evidence), words[:-1])
    query = sys.stdin.read() if words[-1] == "-" else words[-1]
    work = ask_sql(settings, query, runs, format=format, out=out, max_rows=max_rows, timeout_s=timeout_s)
    return exits.OK if run_async(work) else exits.BAD_INPUT


async def ask_sql(
    settings: Settings,
    query: str,
    runs: Sequence[str],
    *,
    format: SqlFormat,
    out: Path | None,
    max_rows: int | None,
    timeout_s: float,
) -> bool:
    """Print the answer, or write it to ``out``. Return False, and print why, when the query was refused."""
    if problem := _find_out_problem(format, out):
        raise RunRejectedError([Problem(where="--out", message=problem)])
    limit = max_rows or (TABLE_ROWS if format == "table" and out is None else FILE_ROWS)
    # Read-only: `exhibit verify` would trust a key that was created here.
    async with open_client(settings.model_copy(update={"evidence_read_only": True}), ["evidence"]) as client:
        reply = await client.sql(query, tuple(runs), format=WIRE_FORMATS[format], max_rows=limit, timeout_s=timeout_s)
        if isinstance(reply, SqlRefused):
            print_err(refusal_text(query, reply))
            return False
        answered, data = reply
        _write_answer(format, out, answered, data)
        _print_summary(answered, to_stderr=out is not None or format != "table")
        return True


def _find_out_problem(format: SqlFormat, out: Path | None) -> str:
    """Return why the answer cannot be written to ``out``, or an empty string."""
    if out is None:
        return "parquet is for programs: say where the file goes" if format == "parquet" else ""
    if not out.absolute().parent.is_dir():
        return f"there is no folder {out.parent} to write {out.name} to"
    return f"{out} is a folder: name a file" if out.is_dir() else ""


def _write_answer(format: SqlFormat, out: Path | None, answered: SqlAnswered, data: bytes) -> None:
    if format == "table":
        rows: list[dict[str, Any]] = json.loads(data)  # not msgspec: DuckDB writes NaN in lists, which is no JSON
        if out is None:
            console = PlainConsole()
            console.print(answer_view(answered, rows, console.width))
            return
        with out.open("w", encoding="utf-8") as file:
            PlainConsole(file=file, width=400).print(answer_table(answered, rows))
    elif out is None:
        sys.stdout.write(data.decode())
    else:
        out.write_bytes(data)


def _print_summary(answered: SqlAnswered, *, to_stderr: bool) -> None:
    """Print the number of rows and the notes; to standard error when a program reads standard output."""
    console = PlainConsole(stderr=to_stderr)
    console.print(answer_summary(answered), style="dim", highlight=False)
    for note in answered.notes:
        console.print(note, style="yellow", markup=False, highlight=False, soft_wrap=True)
    if answered.cut:
        console.print(f"There are more: these are the first {answered.rows:,}. --max-rows brings more.", style="yellow")

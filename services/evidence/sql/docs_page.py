"""Renders docs/sql.md from the catalogue and the examples."""

from __future__ import annotations

from collections.abc import Iterator

from services.evidence.sql.catalogue import VIEWS, SqlView
from services.evidence.sql.examples import EXAMPLES

HEAD = """# The evidence in SQL

<!-- Written by scripts/write_docs.py from services/evidence/sql: change it there. -->

    exhibit sql "select status, reason, count(*) from samples group by all"
    exhibit sql run_2026-03-01_101500 "from fields where state = 'not_found'" --format csv --out missing.csv
    exhibit sql - < question.sql

The SQL is that of [DuckDB](https://duckdb.org/docs/stable/sql/introduction). Without a run all runs are asked; every
view has `run_id` and `task_id`. `--format` is `table` (200 rows on a screen), `csv`, `json` or `parquet` (with
`--out`); `--max-rows` brings more, and where rows were left out that is said. In CSV a text that a spreadsheet
would take for a formula begins with an apostrophe; JSON and parquet have values as they are. On the bus the same is
`exhibit.v1.ask.evidence.sql.ask` (`AskSql` in shared/contracts/evidence.py), and `Client.sql` in Python.

**Where the rows come from.** A run that is complete has them in `tables/*.parquet` beside its JSON files, made of these
when it was closed and sealed with them; they are read where they lie, in the folder or in the bucket. A run that is not
complete has no such tables yet (nor has one of a version before them): its JSON files are read when it is asked about,
which takes longer the larger it is, and the answer says as of when it is. `runs.read_from` tells the two apart.

**Types.** Times are `TIMESTAMP WITH TIME ZONE`, shown in UTC; money is exact (`DECIMAL`); what may be missing is NULL,
never an empty text. `JSON` is used only where a value's type differs from row to row: `params->>'$.url'`.

**What a query may do**: read these views. One statement at a time, a SELECT (or WITH, FROM, VALUES, DESCRIBE,
SUMMARIZE, SHOW TABLES), for at most 30 s unless `--timeout` says otherwise (120 s at most), with 768 MB of memory. It
reads no other file or address, and writes nothing. How that is held is in docs/adr/0011-a-query-runs-in-a-cell.md.
"""


def page() -> str:
    """Return the text of docs/sql.md."""
    return "\n".join([HEAD, *_contents(), *(line for view in VIEWS for line in _view(view)), *_examples()]) + "\n"


def _contents() -> Iterator[str]:
    yield "| view | one row for each |"
    yield "|---|---|"
    for view in VIEWS:
        yield f"| [{view.name}](#{view.name}) | {view.one_row} |"
    yield ""
    yield "And [what an auditor asks](#what-an-auditor-asks)."
    yield ""


def _view(view: SqlView) -> Iterator[str]:
    yield f"## {view.name}"
    yield ""
    yield f"One row for each {view.one_row}.{' ' + view.note if view.note else ''}"
    yield ""
    yield "| column | type | unit | meaning |"
    yield "|---|---|---|---|"
    for column in view.columns:
        yield f"| `{column.name}` | {_cell(column.type)} | {column.unit} | {_cell(column.meaning)} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _examples() -> Iterator[str]:
    yield "## What an auditor asks"
    yield ""
    yield "The names of fields (`assignee`) are those of your task. Each question is tried on the evidence of a run."
    for number, example in enumerate(EXAMPLES, start=1):
        yield ""
        yield f"**{number}. {example.asks}**"
        yield ""
        yield "```sql"
        yield example.sql
        yield "```"

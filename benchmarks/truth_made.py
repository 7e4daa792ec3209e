"""Lists and input files that are made from seeds with their truth, and what is told of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from shared.contracts.discovery import ReadAs
from shared.tables.table import Table
from tests.handlers.planner.made_list_runs import MadeListRead, read_made
from tests.unit.shared.tables.made_books import Made, MadeText, books, texts
from tests.unit.shared.tables.written_workbook import read

SEED = 32


async def read_made_lists(count: int) -> list[MadeListRead]:
    return [await read_made(number) for number in range(count)]


@dataclass
class RowsRead:
    """``rows`` that files hold, and ``lost`` ones: neither in the table nor in what it says is left out, or there with
    another key than a person sees, without a word."""

    files: int = 0
    rows: int = 0
    lost: int = 0


def rows_of_made_files(examples: int) -> RowsRead:
    """Read so many workbooks and as many texts."""
    told = RowsRead()

    def of_book(book: tuple[list[Made], ReadAs, bytes]) -> None:
        made, how, data = book
        table, problems = read(data, how)
        told.files += 1
        told.rows += sum(len(one.filled) for one in made)
        if table is not None:
            told.lost += sum(_lost_of_sheet(one, table) for one in made)
        elif not problems:
            told.lost += sum(len(one.filled) for one in made)

    def of_text(text: MadeText) -> None:
        table, problems = text.read()
        told.files += 1
        told.rows += len(text.rows)
        there = {} if table is None else {one.number: (one.cells["id"], one.cells[text.note]) for one in table.rows}
        if table is not None or not problems:
            told.lost += sum(there.get(number) != cells for number, cells in text.rows.items())

    _each(books(), of_book, examples)
    _each(texts(), of_text, examples)
    return told


def _each(strategy: SearchStrategy[Any], look: Callable[[Any], None], examples: int) -> None:
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    how = settings(
        max_examples=examples, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=checks
    )
    seed(SEED)(how(given(strategy)(look)))()


def _lost_of_sheet(made: Made, table: Table) -> int:
    """Return how many rows of a sheet the table neither has as they are seen, nor names."""
    assert table.reading is not None
    told = next(one for one in table.reading.sheets if one.name == made.sheet.name)
    if told.left_out:
        return 0
    named = {at for left in told.rows_left_out for a, b in left.spans for at in range(a, b + 1)}
    doubted = {number for flaw in table.flaws if flaw.column == "id" for number in flaw.rows}
    there = {row.sheet_row: row for row in table.rows if row.sheet == made.sheet.name}

    def is_kept(at: int) -> bool:
        if at in named:
            return True
        row = there.get(at)
        return row is not None and (row.number in doubted or row.cells["id"] == made.seen.get(at))

    return sum(not is_kept(at) for at in made.filled)

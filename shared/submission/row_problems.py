"""Problems of single rows, and of the addresses that rows lead to. The same problem of many rows is told once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from shared.contracts.discovery import Problem, Sample
from shared.network.host_policy import HostPolicy, document_refusal
from shared.tables.table import row_place
from shared.task.allowed_hosts import allowed_hosts, private_hosts
from shared.task.row_values import start_url
from shared.task.spec import TaskSpec

MOST_ROWS_NAMED = 10


@dataclass(frozen=True)
class RowName:
    """``number``: under the header, from 1. ``sheet`` and ``sheet_row``: its place in a workbook."""

    number: int
    sheet: str = ""
    sheet_row: int = 0

    @property
    def place(self) -> str:
        return row_place(self.number, self.sheet, self.sheet_row)

    @property
    def short(self) -> str:
        return f"{self.sheet} {self.sheet_row}" if self.sheet else str(self.number)


@dataclass(frozen=True)
class RowProblem:
    """``row``: its name (`row_place`). ``column``: empty where the problem is of the row as a whole."""

    row: RowName
    column: str
    message: str


def name_of(sample: Sample) -> RowName:
    return RowName(sample.row, sample.sheet, sample.sheet_row)


def told_once(problems: Iterable[RowProblem]) -> Iterator[Problem]:
    """Yield each problem once, with the rows that have it and their number."""
    rows: dict[tuple[str, str], list[RowName]] = {}
    for problem in problems:
        rows.setdefault((problem.column, problem.message), []).append(problem.row)
    for (column, message), found in rows.items():
        yield Problem(where=_place(found, column), message=message)


def _place(rows: Sequence[RowName], column: str) -> str:
    where = rows[0].place
    if len(rows) > 1:
        named, more = rows[:MOST_ROWS_NAMED], len(rows) - MOST_ROWS_NAMED
        where = f"{len(rows)} rows ({', '.join(row.short for row in named)}{f' and {more} more' if more > 0 else ''})"
    return f"{where}, column {column}" if column else where


def find_refused_addresses(spec: TaskSpec, samples: Iterable[Sample]) -> Iterator[RowProblem]:
    """Yield the samples whose start address no browser pool would open, by the rules that the pools have.

    A name is not resolved here: that it leads to a private address, only the pool can tell.
    """
    private = private_hosts(spec)
    for sample in samples:
        try:
            url = start_url(spec, sample)
        except KeyError:
            continue  # a missing column is a problem of its own
        refused = document_refusal(url, (), HostPolicy(allowed_hosts(spec, sample), private))
        if refused is not None:
            yield RowProblem(name_of(sample), "", refused)

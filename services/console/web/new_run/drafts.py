"""Runs that somebody prepares in the browser: the task, the table, which column is which, what is wrong.

A draft is kept by the server until it ends, or until others take its place.
"""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shared.contracts.discovery import AS_IT_IS, FileReading, Problem, ReadAs, Sample, SubmitRun
from shared.submission.samples import first_problems, key_template, required_columns
from shared.submission.search import check_new_run
from shared.tables.files import parse_table
from shared.tables.table import Table
from shared.tables.workbook import OpenWorkbook
from shared.task.spec import TaskSpec, check_spec
from shared.text.normal import letters_and_digits

PILOT_ROWS = 3
SHOWN_ROWS = 5
MOST_DRAFTS, MOST_BYTES = 16, 250_000_000
"""As many drafts, and bytes of their files, are kept; the newest one in any case."""
NO_COLUMN = ""


@dataclass(frozen=True)
class DraftOptions:
    """``columns``: of the file, by the input of the task that takes its cells from there."""

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    read_as: ReadAs = AS_IT_IS
    planner: str = ""
    mode: str = ""
    concurrency: int | None = None


@dataclass(frozen=True)
class RunDraft:
    """A run before it is one.

    ``discovery``: the task that finds its samples; None: a table has them, or ``spec`` itself only lists some. ``row``:
    what fills the task that finds them. ``pilot``: the run of the first rows. ``started``: the run that
    each form has begun, so that a form that is sent twice begins one. ``tried``: its rows are those that the spec was
    tried on, and not yet those that are to be done.
    """

    draft_id: str
    spec: dict[str, Any]
    file_name: str = ""
    data: bytes = b""
    options: DraftOptions = DraftOptions()
    row: Mapping[str, str] = field(default_factory=dict[str, str])
    discovery: dict[str, Any] | None = None
    pilot: str = ""
    started: Mapping[str, str] = field(default_factory=dict[str, str])
    tried: bool = False

    @property
    def lists_only(self) -> bool:
        return self.spec.get("phase") == "discovery"

    @property
    def finds_samples(self) -> bool:
        """Whether its samples are found by navigating: no table has them."""
        return self.lists_only or self.discovery is not None

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns that the task names: those that a row must have, and those that it may have."""
        spec = _task(self.spec)
        return () if spec is None else tuple(dict.fromkeys((*spec.input_schema, *self.needed)))

    @property
    def needed(self) -> tuple[str, ...]:
        """Those that a row must have."""
        spec = _task(self.spec)
        return () if spec is None else tuple(required_columns(spec, key_template(spec, ())))

    @property
    def filled_with(self) -> tuple[str, ...]:
        """The names that fill the task that finds the samples."""
        spec = _task(self.discovery or self.spec) if self.finds_samples else None
        return () if spec is None else tuple(required_columns(spec, None))


def table_of(samples: Sequence[Sample]) -> bytes:
    """Return the rows of samples as a table (CSV), each cell as it was given."""
    cells = [{**one.fields, **one.as_given} for one in samples]
    written = io.StringIO()
    writer = csv.DictWriter(written, list(dict.fromkeys(name for row in cells for name in row)), restval="")
    writer.writeheader()
    writer.writerows(cells)
    return written.getvalue().encode()


def _task(spec: dict[str, Any]) -> TaskSpec | None:
    return check_spec(spec)[0]


@dataclass(frozen=True)
class ReadDraft:
    """A draft with its table as the task names its columns. ``problems``: all, as discovery would tell them."""

    draft: RunDraft
    table: Table | None
    file_columns: tuple[str, ...]
    columns: Mapping[str, str]
    reading: FileReading | None
    problems: tuple[Problem, ...]

    @property
    def rows(self) -> int:
        return len(self.table.rows) if self.table is not None else 0

    @property
    def shown(self) -> list[list[str]]:
        """The cells of the first rows, by the columns of the table."""
        if self.table is None:
            return []
        return [[row.cells.get(name, "") for name in self.table.columns] for row in self.table.rows[:SHOWN_ROWS]]

    @property
    def takes_file(self) -> bool:
        """Whether the file can be sent as it is: no column is called otherwise than in it, and none is left out."""
        return all(
            column == name or (column == NO_COLUMN and name not in self.file_columns)
            for name, column in self.columns.items()
        )

    def objects(self, begin: int, end: int | None = None) -> list[dict[str, Any]]:
        """Return rows as objects."""
        return [dict(row.cells) for row in (self.table.rows if self.table is not None else ())[begin:end]]

    def request(self, rows: Sequence[dict[str, Any]] | None) -> SubmitRun:
        """Return the request, as it is checked."""
        options = self.draft.options
        return SubmitRun(
            spec=self.draft.spec,
            samples=None if rows is None else tuple(rows),
            discovery=self.draft.discovery,
            discovery_row=dict(self.draft.row) if self.draft.finds_samples else {},
            planner=options.planner or None,
            concurrency=options.concurrency,
            mode=options.mode or None,
        )


def read_draft(draft: RunDraft, open_workbook: OpenWorkbook) -> ReadDraft:
    """Read the table of a draft, name its columns as the task does, and find all problems.

    It takes as long as the file is large.
    """
    empty = ReadDraft(draft, None, (), {}, None, ())
    if draft.finds_samples:
        return replace(empty, problems=first_problems(check_new_run(empty.request(None), None)[1]))
    options = draft.options
    table, problems = (None, (Problem(where="rows", message="there are none yet: give them as a file, or paste them"),))
    if draft.file_name:
        table, problems = parse_table(draft.data, draft.file_name, open_workbook, options.read_as)
    columns = columns_of(draft, table) if table is not None else {}
    named = renamed(table, columns) if table is not None else None
    request = replace(empty, columns=columns).request(())
    reading, found = check_new_run(request, (named, problems))
    return ReadDraft(
        draft,
        named,
        table.columns if table is not None else (),
        columns,
        reading,
        first_problems(found),
    )


def columns_of(draft: RunDraft, table: Table) -> dict[str, str]:
    """Return for each input of the task the column that it is taken from.

    As somebody has said, else the one of its name, else the only one that is written alike.
    """
    found: dict[str, str] = {}
    for name in draft.inputs:
        said = draft.options.columns.get(name)
        if said is not None and (said in table.columns or said == NO_COLUMN):
            found[name] = said
            continue
        alike = [one for one in table.columns if letters_and_digits(one) == letters_and_digits(name)]
        found[name] = name if name in table.columns else alike[0] if len(alike) == 1 else NO_COLUMN
    return found


def renamed(table: Table, columns: Mapping[str, str]) -> Table:
    """Return the table with the columns called as the inputs that are taken from them.

    Another column that has such a name, and is not taken, is left out.
    """
    to = {column: name for name, column in columns.items() if column != NO_COLUMN}
    kept = [one for one in table.columns if one in to or one not in columns]
    names = {one: to.get(one, one) for one in kept}

    def of(cells: Mapping[str, str]) -> dict[str, str]:
        return {names[one]: value for one, value in cells.items() if one in names}

    return replace(
        table,
        columns=tuple(names.values()),
        header=tuple(names.get(one, one) for one in table.header),
        rows=tuple(replace(row, cells=of(row.cells), as_given=of(row.as_given)) for row in table.rows),
        flaws=tuple(replace(one, column=names[one.column]) for one in table.flaws if one.column in names),
    )


class Drafts:
    """The drafts of a server. The oldest go where there are too many."""

    def __init__(self) -> None:
        self._drafts: dict[str, RunDraft] = {}
        self.changing = asyncio.Lock()
        """Held while a draft is changed or its run is started."""

    def get(self, draft_id: str) -> RunDraft | None:
        return self._drafts.get(draft_id)

    def put(self, draft: RunDraft) -> None:
        self._drafts.pop(draft.draft_id, None)
        self._drafts[draft.draft_id] = draft
        while len(self._drafts) > 1 and (len(self._drafts) > MOST_DRAFTS or self._bytes > MOST_BYTES):
            del self._drafts[next(iter(self._drafts))]

    def of_pilot(self, run_id: str) -> str:
        """Return the draft whose first rows the run has; empty: there is none."""
        return next((one.draft_id for one in self._drafts.values() if one.pilot == run_id), "")

    @property
    def _bytes(self) -> int:
        return sum(len(one.data) for one in self._drafts.values())

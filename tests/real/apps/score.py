"""Scores a run against the truth of an app: cells of records, and lists. Every cell gets exactly one verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from tests.real.apps.app import Truth, as_text

CellVerdict = Literal["right", "wrong", "review", "failed", "left"]
ListVerdict = Literal["exact", "incomplete", "false"]
"""``exact``: complete and equal to the truth. ``incomplete``: the run says so. ``false``: complete, but not exact."""


@dataclass(frozen=True)
class Cell:
    """A field of a sample, as the ``fields`` view has it. ``state``: value, not_present, not_found. ``ink``: what its
    picture shows of it; empty where none was looked at."""

    state: str
    value: str
    ink: str = ""


@dataclass(frozen=True)
class Ended:
    """The end of a sample, with its cells by field."""

    status: str
    reason: str
    cells: Mapping[str, Cell]


@dataclass(frozen=True)
class Judged:
    """The verdict on a cell. ``field`` is empty for a record that does not exist: it counts as one cell.

    ``is_read_right``: the value of the database was read, whatever became of the sample. ``has_text``: it is not empty.
    ``ink``: of the value."""

    record: str
    field: str
    verdict: CellVerdict
    why: str
    is_read_right: bool = False
    has_text: bool = False
    ink: str = ""


@dataclass(frozen=True)
class Listed:
    verdict: ListVerdict
    wanted: int
    right: int
    why: str


def judge_cells(truth: Truth, fields: Sequence[str], ends: Mapping[str, Ended]) -> list[Judged]:
    """Return the verdicts on all asked cells.

    ``right``: done, with the value of the database, or empty where it has none. ``wrong``: done, with another value, or
    with "not present" where there is one. ``left``: done, but the field is reported as not found. ``review``: a person
    looks at the sample. ``failed``: it is given up.
    """
    judged = [
        _judge_cell(name, field, record.values[field], ends.get(name))
        for name, record in truth.records.items()
        for field in fields
    ]
    return judged + [_judge_missing(name, ends.get(name)) for name in truth.missing]


def _judge_cell(record: str, field: str, wanted: object, end: Ended | None) -> Judged:
    if end is None:
        return Judged(record, field, "failed", "no result")
    cell = end.cells.get(field)
    got = cell.value if cell is not None and cell.state == "value" else ""
    ink = cell.ink if cell is not None else ""
    is_right = got == as_text(wanted) or _is_number(got, wanted)
    if end.status != "done":
        verdict: CellVerdict = "failed" if end.status == "failed" else "review"
        is_read_right = is_right and cell is not None and cell.state in ("value", "not_present")
        return Judged(record, field, verdict, f"{end.status} {end.reason}", is_read_right, got != "", ink)
    if cell is None or cell.state == "not_found":
        return Judged(record, field, "left", f"not found; the database has {wanted!r}")
    if is_right:
        return Judged(record, field, "right", "", True, got != "", ink)
    return Judged(record, field, "wrong", f"{got!r}; the database has {wanted!r}")


def _is_number(got: str, wanted: object) -> bool:
    """Return whether the text is that number: 12.50 is 12.5."""
    try:
        return isinstance(wanted, int | float) and Decimal(got) == Decimal(str(wanted))
    except InvalidOperation:
        return False


def _judge_missing(record: str, end: Ended | None) -> Judged:
    if end is None:
        return Judged(record, "", "failed", "no result")
    said = f"{end.status} {end.reason}"
    if end.status == "done":
        return Judged(record, "", "wrong", "done, but there is no such record")
    values = sorted(name for name, cell in end.cells.items() if cell.state == "value")
    if values:
        return Judged(record, "", "wrong", f"{said}, but with values of {', '.join(values)}")
    return Judged(record, "", "right" if end.reason == "not_found" else "review", said)


def judge_list(truth: Truth, items: Sequence[Mapping[str, str]], key: str, *, complete: bool, note: str) -> Listed:
    """Return the verdict on a list. ``items``: what was listed, in order; ``key``: the field that names an item."""
    named = [item.get(key, "") for item in items]
    right = sum(_is_right(truth, item, key) for item in items)
    foreign = [name for name in named if name not in truth.listed]
    twice = len(named) - len(set(named))
    exact = right == len(items) == len(truth.listed) and not twice
    other = [item for item in items if item.get(key, "") in truth.listed and not _is_right(truth, item, key)]
    counted = f"{len(items)} listed, {right} right, {len(foreign)} foreign {foreign[:3]}, {twice} twice"
    why = f"{counted}, other values {other[:2]}; {note}"
    verdict: ListVerdict = ("exact" if exact else "false") if complete else "incomplete"
    return Listed(verdict, len(truth.listed), right, "" if verdict == "exact" else why)


def _is_right(truth: Truth, item: Mapping[str, str], key: str) -> bool:
    wanted = truth.listed.get(item.get(key, ""))
    return wanted is not None and all(as_text(value) == item.get(field, "") for field, value in wanted.items())


def counts(judged: Iterable[Judged]) -> Counter[str]:
    return Counter(one.verdict for one in judged)

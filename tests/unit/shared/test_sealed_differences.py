"""Files that were sealed beside those that are there: each difference is found once, at the file that was sealed."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from typing import Any

from shared.contracts.base import Usage
from shared.evidence_format.facts import ResultFacts, TaskFacts
from shared.evidence_format.files.manifest import FileEntry
from shared.evidence_format.files.sample import ResultFile, StoredField
from shared.evidence_format.sources.source import Digest
from shared.evidence_format.table.rows import RowMaker, cell_texts
from shared.evidence_format.verify.compare import differences, row_problems
from tests.cases import cases

NOW = datetime(2026, 3, 3, 12, tzinfo=UTC)
SEALED = {"a": "1", "b": "2", "c": "2", "d": "3"}
"""Files by name, each with the hash of its bytes; two have the same."""


def found(actual: dict[str, str], sizes: dict[str, int] | None = None, unreadable: str = "") -> dict[str, str]:
    entries = {path: FileEntry(path=path, sha256=sha256, size_bytes=5) for path, sha256 in SEALED.items()}
    there = {
        path: Digest(sha256, (sizes or {}).get(path, 5), "locked" if path == unreadable else "")
        for path, sha256 in actual.items()
    }
    told = differences(entries, there)
    assert len({one.path for one in told}) == len(told)
    return {one.path: f"{one.code}: {one.message}" for one in told}


def test_nothing_differs_where_all_is_as_it_was():
    assert found(SEALED) == {}


@cases(
    ("changes", "told"),
    [
        ({"a": "9"}, {"a": "changed: was changed since it was sealed: its SHA-256 is another"}),
        ({"a": None}, {"a": "missing: was sealed and is not there any more"}),
        ({"new": "9"}, {"new": "added: was added since it was sealed"}),
        ({"new": "1"}, {"new": "added: was added since it was sealed"}),  # a copy
        ({"a": None, "new": "1"}, {"a": "renamed: was renamed or moved: its bytes lie at new"}),
        ({"b": None, "c": None, "x": "2", "y": "2"}, {
            "b": "renamed: was renamed or moved: its bytes lie at x",
            "c": "renamed: was renamed or moved: its bytes lie at y"}),
        ({"b": None, "c": None, "x": "2"}, {
            "b": "renamed: was renamed or moved: its bytes lie at x",
            "c": "missing: was sealed and is not there any more"}),
        ({"a": "3", "d": "1"}, {"a": "exchanged: and d were exchanged"}),
        ({"a": "3", "d": "9"}, {"a": "swapped: holds what was sealed as d",
                                "d": "changed: was changed since it was sealed: its SHA-256 is another"}),
        ({"a": "3"}, {"a": "swapped: holds what was sealed as d"}),
        ({"a": "2"}, {"a": "swapped: holds what was sealed as b"}),
        ({"a": "3", "b": "1", "d": "2"}, {"a": "swapped: holds what was sealed as d",
                                          "b": "swapped: holds what was sealed as a",
                                          "d": "swapped: holds what was sealed as b"}),
    ],
)  # fmt: skip
def test_each_difference_is_called_what_it_is(changes: dict[str, str | None], told: dict[str, str]):
    actual = {path: sha256 for path, sha256 in {**SEALED, **changes}.items() if sha256 is not None}
    assert found(actual) == told


def test_a_size_tells_a_change_with_the_same_hash_and_is_named():
    words = "changed: was changed since it was sealed: it has 6 bytes, it had 5"
    assert found({**SEALED, "a": "9"}, {"a": 6}) == {"a": words}
    assert list(found(SEALED, {"a": 6})) == ["a"]


def test_what_cannot_be_read_is_not_called_changed():
    assert found({**SEALED, "a": ""}, unreadable="a") == {"a": "unreadable: cannot be read: locked"}


# --- a changed table beside the results

TASK = TaskFacts.of({"task_id": "t", "output_schema": {"owner": "string", "count": "number", "open": "boolean"}})
VALUES: dict[str, Any] = {"owner": "=Ann", "count": 1234, "open": True}


def facts(sample_id: str) -> ResultFacts:
    fields = {name: StoredField(state="value", value=value, shown=str(value)) for name, value in VALUES.items()}
    result = ResultFile(
        sample_id=sample_id, key=sample_id, row=1, status="done", reason="", message="", fault="", steps=1, llm_calls=0,
        usage=Usage(), extracted=VALUES, fields=fields, artifacts=(), judgment=None, flagged=False, notes=(), attempt=1,
        decided_by="rules", started_at=NOW, finished_at=NOW,
    )  # fmt: skip
    return ResultFacts(TASK, sample_id, None, result)


def table(*rows: dict[str, str], without: str = "") -> bytes:
    """Return the table as it was written, with these cells changed."""
    maker, text = RowMaker(TASK), io.StringIO(newline="")
    writer = csv.DictWriter(text, [one.name for one in maker.columns if one.name != without], extrasaction="ignore")
    writer.writeheader()
    for changes in rows:
        texts = cell_texts(maker.row(facts(changes["sample_id"])), maker.columns)
        cells = zip((column.name for column in maker.columns), texts, strict=True)
        writer.writerow({**dict(cells), **changes})
    return text.getvalue().encode()


def problems(data: bytes, samples: str = "A", unread: str = "") -> list[str]:
    return row_problems(data, set(samples), TASK, lambda one: None if one in unread else facts(one))


@cases(
    ("column", "cell", "differs"),
    [
        ("owner", "=Ann", False), ("owner", "'=Ann", False), ("owner", "Ann", True), ("owner", "=ANN", True),
        ("count", "1234", False), ("count", " 1234 ", False), ("count", "1235", True), ("count", "", True),
        ("open", "TRUE", False), ("open", "true", False), ("open", "FALSE", True), ("open", "yes", True),
        ("status", "failed", True),
    ],
)  # fmt: skip
def test_a_cell_that_shows_another_value_is_named(column: str, cell: str, differs: bool):
    told = problems(table({"sample_id": "A", column: cell}))
    assert [one.startswith(f"row A, column {column}: {cell!r} is not ") for one in told] == [True] * differs


def test_rows_that_are_lost_twice_there_or_of_nobody_are_named():
    nobody = "row B: there is no such sample, or its row stands there twice"
    assert problems(table({"sample_id": "A"}, {"sample_id": "B"})) == [nobody]
    assert problems(table({"sample_id": "B"}, {"sample_id": "B"}), "B") == [nobody]
    assert problems(table({"sample_id": "A"}), "AB") == ["row B: is not there any more"]
    assert problems(table({"sample_id": "A", "owner": "x"}), unread="A") == []
    assert problems(table({"sample_id": "A"}, without="owner")) == []
    assert problems(b'sample_id\n"A')[0].startswith("it cannot be read as a table")


@cases(("count", "last"), [(20, "column owner"), (21, "rows: 1 more")])
def test_only_the_first_twenty_are_told(count: int, last: str):
    samples = "abcdefghijklmnopqrstu"[:count]
    told = problems(table(*({"sample_id": one, "owner": "x"} for one in samples)), samples)
    assert len(told) == min(count, 20) + (count > 20)
    assert last in told[-1]

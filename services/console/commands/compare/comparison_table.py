"""A comparison of two runs as CSV: a row for each sample, or for each part of it that is not the same. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from shared.comparing.run_comparison import FieldComparison, RunComparison, SampleComparison
from shared.comparing.sides import EndedSide, FieldSide
from shared.evidence_format.table.rows import text_of
from shared.tables.csv_cells import csv_line, without_formula

_OF_SIDE = ("state", "value", "read", "decision", "decided_by", "page", "picture", "where", "url")
COLUMNS: tuple[str, ...] = (
    *("verdict", "key", "sample_a", "status_a", "reason_a", "sample_b", "status_b", "reason_b"),
    *("field", "field_verdict", "why"),
    *(f"{name}_a" for name in _OF_SIDE),
    *(f"{name}_b" for name in _OF_SIDE),
)


def comparison_csv(compared: RunComparison) -> str:
    """Return the table. No cell of it is run as a formula."""
    lines = [csv_line(COLUMNS)]
    for sample in compared.samples:
        lines += [csv_line(map(without_formula, row)) for row in _rows(sample)]
    return "".join(lines)


def _rows(sample: SampleComparison) -> Iterator[list[str]]:
    known = [str(sample.verdict), sample.key, *_end_cells(sample.a), *_end_cells(sample.b)]
    parts: list[FieldComparison | None] = [*sample.fields, *([sample.judgment] if sample.judgment else [])]
    for part in parts or [None]:
        if part is None:
            yield [*known, *[""] * (len(COLUMNS) - len(known))]
        else:
            yield [*known, part.name, part.verdict, part.why, *_side_cells(part.a), *_side_cells(part.b)]


def _end_cells(end: EndedSide | None) -> list[str]:
    return [end.sample_id, end.status, end.reason] if end is not None else [""] * 3


def _side_cells(side: FieldSide | None) -> list[str]:
    if side is None:
        return [""] * len(_OF_SIDE)
    return [
        *(side.state, text_of(side.value, "array"), text_of(side.read, "array")),
        *(side.decision, ";".join(side.decided_by), side.page, side.picture, side.where, side.url),
    ]
